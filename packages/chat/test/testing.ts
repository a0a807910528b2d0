import { AdapterError, type Adapter } from '@steploop/core'
import {
  AbstractChat,
  DefaultChatTransport,
  isToolUIPart,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
  type ChatInit,
  type ChatState,
  type ChatStatus,
  type UIMessage,
} from 'ai'
import type { Chat } from '@steploop/chat'

/** The state of a page, without a library that shows it. */
class PageState implements ChatState<UIMessage> {
  status: ChatStatus = 'ready'
  error: Error | undefined
  messages: UIMessage[]

  constructor(messages: readonly UIMessage[]) {
    this.messages = structuredClone([...messages])
  }

  pushMessage = (message: UIMessage): void => void (this.messages = [...this.messages, structuredClone(message)])
  popMessage = (): void => void (this.messages = this.messages.slice(0, -1))
  replaceMessage = (index: number, message: UIMessage): void =>
    void (this.messages = this.messages.with(index, structuredClone(message)))
  snapshot = <Thing>(thing: Thing): Thing => structuredClone(thing)
}

/** The client behind `useChat`, as it is. */
export class Page extends AbstractChat<UIMessage> {
  constructor({ messages = [], ...init }: ChatInit<UIMessage>) {
    super({ ...init, state: new PageState(messages) })
  }
}

const api = 'http://chat.test/api/chat'

/** Parts of what a scripted model says. */
export const text = (said: string) => ({ type: 'text', text: said }) as const
export const call = (toolName: string, input: Readonly<Record<string, unknown>> | string = {}) =>
  ({ type: 'call', toolName, input }) as const

export const overloaded = new AdapterError({ provider: 'acme', model: 'm', code: 'overloaded' })

/** What pages ask for: that something is sent, that the run of a chat stops, and what is being written in it. */
export const sending = (body: unknown, init: RequestInit & { readonly duplex?: 'half' } = {}): Request => {
  const isBody = typeof body === 'string' || body instanceof ReadableStream
  const headers = { 'content-type': 'application/json' }
  return new Request(api, { method: 'POST', headers, body: isBody ? body : JSON.stringify(body), ...init })
}
export const stopping = (id = 'a'): Request => new Request(`${api}/${id}/stop`, { method: 'POST' })
export const resuming = (id = 'a'): Request => new Request(`${api}/${id}/stream`)

/** The three handlers behind `fetch`, at the addresses that pages use. `cut`: told of every response, whose body it may break. */
function fetchOf(chat: Chat, cut?: (response: Response) => Response): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init)
    const { pathname } = new URL(request.url)
    const answer = (): Promise<Response> => {
      if (pathname.endsWith('/stream')) return chat.resume(request)
      if (pathname.endsWith('/stop')) return chat.stop(request)
      return chat.send(request)
    }
    const response = await answer()
    const { signal } = request
    if (signal.aborted) throw new DOMException('left', 'AbortError')
    // As a network does it: who aborts closes the connection.
    signal.addEventListener('abort', () => void response.body?.cancel().catch(() => undefined))
    return cut === undefined ? response : cut(response)
  }
}

export interface OpenPageOptions extends Omit<ChatInit<UIMessage>, 'messages' | 'transport'> {
  readonly id: string
  readonly cut?: ((response: Response) => Response) | undefined
}

/** Opens the page of a chat: what is stored, then what is being written. `resumed` settles when that is read. */
export async function openPage(chat: Chat, { cut, ...init }: OpenPageOptions) {
  const { messages, writing } = await chat.load(init.id)
  const transport = new DefaultChatTransport({
    api,
    fetch: fetchOf(chat, cut),
    prepareReconnectToStreamRequest: ({ api: base, id }) => ({ api: `${base}/${id}/stream?open=${writing ?? ''}` }),
  })
  const page = new Page({
    sendAutomaticallyWhen: (state) =>
      lastAssistantMessageIsCompleteWithApprovalResponses(state) || lastAssistantMessageIsCompleteWithToolCalls(state),
    ...init,
    messages: structuredClone(messages) as UIMessage[],
    transport,
  })
  const resumed = writing === undefined ? Promise.resolve() : page.resumeStream()
  return { page, resumed }
}

/** Until the page waits for its user. */
export async function settled(page: Page): Promise<void> {
  for (let quiet = 0; quiet < 3;) {
    await new Promise((resolve) => setTimeout(resolve, 0))
    quiet = page.status === 'submitted' || page.status === 'streaming' ? 0 : quiet + 1
  }
}

/** What can be compared: no ids that the page or the server makes up, no states of tools, no decisions, nothing `undefined`. */
function shownParts(parts: readonly unknown[] = []): unknown[] {
  const plain = JSON.parse(JSON.stringify(parts)) as Record<string, unknown>[]
  return plain.flatMap((part) => {
    if (part['type'] === 'data-tool-state') return []
    const { approval: _approval, sourceId: _source, callProviderMetadata: _call, ...rest } = part
    if (rest['type'] === 'reasoning') delete rest['id']
    return [rest]
  })
}

interface AnyMessage {
  readonly role: string
  readonly parts: readonly unknown[]
  readonly metadata?: unknown
}

export function shownMessages(messages: readonly AnyMessage[]) {
  return messages.map(({ role, parts, metadata }) => ({
    role,
    parts: shownParts(parts),
    ...(metadata !== undefined && { metadata: JSON.parse(JSON.stringify(metadata)) as unknown }),
  }))
}

/** One turn of the event loop. */
export const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** A model that takes its time: other things happen between its events. */
export function slowly<Model extends Adapter>(model: Model, ticks = 1): Model {
  return {
    ...model,
    async *turn(request: Parameters<Adapter['turn']>[0], context: Parameters<Adapter['turn']>[1]) {
      for await (const batch of model.turn(request, context)) {
        for (const event of batch) {
          for (let waited = 0; waited < ticks; waited++) await tick()
          yield [event]
        }
      }
    },
  }
}

/** What the page asks its user for. */
export function askedFor(page: Page): readonly UIMessage['parts'][number][] {
  return (page.lastMessage?.parts ?? []).filter(
    (part) =>
      isToolUIPart(part) &&
      (part.state === 'approval-requested' || (part.state === 'input-available' && part.providerExecuted !== true)),
  )
}
