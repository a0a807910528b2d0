import { isObject, systemClock } from '@steploop/core/adapter'
import type { ChatOptions } from './chat-options.ts'
import { messagesOf, planRun, readData } from './chat-data.ts'
import { ChatRequestError } from './chat-request-error.ts'
import { startChatRun, type ActiveRun } from './chat-run.ts'
import { uiMessageStreamHeaders } from './chunks.ts'
import { followLog } from './follow-log.ts'
import { checkedChatId, jsonResponse, readJson } from './http.ts'
import type { UiMessage } from './ui-message.ts'
import type { UiPartOptions } from './ui-parts.ts'

/** What a page begins with. */
export interface LoadedChat {
  readonly messages: readonly UiMessage[]
  /**
   * The message that a run is writing, which is not among `messages`: `resume` gives all of it. Named in `?open=` of its address, it is
   * given also where the run has ended meanwhile.
   */
  readonly writing: string | undefined
}

type Settled = 'leaseMs' | 'heartbeatMs' | 'pollMs' | 'maxBodyBytes' | 'clock' | 'onError'

export type Backend = Omit<ChatOptions, Settled> & {
  readonly [Name in Settled]: NonNullable<ChatOptions[Name]>
} & {
  readonly parts: UiPartOptions
  /** Runs of this process, by chat. */
  readonly runs: Map<string, ActiveRun & { readers: number }>
  /** Requests that may be about to begin a run: who stops it meanwhile waits for that. */
  readonly beginning: Set<{ readonly chatId: string; readonly begun: Promise<unknown> }>
}

export function createBackend(options: ChatOptions): Backend {
  const { errorText, fileUrl, isDynamic } = options
  return {
    ...options,
    leaseMs: options.leaseMs ?? 30_000,
    heartbeatMs: options.heartbeatMs ?? 1000,
    pollMs: options.pollMs ?? 250,
    maxBodyBytes: options.maxBodyBytes ?? 4_000_000,
    clock: options.clock ?? systemClock,
    onError: (error) => void report(options, error),
    parts: { errorText, fileUrl, isDynamic },
    runs: new Map(),
    beginning: new Set(),
  }
}

/** Whatever the application's code does, and whenever: nothing waits for it, or fails with it. */
async function report({ onError }: ChatOptions, error: unknown): Promise<void> {
  try {
    await (onError?.(error) as unknown)
  } catch {
    // There is no other place to report it.
  }
}

export async function loadChat({ store, parts }: Backend, chatId: string): Promise<LoadedChat> {
  const stored = await store.load(chatId)
  if (stored === undefined) return { messages: [], writing: undefined }
  const writing = stored.isRunning ? stored.messageId : undefined
  return { messages: messagesOf(readData(stored), parts).filter(({ id }) => id !== writing), writing }
}

export async function permitted({ authorize }: Backend, request: Request, chatId: string): Promise<string> {
  if (authorize === undefined || (await authorize(request, chatId))) return chatId
  throw new ChatRequestError('not-found', 'There is no such chat.')
}

/** What is the page's own mistake gets its answer. `state`: tells the page that lacks it how the chat stands. */
export async function answered(
  { onError }: Backend,
  work: () => Promise<Response>,
  state?: () => Promise<LoadedChat | undefined>,
): Promise<Response> {
  try {
    return await work()
  } catch (error) {
    if (ChatRequestError.isInstance(error)) {
      const { code, message, status } = error
      const chat = code === 'conflict' ? await state?.().catch(onError) : undefined
      return jsonResponse(status, { error: { code, message }, ...(chat && { chat }) })
    }
    onError(error)
    return jsonResponse(500, { error: { code: 'failed', message: 'The server failed. Please try again.' } })
  }
}

interface Followed {
  readonly chatId: string
  readonly messageId: string
  /** Entries that the page has. */
  readonly after: number
}

/** The log of a message as a response. */
export function follow(backend: Backend, { signal }: Request, { chatId, messageId, after }: Followed): Response {
  const { store, clock, pollMs, onDisconnect, onError } = backend
  const found = backend.runs.get(chatId)
  const run = found?.messageId === messageId ? found : undefined
  if (run !== undefined) run.readers++
  const onLeave = (): void => {
    if (run !== undefined && --run.readers === 0 && onDisconnect === 'abort') run.stop()
  }
  const log = followLog({ store, chatId, messageId, after, change: run?.change, pollMs, clock, onLeave, onError })
  const response = new Response(log, { headers: uiMessageStreamHeaders })
  // There may be no reader left to cancel it.
  if (signal.aborted) void response.body?.cancel()
  return response
}

export function send(backend: Backend, request: Request): Promise<Response> {
  let chatId: string | undefined
  return answered(
    backend,
    async () => {
      const body = await readJson(request, backend.maxBodyBytes)
      chatId = await permitted(backend, request, checkedChatId(isObject(body) ? body['id'] : undefined))
      const started = { chatId, begun: begin(backend, request, { chatId, body }) }
      backend.beginning.add(started)
      return started.begun.finally(() => backend.beginning.delete(started))
    },
    async () => (chatId === undefined ? undefined : loadChat(backend, chatId)),
  )
}

async function begin(
  backend: Backend,
  request: Request,
  { chatId, body }: { readonly chatId: string; readonly body: unknown },
): Promise<Response> {
  const { store, leaseMs, loop, parts, clock, heartbeatMs, onError, waitUntil } = backend
  const stored = await store.load(chatId)
  if (stored?.isRunning === true) throw busy()
  const planned = planRun(body, stored && readData(stored))
  const runOptions = await backend.runOptions?.(request, chatId)
  const { answerId: messageId } = planned.data
  const run = { runId: crypto.randomUUID(), leaseMs }
  const beginning = { ...run, revision: stored?.revision ?? 0, messageId, data: JSON.stringify(planned.data) }
  if (!(await store.begin(chatId, beginning))) throw busy()
  const { abortSignal: own } = runOptions ?? {}
  const stream = (signal: AbortSignal) =>
    loop.stream(planned.input, {
      ...runOptions,
      abortSignal: own === undefined ? signal : AbortSignal.any([signal, own]),
    })
  const started = startChatRun({ chatId, run, planned, store, stream, parts, heartbeatMs, clock, onError })
  const active = { ...started, readers: 0 }
  backend.runs.set(chatId, active)
  const done = started.done.then(() => {
    if (backend.runs.get(chatId) === active) backend.runs.delete(chatId)
  })
  try {
    waitUntil?.(done)
  } catch (error) {
    // The run goes on all the same, as long as the platform lets it.
    onError(error)
  }
  return follow(backend, request, { chatId, messageId, after: stored?.messageId === messageId ? stored.entries : 0 })
}

function busy(): ChatRequestError {
  return new ChatRequestError('conflict', 'An answer is being written in this chat. Wait for its end, or stop it.')
}

/** Until the requests that are about to begin a run, in one chat or in all, have done so or failed. */
export async function allBegun({ beginning }: Backend, chatId?: string): Promise<void> {
  const awaited = [...beginning].filter((one) => chatId === undefined || one.chatId === chatId)
  await Promise.allSettled(awaited.map(({ begun }) => begun))
}

const stopLimitMs = 5000

/** True when the run that has the chat now, if any has it, is over. */
export async function stopRun(backend: Backend, chatId: string): Promise<boolean> {
  const { store, clock, pollMs } = backend
  if (!backend.runs.has(chatId)) await allBegun(backend, chatId)
  const run = backend.runs.get(chatId)
  if (run !== undefined) {
    run.stop()
    await run.done
    return true
  }
  const revision = (await store.load(chatId))?.revision
  if (!(await store.stop(chatId))) return true
  for (let waited = 0; waited < stopLimitMs; waited += pollMs) {
    await new Promise<void>((resolve) => void clock.after(pollMs, resolve))
    const chat = await store.load(chatId)
    if (chat?.isRunning !== true || chat.revision !== revision) return true
  }
  return false
}
