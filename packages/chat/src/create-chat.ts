import {
  allBegun,
  answered,
  createBackend,
  follow,
  loadChat,
  permitted,
  send,
  stopRun,
  type LoadedChat,
} from './chat-backend.ts'
import { ChatRequestError } from './chat-request-error.ts'
import type { ChatOptions } from './chat-options.ts'
import { checkChatOptions } from './check-chat-options.ts'
import { chatIdInPath, isUnasked } from './http.ts'

/** Answers with a status below 500 never reject; a body that fails is one whose connection breaks. */
export interface Chat {
  /**
   * POST of `useChat`: runs the loop and streams the message. 400: no such request; 404: not authorized; 409 with `chat`, a `LoadedChat`: it
   * has gone on, or a run is under way; 413; 415.
   */
  send(request: Request): Promise<Response>
  /** GET `.../ID/stream`: the message that is being written, from its beginning; 204 when nothing runs. */
  resume(request: Request): Promise<Response>
  /** POST `.../ID/stop`: ends the run; 204 when it has ended, or nothing ran; 202 when another server does not say so within 5 s. */
  stop(request: Request): Promise<Response>
  /** The conversation for a page that is opened; empty where the chat never was. Checks no access. */
  load(chatId: string): Promise<LoadedChat>
  /** Stops the runs of this process, and waits until they are stored. */
  close(): Promise<void>
}

/**
 * A chat backend: three handlers from `Request` to `Response`, for any server and framework. Throws `RangeError` or `TypeError` for options
 * that are none.
 */
export function createChat(options: ChatOptions): Chat {
  checkChatOptions(options)
  const backend = createBackend(options)
  return {
    load: (chatId) => loadChat(backend, chatId),
    send: (request) => send(backend, request),
    resume: (request) =>
      answered(backend, async () => {
        const chatId = await permitted(backend, request, chatIdInPath(request))
        const stored = await backend.store.load(chatId)
        const opened = new URL(request.url).searchParams.get('open')
        const isThere = stored !== undefined && (stored.isRunning || stored.messageId === opened)
        return isThere
          ? follow(backend, request, { chatId, messageId: stored.messageId, after: 0 })
          : new Response(null, { status: 204 })
      }),
    stop: (request) =>
      answered(backend, async () => {
        if (request.method !== 'POST' && request.method !== 'DELETE')
          throw new ChatRequestError('wrong-type', 'Send a POST or a DELETE.')
        if (isUnasked(request))
          throw new ChatRequestError(
            'wrong-type',
            'From another site, send a DELETE, or content type application/json.',
          )
        const chatId = await permitted(backend, request, chatIdInPath(request))
        return new Response(null, { status: (await stopRun(backend, chatId)) ? 204 : 202 })
      }),
    async close() {
      const stopAll = () => Promise.all(Array.from(backend.runs.values(), ({ stop, done }) => (stop(), done)))
      await Promise.all([stopAll(), allBegun(backend)])
      await stopAll()
    },
  }
}
