import { createChannel, type Channel } from './channel.ts'
import { leavable } from './leavable.ts'
import type { Run } from '../run/engine.ts'
import { LoopError } from '../contract/errors.ts'
import type { LoopEvent } from '../contract/loop-events.ts'
import type { ToolCallPart, ToolResultPart } from '../contract/messages.ts'
import type { RunResult } from '../contract/run-result.ts'
import type { RunObserver } from '../run/state/run-state.ts'

/**
 * A streamed run. It starts at the first pull or the first read of `result`, and pauses when the next event is not asked for. It can be
 * read once, in one of its forms. Leaving the iteration early aborts the run.
 */
export interface LoopStream<
  Output = unknown,
  Call = ToolCallPart,
  Result = ToolResultPart,
> extends AsyncIterable<LoopEvent> {
  /** Rejects with `LoopError`; a rejection that is not looked at is no unhandled one. Drains the run when it is not iterated. */
  readonly result: Promise<RunResult<Output, Call, Result>>
  /** The text deltas only; throws the `LoopError` of a run that fails. */
  readonly textStream: AsyncIterable<string>
  /** The events as a web stream, with the same pace. */
  toReadableStream(): ReadableStream<LoopEvent>
}

export function createLoopStream(start: (observer: RunObserver) => Run): LoopStream {
  let run: Run | undefined
  let taken = false
  let left = false
  const reading: Reading = { isAborted: false }
  let awaited: Promise<RunResult> | undefined
  const begin = (): Run => {
    if (run !== undefined) return run
    const observer: RunObserver = {
      events(batch, proceed) {
        if (taken) channel.deliver(batch, proceed)
        else proceed()
      },
      collect: () => channel.collect(),
      release({ code }) {
        reading.isAborted = code === 'aborted'
        channel.release()
      },
    }
    const begun = (run = start(observer))
    if (left) begun.abandon()
    if (awaited !== undefined) begun.pin()
    begun.result.then(
      (result) => channel.close([{ type: 'run-end', result }]),
      (error: unknown) => channel.close([{ type: 'run-error', error: error as LoopError }]),
    )
    return begun
  }
  const { channel, events } = iterateEvents(reading, begin, () => {
    left = true
    run?.abandon()
  })
  const read = (): EventIterator => {
    if (taken) {
      throw new LoopError('invalid-input', 'This stream is read already. Call `stream()` again.')
    }
    taken = true
    return events
  }
  const result = (): Promise<RunResult> => {
    // A tick later, so that an iteration that begins right after this read sees every event.
    awaited ??= Promise.resolve().then(() => begin().result)
    awaited.catch(() => undefined)
    run?.pin()
    return awaited
  }
  const stream = {
    [Symbol.asyncIterator]: read,
    textStream: { [Symbol.asyncIterator]: () => leavable(textsOf(read()), () => events.return()) },
    toReadableStream: () => readable(read()),
  }
  return Object.defineProperties(stream, { [ask]: { value: result }, result: asked }) as unknown as LoopStream
}

const ask = Symbol()

/**
 * One getter for all streams. One of its own is a hidden class of its own, which lives in the old generation, and with it all that the
 * getter sees, the result with its texts, until a full collection.
 */
const asked: PropertyDescriptor = {
  get(this: { readonly [ask]: () => Promise<RunResult> }) {
    return this[ask]()
  },
  enumerable: true,
  configurable: true,
}

interface EventIterator extends AsyncIterator<LoopEvent, undefined> {
  return(): Promise<IteratorResult<LoopEvent, undefined>>
}

/** The consumer's side of a stream, and the channel that it reads. */
interface EventReader {
  readonly channel: Channel<readonly LoopEvent[], EventResult>
  readonly events: EventIterator
}

const over: IteratorResult<LoopEvent, undefined> = { done: true, value: undefined }

interface Reading {
  /** By the caller: what the model still says is not passed on. A run that is out of time has a result, with the text of these deltas. */
  isAborted: boolean
}

/** By hand, not as a generator: every event costs one promise, also the first of a batch. */
function iterateEvents(reading: Reading, begin: () => void, leave: () => void): EventReader {
  let batch: readonly LoopEvent[] = []
  let index = 0
  let done = false
  /** How many of the consumer's questions wait for the engine, and the last of them. */
  let asking = 0
  let last = nothingAsked
  const channel = createChannel<readonly LoopEvent[], EventResult>((pulled) => {
    asking--
    if (pulled === undefined) done = true
    else batch = pulled
    index = 0
    return step()
  })
  const step = (): EventResult | Promise<EventResult> => {
    let value = done ? undefined : batch[index++]
    if (reading.isAborted) while (value !== undefined && isDelta(value)) value = batch[index++]
    if (value !== undefined) return { done: false, value }
    if (done) return over
    asking++
    begin()
    return channel.pull()
  }
  const events: EventIterator = {
    next() {
      // A consumer may ask for several events at once; each waits for those before it.
      if (asking === 0) return (last = Promise.resolve(step()))
      asking++
      return (last = last.then(() => {
        asking--
        return step()
      }))
    },
    return() {
      if (!done) {
        leave()
        channel.close()
      }
      done = true
      return Promise.resolve(over)
    },
  }
  return { channel, events }
}

function isDelta({ type }: LoopEvent): boolean {
  return type === 'text-delta' || type === 'reasoning-delta' || type === 'tool-call-delta'
}

type EventResult = IteratorResult<LoopEvent, undefined>

const nothingAsked: Promise<EventResult> = Promise.resolve(over)

async function* textsOf(events: EventIterator): AsyncGenerator<string, undefined> {
  let delivered = false
  for (;;) {
    const next = await events.next()
    if (next.done) return undefined
    const event = next.value
    if (event.type === 'step-start') delivered = false
    if (event.type === 'run-error') throw event.error
    if (event.type === 'step-retry' && delivered) {
      void events.return()
      throw tooLate(event)
    }
    if (event.type !== 'text-delta') continue
    delivered = true
    yield event.text
  }
}

function tooLate({ step, error }: Extract<LoopEvent, { type: 'step-retry' }>): LoopError {
  const message = `Step ${step} failed after a part of its text was delivered: ${error.message} Read the events of the stream: \`step-retry\` takes text back.`
  return new LoopError('turn-failed', message, { step, cause: error })
}

function readable(events: EventIterator): ReadableStream<LoopEvent> {
  return new ReadableStream<LoopEvent>(
    {
      async pull(controller) {
        const next = await events.next()
        if (next.done) controller.close()
        else controller.enqueue(next.value)
      },
      cancel() {
        void events.return()
      },
    },
    { highWaterMark: 0 },
  )
}
