/** @jsxImportSource react */
import { useChat } from '@ai-sdk/react'
import {
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
  type UIMessage,
} from 'ai'
import { useRef, useState, type KeyboardEvent } from 'react'
import { MessageView } from './message-view.tsx'

export interface ChatViewProps {
  readonly id: string
  readonly messages: UIMessage[]
  /** The message that is being written on the server. */
  readonly writing: string | undefined
  readonly onReload: () => void
  readonly onTitle: (title: string) => void
}

export function ChatView({ id, messages: stored, writing, onReload, onTitle }: ChatViewProps) {
  /** Arguments that the user changed, for the request that sends the approval. */
  const edits = useRef<Record<string, unknown>>({})
  const [transport] = useState(
    () =>
      new DefaultChatTransport<UIMessage>({
        body: () => ({ toolInputs: edits.current }),
        prepareReconnectToStreamRequest: ({ api, id: chat }) => ({
          api: `${api}/${chat}/stream?open=${writing ?? ''}`,
        }),
      }),
  )
  const chat = useChat({
    id,
    messages: stored,
    transport,
    resume: writing !== undefined,
    sendAutomaticallyWhen: (state) =>
      lastAssistantMessageIsCompleteWithApprovalResponses(state) || lastAssistantMessageIsCompleteWithToolCalls(state),
  })
  const { messages, status, error } = chat
  const isBusy = status === 'submitted' || status === 'streaming'
  return (
    <>
      <ol className="messages" aria-label="Conversation" aria-busy={isBusy}>
        {messages.map((message, index) => (
          <MessageView
            key={message.id}
            message={message}
            isLast={index === messages.length - 1 && !isBusy}
            onApproval={(approvalId, approved, edited) => {
              Object.assign(edits.current, edited)
              void chat.addToolApprovalResponse({ id: approvalId, approved })
            }}
            onOutput={(output) => void chat.addToolOutput(output)}
          />
        ))}
      </ol>
      <p role="status" className="status">
        {isBusy ? 'The assistant is writing …' : (statusText(messages.at(-1)) ?? 'Ready.')}
      </p>
      {error !== undefined && <Problem error={error} onRetry={() => void chat.regenerate()} onReload={onReload} />}
      <Composer
        isBusy={isBusy}
        canRepeat={messages.length > 0}
        onSend={(text) => {
          onTitle(text.slice(0, 40))
          void chat.sendMessage({ text })
        }}
        onStop={() => void fetch(`/api/chat/${id}/stop`, { method: 'POST' })}
        onRepeat={() => void chat.regenerate()}
      />
    </>
  )
}

interface ComposerProps {
  readonly isBusy: boolean
  readonly canRepeat: boolean
  readonly onSend: (text: string) => void
  readonly onStop: () => void
  readonly onRepeat: () => void
}

/** Enter sends, Shift with Enter begins a new line. */
function Composer({ isBusy, canRepeat, onSend, onStop, onRepeat }: ComposerProps) {
  const [text, setText] = useState('')
  const send = (): void => {
    if (text.trim() === '' || isBusy) return
    setText('')
    onSend(text.trim())
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    send()
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <label htmlFor="text">Your message</label>
      <textarea
        id="text"
        rows={2}
        value={text}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={onKeyDown}
      />
      <div className="buttons">
        <button type="submit" disabled={isBusy}>
          Send
        </button>
        <button type="button" onClick={onStop} disabled={!isBusy}>
          Stop
        </button>
        <button type="button" onClick={onRepeat} disabled={isBusy || !canRepeat}>
          Answer anew
        </button>
      </div>
    </form>
  )
}

/** How the last run ended, where that is worth a word. */
function statusText(message: UIMessage | undefined): string | undefined {
  const { status, stopReason } = (message?.metadata ?? {}) as { status?: string; stopReason?: string }
  if (status === 'aborted') return 'Stopped.'
  if (status === 'incomplete') return `Ended at a limit: ${stopReason}.`
  if (status === 'requires-action') return 'Waiting for you.'
  return undefined
}

interface ProblemProps {
  readonly error: Error
  readonly onRetry: () => void
  readonly onReload: () => void
}

/** What the server refused says why; where the chat has gone on without this page, it has to be loaded anew. */
function Problem({ error, onRetry, onReload }: ProblemProps) {
  const { message, isBehind } = readProblem(error)
  return (
    <p role="alert" className="problem">
      {message}{' '}
      {isBehind ? (
        <button type="button" onClick={onReload}>
          Load the chat
        </button>
      ) : (
        <button type="button" onClick={onRetry}>
          Retry
        </button>
      )}
    </p>
  )
}

function readProblem({ message }: Error): { readonly message: string; readonly isBehind: boolean } {
  try {
    const { error } = JSON.parse(message) as { error: { code: string; message: string } }
    return { message: error.message, isBehind: error.code === 'conflict' }
  } catch {
    return { message, isBehind: false }
  }
}
