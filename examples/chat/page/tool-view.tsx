/** @jsxImportSource react */
import type { DynamicToolUIPart, ToolUIPart, UIMessage } from 'ai'
import type { useChat } from '@ai-sdk/react'
import { useId, useState } from 'react'

type AnyToolPart = ToolUIPart | DynamicToolUIPart
type AddToolOutput = ReturnType<typeof useChat<UIMessage>>['addToolOutput']

/** The data part beside a call. */
export interface ToolState {
  readonly state: string
  readonly progress?: number | undefined
  readonly total?: number | undefined
  readonly message?: string | undefined
}

export interface ToolViewProps {
  readonly part: AnyToolPart
  readonly name: string
  readonly state: ToolState | undefined
  readonly canAnswer: boolean
  readonly onApproval: (id: string, approved: boolean, edited: Readonly<Record<string, unknown>>) => void
  readonly onOutput: (output: Parameters<AddToolOutput>[0]) => void
}

export function ToolView({ part, name, state, canAnswer, onApproval, onOutput }: ToolViewProps) {
  return (
    <section className="tool" aria-label={`Tool ${name}`}>
      <p>
        <strong>{name}</strong>: {stateText(part, state)}
      </p>
      <pre>{JSON.stringify(part.input, null, 1)}</pre>
      {part.state === 'output-available' && <pre>{JSON.stringify(part.output, null, 1)}</pre>}
      {part.state === 'approval-requested' && canAnswer && (
        <Approval part={part} name={name} id={part.approval.id} onApproval={onApproval} />
      )}
      {part.state === 'input-available' && name === 'get_location' && canAnswer && (
        <Location toolCallId={part.toolCallId} onOutput={onOutput} />
      )}
    </section>
  )
}

function stateText(part: AnyToolPart, state: ToolState | undefined): string {
  switch (part.state) {
    case 'input-streaming':
      return 'being written'
    case 'approval-requested':
      return 'waits for your approval'
    case 'approval-responded':
      return part.approval.approved ? 'approved' : 'denied'
    case 'output-available':
      return 'completed'
    case 'output-error':
      return `failed: ${part.errorText}`
    case 'output-denied':
      return 'denied'
    case 'input-available':
    default: {
      if (state === undefined) return 'called'
      const { progress, total, message } = state
      return [state.state, progress === undefined ? '' : `${progress} of ${total ?? '?'}`, message]
        .filter(Boolean)
        .join(', ')
    }
  }
}

interface ApprovalProps {
  readonly part: AnyToolPart
  readonly name: string
  readonly id: string
  readonly onApproval: ToolViewProps['onApproval']
}

/** The arguments can be changed before they are approved. */
function Approval({ part, name, id, onApproval }: ApprovalProps) {
  const shown = JSON.stringify(part.input, null, 1)
  const [text, setText] = useState(shown)
  const [problem, setProblem] = useState('')
  const place = useId()
  const approve = (): void => {
    try {
      const input: unknown = JSON.parse(text)
      if (typeof input !== 'object' || input === null || Array.isArray(input)) throw new TypeError('no object')
      onApproval(id, true, text === shown ? {} : { [part.toolCallId]: input })
    } catch {
      setProblem('The arguments have to be a JSON object.')
    }
  }
  return (
    <div role="group" aria-label={`Approval of ${name}`}>
      <label htmlFor={place}>Arguments</label>
      <textarea id={place} rows={4} value={text} onChange={({ target }) => setText(target.value)} />
      {problem !== '' && <p role="alert">{problem}</p>}
      <div className="buttons">
        <button type="button" onClick={approve}>
          Approve
        </button>
        <button type="button" onClick={() => onApproval(id, false, {})}>
          Deny
        </button>
      </div>
    </div>
  )
}

/** A tool that runs on the page: nobody's location leaves it without a click. */
function Location({ toolCallId, onOutput }: Pick<ToolViewProps, 'onOutput'> & { readonly toolCallId: string }) {
  const call = { tool: 'get_location', toolCallId } as const
  const share = (): void =>
    navigator.geolocation.getCurrentPosition(
      ({ coords: { latitude, longitude } }) => onOutput({ ...call, output: { latitude, longitude } }),
      ({ message }) => onOutput({ ...call, state: 'output-error', errorText: `No location: ${message}` }),
      { timeout: 10_000 },
    )
  return (
    <div role="group" aria-label="Your location" className="buttons">
      <button type="button" onClick={share}>
        Share my location
      </button>
      <button
        type="button"
        onClick={() => onOutput({ ...call, state: 'output-error', errorText: 'The user does not share the location.' })}
      >
        Do not share
      </button>
    </div>
  )
}
