import type { Chat } from '@steploop/chat'
import {
  AbstractChat,
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
  type ChatInit,
  type ChatState,
  type ChatStatus,
  type UIMessage,
} from 'ai'

/** What `useChat` keeps, without a library that shows it. */
class PageState implements ChatState<UIMessage> {
  status: ChatStatus = 'ready'
  error: Error | undefined
  messages: UIMessage[]

  constructor(messages: readonly UIMessage[]) {
    this.messages = [...messages]
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

/** Opens the page of a chat: what is stored, then what is being written. */
export async function openPage(chat: Chat, id: string): Promise<Page> {
  const { messages, writing } = structuredClone(await chat.load(id))
  const transport = new DefaultChatTransport({
    api: 'http://chat.test/api/chat',
    async fetch(input, init) {
      const request = new Request(input, init)
      const response = await (request.method === 'GET' ? chat.resume(request) : chat.send(request))
      request.signal.addEventListener('abort', () => void response.body?.cancel().catch(() => undefined))
      return response
    },
    prepareReconnectToStreamRequest: ({ api }) => ({ api: `${api}/${id}/stream?open=${writing ?? ''}` }),
  })
  const page = new Page({
    id,
    messages: messages as UIMessage[],
    transport,
    sendAutomaticallyWhen: (state) =>
      lastAssistantMessageIsCompleteWithApprovalResponses(state) || lastAssistantMessageIsCompleteWithToolCalls(state),
  })
  if (writing !== undefined) void page.resumeStream()
  return page
}

/** Parts but for ids, states of tools and decisions. */
export const shownParts = (parts: readonly unknown[] = []): unknown[] =>
  (JSON.parse(JSON.stringify(parts)) as Record<string, unknown>[])
    .filter(({ type }) => type !== 'data-tool-state')
    .map(({ approval: _approval, sourceId: _source, id: _id, ...part }) => part)
