import type { LoopError, LoopEvent, StepLoop, Transcript, Message, ToolResultPart } from '@steploop/core'
import type { Clock } from '@steploop/core/adapter'
import { decisionChunks, endedData, withMessages, type PlannedRun } from './chat-data.ts'
import type { ChatRun, ChatStore, ChatWrite } from './chat-store.ts'
import { createChange, type Change } from './change.ts'
import { printChunk, type UiMessageChunk } from './chunks.ts'
import { createUiEncoder, type UiEncoderOptions } from './encoder.ts'
import { batchWrites } from './batch-writes.ts'

/** A run of this process. */
export interface ActiveRun {
  readonly messageId: string
  /** The log has grown, or the run is over. */
  readonly change: Change
  /** Ends it. */
  readonly stop: () => void
  /** The store has the end of it, or cannot be reached. Never rejects. */
  readonly done: Promise<void>
}

export interface ChatRunOptions {
  readonly chatId: string
  readonly run: ChatRun
  readonly planned: PlannedRun
  readonly store: ChatStore
  readonly stream: (signal: AbortSignal) => ReturnType<StepLoop['stream']>
  readonly parts: UiEncoderOptions
  readonly heartbeatMs: number
  readonly clock: Clock
  /** What went wrong beside the run. */
  readonly onError: (error: unknown) => void
}

/** Why a run ends. There is one: to make it, with its stack, takes a third of the time of a stop. */
const stopped = new DOMException('The run was stopped.', 'AbortError')

/** Runs to the end, read or not, and writes the log. */
export function startChatRun(options: ChatRunOptions): ActiveRun {
  const controller = new AbortController()
  const change = createChange()
  const stop = (): void => controller.abort(stopped)
  const done = drive(options, controller, change).then(
    () => change.end(),
    (error: unknown) => {
      options.onError(error)
      change.end()
    },
  )
  return { messageId: options.planned.data.answerId, change, stop, done }
}

async function drive(options: ChatRunOptions, controller: AbortController, change: Change): Promise<void> {
  const { chatId, run, store, planned } = options
  const recorder = createRecorder(options)
  let isLost = false
  let failure: unknown
  const write = async (content: ChatWrite): Promise<void> => {
    if (isLost || failure !== undefined) return
    try {
      const outcome = await store.write(chatId, run, content)
      isLost = outcome === 'lost'
      if (outcome !== 'stored') controller.abort(stopped)
      change.tell()
    } catch (error) {
      failure = error
      controller.abort(stopped)
    }
  }
  const stopBeating = beat(options, () => write({}))
  /** What came with the end of the run is stored with it, in one write. */
  let rest = ''
  try {
    const writes = batchWrites(options.stream(controller.signal), recorder.take)
    for (let next = await writes.next(); next.done !== true; next = await writes.next()) {
      if (recorder.last().chunks.length > 0) rest += next.value
      else await write({ entries: [next.value], data: recorder.takeData() })
    }
  } catch (error) {
    // A loop that does not begin; a run tells how it failed by its last event.
    failure ??= error
  } finally {
    stopBeating()
    controller.abort(stopped)
  }
  if (failure !== undefined) options.onError(failure)
  if (!isLost) await end(options, endOf(recorder, planned, { rest, failure }))
}

/** Milliseconds before each further attempt: until then nobody can go on in the chat but by waiting for the end of its lease. */
const waitsMs = [50, 200, 1000, 4000]

/** Stores the end, also where the store is away for a moment. Rejects as it did last. */
async function end({ chatId, run, store, clock }: ChatRunOptions, last: ChatWrite): Promise<void> {
  for (const ms of waitsMs) {
    try {
      return void (await store.end(chatId, run.runId, last))
    } catch {
      await new Promise<void>((resolve) => void clock.after(ms, resolve))
    }
  }
  await store.end(chatId, run.runId, last)
}

/** Keeps the lease, and hears of those who stop the run elsewhere, also while nothing comes. */
function beat({ clock, heartbeatMs }: ChatRunOptions, write: () => Promise<void>): () => void {
  let cancel: (() => void) | undefined
  let isOver = false
  const wait = (): void => {
    cancel = clock.after(heartbeatMs, () => void writeAndWait())
  }
  const writeAndWait = async (): Promise<void> => {
    await write()
    if (!isOver) wait()
  }
  wait()
  return () => {
    isOver = true
    cancel?.()
  }
}

interface Recorder {
  /** The text of the event for the log. */
  readonly take: (event: LoopEvent) => string
  /** Data to store, if there is any that is new. */
  readonly takeData: () => string | undefined
  /** What the run ended with: its last chunk is what ends the stream. They are stored with the end, so that a reader may answer. */
  readonly last: () => {
    readonly chunks: readonly UiMessageChunk[]
    readonly transcript: Transcript | undefined
    readonly hasBegun: boolean
  }
}

function createRecorder({ planned, parts }: ChatRunOptions): Recorder {
  const { data, continues, transcript: start } = planned
  const encode = createUiEncoder({ ...parts, messageId: data.answerId, continues })
  const checkpoint = createCheckpoint(start)
  let chunks: readonly UiMessageChunk[] = []
  let transcript: Transcript | undefined
  let fresh: string | undefined
  let hasBegun = false
  /** What the open turn said was taken back. */
  let isTakenBack = false
  return {
    take(event) {
      const added = encode(event)
      const reached = checkpoint(event)
      if (reached !== undefined) fresh = JSON.stringify({ ...data, transcript: reached })
      if (event.type === 'step-retry') isTakenBack = true
      if (event.type === 'text-delta') isTakenBack = false
      if (event.type === 'run-end' || event.type === 'run-error') {
        chunks = added
        transcript = event.type === 'run-end' ? event.result.transcript : reachedBy(event.error, isTakenBack)
        return ''
      }
      hasBegun = true
      const more = event.type === 'run-start' ? [...added, ...decisionChunks(planned, parts)] : added
      return more.map(printChunk).join('')
    },
    takeData() {
      const taken = fresh
      fresh = undefined
      return taken
    },
    last: () => ({ chunks, transcript, hasBegun }),
  }
}

/** What a page shows of the turn that was broken off is kept. */
function reachedBy({ transcript, partialText }: LoopError, isTakenBack: boolean): Transcript | undefined {
  const isSaid = partialText !== undefined && !isTakenBack && transcript?.pendingCalls.length === 0
  if (!isSaid) return transcript
  const answer = { role: 'assistant', content: [{ type: 'text', text: partialText }] } as const
  return { ...transcript, messages: [...transcript.messages, answer] }
}

interface Ended {
  readonly rest: string
  readonly failure: unknown
}

function endOf(recorder: Recorder, { data, transcript: start }: PlannedRun, { rest, failure }: Ended): ChatWrite {
  const { chunks, transcript, hasBegun } = recorder.last()
  const failed = { type: 'error', errorText: 'The server failed. Please try again.' } as const
  const last = failure === undefined ? chunks.at(-1) : failed
  const earlier = rest + chunks.slice(0, -1).map(printChunk).join('')
  const entries = [earlier, ...(last === undefined ? [] : [printChunk(last)])].filter((entry) => entry !== '')
  const ended = chunks.find((chunk) => chunk.type === 'message-metadata')?.messageMetadata
  // A loop that does not begin has run nothing.
  const unchanged = hasBegun ? undefined : { ...data, transcript: start }
  const kept = transcript === undefined ? unchanged : endedData(data, transcript, ended)
  return { entries, ...(kept && { data: JSON.stringify(kept) }) }
}

/**
 * Keeps, from the events of a run, the conversation as far as it has come: after each step that is done. It is what is left when the server
 * dies; a run that ends has a transcript of its own.
 */
function createCheckpoint(start: Transcript): (event: LoopEvent) => Transcript | undefined {
  let reached = start
  /** Results of calls that waited when the run began. */
  let earlier: ToolResultPart[] = []
  let isInStep = false
  const grow = (messages: readonly Message[]): Transcript => (reached = withMessages(reached, messages))
  return (event) => {
    if (event.type === 'tool-result' && !isInStep) {
      const { toolCallId, toolName, output } = event
      earlier.push({ type: 'tool-result', toolCallId, toolName, output })
    }
    if (event.type === 'step-start') {
      isInStep = true
      const content = earlier
      earlier = []
      return content.length === 0 ? undefined : grow([{ role: 'tool', content }])
    }
    if (event.type !== 'step-end') return undefined
    const { message, toolResults, toolCalls } = event.step
    const answered = new Set(toolResults.map(({ toolCallId }) => toolCallId))
    // The run is about to end: its own transcript says what waits.
    if (toolCalls.some(({ owner, toolCallId }) => owner !== 'provider' && !answered.has(toolCallId))) return undefined
    return grow(toolResults.length === 0 ? [message] : [message, { role: 'tool', content: toolResults }])
  }
}
