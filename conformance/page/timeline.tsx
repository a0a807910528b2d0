import type { CaseDetails, CaseReport } from '@steploop/conformance/cli'
import { useEffect, useState } from 'preact/hooks'
import { unpack } from './page-data.ts'
import { StepView } from './step-view.tsx'
import { DiffLines } from './diff-lines.tsx'
import { Executions } from './executions.tsx'

export interface TimelineProps {
  readonly one: CaseReport
  readonly packed: string | undefined
}

/** What happened, in order. */
export function Timeline({ one, packed }: TimelineProps) {
  const details = useUnpacked(packed)
  return (
    <section aria-labelledby="timeline">
      <h3 id="timeline">What happened</h3>
      {packed === undefined && <Short one={one} />}
      {typeof details === 'string' && <p class="faint">{details}</p>}
      {typeof details === 'object' && <Runs details={details} />}
    </section>
  )
}

/** The details, or what there is to say instead. */
function useUnpacked(packed: string | undefined): CaseDetails | string | undefined {
  const [unpacked, setUnpacked] = useState<{ readonly from: string; readonly details: CaseDetails | string }>()
  useEffect(() => {
    if (packed === undefined) return undefined
    let isCurrent = true
    const show = (details: CaseDetails | string): void => {
      if (isCurrent) setUnpacked({ from: packed, details })
    }
    unpack<CaseDetails>(packed).then(show, (error: unknown) => show(`The details cannot be read: ${String(error)}`))
    return () => {
      isCurrent = false
    }
  }, [packed])
  if (packed === undefined) return undefined
  return unpacked?.from === packed ? unpacked.details : 'Reading …'
}

function Short({ one }: { readonly one: CaseReport }) {
  if (one.timeline !== undefined) return <DiffLines text={one.timeline.join('\n')} label="What happened" />
  return <p class="faint">{one.verdict === 'not-applicable' ? 'It was not played.' : 'Nothing was recorded of it.'}</p>
}

function Runs({ details }: { readonly details: CaseDetails }) {
  const { cassette, runs, unused, withheld } = details
  return (
    <>
      {cassette !== undefined && (
        <p class="faint">
          Answered from <code>{cassette.file}</code>
        </p>
      )}
      {withheld !== undefined && <p class="finding-box fail">{withheld}</p>}
      {runs.map((run) => (
        <RunView key={run.number} run={run} isOnly={runs.length === 1} />
      ))}
      {unused.length > 0 && (
        <div class="finding-box fail">
          <p>Recorded, but nothing asked for it:</p>
          {unused.map(({ exchange, method, url, body }) => (
            <details class="block">
              <summary>
                Exchange {exchange}: {method} <code>{url}</code>
              </summary>
              <DiffLines text={body} label={`Body of exchange ${exchange}`} />
            </details>
          ))}
        </div>
      )}
    </>
  )
}

interface RunViewProps {
  readonly run: CaseDetails['runs'][number]
  readonly isOnly: boolean
}

function RunView({ run, isOnly }: RunViewProps) {
  const { number, steps, otherExecutions, waits, end } = run
  return (
    <section class="run" aria-label={`Run ${number}`}>
      <h4 class={isOnly ? 'hidden' : ''}>Run {number}</h4>
      {otherExecutions.length > 0 && <Executions executions={otherExecutions} title="Tools for earlier calls" />}
      <ol class="steps">
        {steps.map((step, index) => (
          <li key={index}>
            <StepView step={step} number={index + 1} />
          </li>
        ))}
        <li class="end">
          {waits.length > 0 && <p>Waited {waits.map((ms) => `${ms} ms`).join(', ')} between attempts.</p>}
          {end.type === 'result' ? (
            <p>
              <strong>{end.status}</strong>: {end.stopReason}
              {end.text !== '' && <q class="answer">{end.text}</q>}
            </p>
          ) : (
            <p>
              <strong>rejected</strong> with <code>{end.code}</code>: {end.message}
            </p>
          )}
        </li>
      </ol>
    </section>
  )
}
