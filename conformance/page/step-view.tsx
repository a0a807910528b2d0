import type { CaseDetails } from '@steploop/conformance/cli'
import { useState } from 'preact/hooks'
import { DiffLines } from './diff-lines.tsx'
import { Executions } from './executions.tsx'
import { foldEqual } from './fold-equal.ts'
import { FrameList } from './frame-list.tsx'
import { bytesText, counted } from './words.ts'

type Step = CaseDetails['runs'][number]['steps'][number]
type Attempt = Step['attempts'][number]

export function StepView({ step, number }: { readonly step: Step; readonly number: number }) {
  const { attempts, executions } = step
  return (
    <>
      <h5>Step {number}</h5>
      {attempts.map((attempt, index) => (
        <AttemptView
          key={index}
          attempt={attempt}
          name={attempts.length === 1 ? `step ${number}` : `step ${number}, attempt ${index + 1}`}
          attemptNumber={attempts.length === 1 ? undefined : index + 1}
        />
      ))}
      {executions.length > 0 && <Executions executions={executions} title={counted(executions.length, 'tool call')} />}
    </>
  )
}

interface AttemptViewProps {
  readonly attempt: Attempt
  /** For labels. */
  readonly name: string
  readonly attemptNumber: number | undefined
}

function AttemptView({ attempt, name, attemptNumber }: AttemptViewProps) {
  const { request, response, error } = attempt
  return (
    <div class="attempt">
      {attemptNumber !== undefined && <p class="what">Attempt {attemptNumber}</p>}
      {request !== undefined && <RequestView request={request} name={name} />}
      {response !== undefined && <ResponseView response={response} name={name} />}
      {request !== undefined && response === undefined && (
        <p class="finding-box fail">No exchange of the cassette fits this request, so it was refused.</p>
      )}
      <EventList attempt={attempt} name={name} />
      {error !== undefined && (
        <p class="threw">
          <strong>threw</strong> {error}
        </p>
      )}
    </div>
  )
}

interface RequestViewProps {
  readonly request: NonNullable<Attempt['request']>
  readonly name: string
}

function RequestView({ request, name }: RequestViewProps) {
  const { method, url, headers, body, exchange, diff } = request
  const differs = diff !== undefined
  const head = Object.entries(headers).map(([header, value]) => `${header}: ${value}`)
  return (
    <details class={differs ? 'block differs' : 'block'} open={differs}>
      <summary>
        <span class="what">Request</span> {method} <code class="url">{url}</code>{' '}
        <span class={differs ? 'wrong' : 'faint'}>{standing(exchange, differs)}</span>
      </summary>
      {differs ? (
        <RequestDiff diff={diff} label={`Request of ${name} against exchange ${exchange}`} />
      ) : (
        <DiffLines text={[...head, '', body].join('\n')} label={`Request of ${name}`} />
      )}
    </details>
  )
}

function standing(exchange: number | undefined, differs: boolean): string {
  if (differs) return `differs from exchange ${exchange}: - recorded, + sent`
  return exchange === undefined ? 'after the last exchange' : `as recorded in exchange ${exchange}`
}

interface ResponseViewProps {
  readonly response: NonNullable<Attempt['response']>
  readonly name: string
}

function ResponseView({ response, name }: ResponseViewProps) {
  const { status, headers, chunks, ending } = response
  const size = chunks.reduce((sum, { bytes }) => sum + bytes, 0)
  const head = Object.entries(headers).map(([header, value]) => `${header}: ${value}`)
  return (
    <details class="block">
      <summary>
        <span class="what">Response</span> {status === 0 ? 'none' : status}{' '}
        <span class="faint">
          {counted(chunks.length, 'chunk')}, {bytesText(size)}
          {ending === 'eof' ? '' : `, ended by ${ending}`}
        </span>
      </summary>
      {head.length > 0 && <DiffLines text={head.join('\n')} label={`Headers of ${name}`} />}
      {size > 0 && <FrameList response={response} label={`Frames of ${name}`} />}
    </details>
  )
}

function EventList({ attempt, name }: { readonly attempt: Attempt; readonly name: string }) {
  const { events, eventsLeftOut } = attempt
  if (events.length === 0) return <p class="faint">No event.</p>
  return (
    <details class="block">
      <summary>
        <span class="what">{counted(events.length + (eventsLeftOut ?? 0), 'event')}</span>{' '}
        <span class="faint">{eventWords(events.map(({ type }) => type))}</span>
      </summary>
      <div class="events" tabIndex={0} role="region" aria-label={`Events of ${name}`}>
        <ol>
          {events.map(({ type, content }, index) => (
            <li key={index}>
              <code>
                <strong>{type}</strong> {JSON.stringify(content)}
              </code>
            </li>
          ))}
        </ol>
      </div>
      {eventsLeftOut !== undefined && <p class="faint">and {counted(eventsLeftOut, 'more event')}</p>}
    </details>
  )
}

/** `text-delta ×12` instead of twelve words. */
function eventWords(types: readonly string[]): string {
  const groups: { readonly type: string; count: number }[] = []
  for (const type of types) {
    const last = groups.at(-1)
    if (last?.type === type) last.count++
    else groups.push({ type, count: 1 })
  }
  return groups.map(({ type, count }) => (count === 1 ? type : `${type} ×${count}`)).join(', ')
}

/** A diff in which most lines are equal: those far from a change are folded until asked for. */
function RequestDiff({ diff, label }: { readonly diff: string; readonly label: string }) {
  const [isWhole, setWhole] = useState(false)
  const folded = foldEqual(diff)
  return (
    <>
      <DiffLines text={isWhole ? diff : folded} label={label} />
      {folded !== diff && (
        <button type="button" class="plain" aria-pressed={isWhole} onClick={() => setWhole(!isWhole)}>
          All lines
        </button>
      )}
    </>
  )
}
