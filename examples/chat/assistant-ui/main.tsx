/** @jsxImportSource react */
import { useChat } from '@ai-sdk/react'
import {
  AssistantRuntimeProvider,
  ComposerPrimitive,
  MessagePrimitive,
  ThreadPrimitive,
  type ToolCallMessagePartProps,
} from '@assistant-ui/react'
import { useAISDKRuntime } from '@assistant-ui/react-ai-sdk'
import {
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
  type UIMessage,
} from 'ai'
import { useState } from 'react'
import { createRoot } from 'react-dom/client'

// The page of a chat with assistant-ui. Its id is what follows `#` in the address.

interface Loaded {
  readonly messages: UIMessage[]
  readonly writing?: string | undefined
}

function ToolCall({ toolName, status, approval, result, respondToApproval }: ToolCallMessagePartProps) {
  const asks = approval !== undefined && approval.approved === undefined
  return (
    <section aria-label={`Tool ${toolName}`}>
      <p>
        {toolName}: {status.type}
      </p>
      {result !== undefined && <pre>{JSON.stringify(result)}</pre>}
      {asks && (
        <p>
          <button type="button" onClick={() => void respondToApproval({ approved: true })}>
            Approve
          </button>
          <button type="button" onClick={() => void respondToApproval({ approved: false })}>
            Deny
          </button>
        </p>
      )}
    </section>
  )
}

function Message() {
  return (
    <MessagePrimitive.Root>
      <MessagePrimitive.Parts components={{ tools: { Fallback: ToolCall } }} />
    </MessagePrimitive.Root>
  )
}

function Assistant({ id, messages, writing }: Loaded & { readonly id: string }) {
  const [transport] = useState(
    () =>
      new DefaultChatTransport<UIMessage>({
        prepareReconnectToStreamRequest: ({ api }) => ({ api: `${api}/${id}/stream?open=${writing ?? ''}` }),
      }),
  )
  const chat = useChat({
    id,
    messages,
    transport,
    resume: writing !== undefined,
    sendAutomaticallyWhen: (state) =>
      lastAssistantMessageIsCompleteWithApprovalResponses(state) || lastAssistantMessageIsCompleteWithToolCalls(state),
  })
  const runtime = useAISDKRuntime(chat)
  return (
    <AssistantRuntimeProvider runtime={runtime}>
      <ThreadPrimitive.Root>
        <ThreadPrimitive.Viewport className="messages">
          <ThreadPrimitive.Messages>{() => <Message />}</ThreadPrimitive.Messages>
        </ThreadPrimitive.Viewport>
        <ComposerPrimitive.Root>
          <ComposerPrimitive.Input aria-label="Your message" />
          <ComposerPrimitive.Send>Send</ComposerPrimitive.Send>
        </ComposerPrimitive.Root>
      </ThreadPrimitive.Root>
      <button type="button" onClick={() => void fetch(`/api/chat/${id}/stop`, { method: 'POST' })}>
        Stop
      </button>
      <p role="status">{chat.status}</p>
    </AssistantRuntimeProvider>
  )
}

async function main(root: HTMLElement): Promise<void> {
  const id = location.hash.slice(1) || 'chat'
  const loaded = (await (await fetch(`/api/chat/${id}`)).json()) as Loaded
  createRoot(root).render(<Assistant id={id} {...loaded} />)
}

const root = document.getElementById('root')
if (root !== null) void main(root)
