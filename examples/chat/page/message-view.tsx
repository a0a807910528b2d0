/** @jsxImportSource react */
import { getToolName, isToolUIPart, type UIMessage } from 'ai'
import { ToolView, type ToolState, type ToolViewProps } from './tool-view.tsx'

type Part = UIMessage['parts'][number]

export interface MessageViewProps extends Pick<ToolViewProps, 'onApproval' | 'onOutput'> {
  readonly message: UIMessage
  /** The user may answer its calls. */
  readonly isLast: boolean
}

export function MessageView({ message, isLast, onApproval, onOutput }: MessageViewProps) {
  const states = new Map(
    message.parts.flatMap((part) => (part.type === 'data-tool-state' ? [[part.id, part.data as ToolState]] : [])),
  )
  return (
    <li className={message.role}>
      <h2>{message.role === 'user' ? 'You' : 'Assistant'}</h2>
      {message.parts.map((part, index) =>
        isToolUIPart(part) ? (
          <ToolView
            key={part.toolCallId}
            part={part}
            name={getToolName(part)}
            state={states.get(part.toolCallId)}
            canAnswer={isLast}
            onApproval={onApproval}
            onOutput={onOutput}
          />
        ) : (
          <PartView key={index} part={part} />
        ),
      )}
    </li>
  )
}

/** Text stays text: React writes it as such, whatever is in it. */
function PartView({ part }: { readonly part: Part }) {
  switch (part.type) {
    case 'text':
      return part.text === '' ? null : <p className="text">{part.text}</p>
    case 'reasoning':
      return part.text === '' ? null : (
        <details>
          <summary>Reasoning</summary>
          <p className="text">{part.text}</p>
        </details>
      )
    case 'file':
      return part.mediaType.startsWith('image/') ? <img src={part.url} alt={part.filename ?? 'Image'} /> : null
    case 'source-url':
      return (
        <p>
          Source:{' '}
          <a href={part.url} rel="noreferrer noopener" target="_blank">
            {part.title ?? part.url}
          </a>
        </p>
      )
    case 'source-document':
      return <p>Source: {part.title}</p>
    case 'data-refusal':
      return <p className="note">The assistant declined.</p>
    case 'custom':
    case 'dynamic-tool':
    case 'reasoning-file':
    case 'steering-message':
    case 'step-start':
    default:
      return null
  }
}
