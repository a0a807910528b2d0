import { createChannel } from './channel.ts'
import type { Run } from './engine.ts'
import { LoopError } from './errors.ts'
import type { LoopEvent } from './loop-events.ts'
import type { RunResult } from './run-result.ts'
import type { RunObserver } from './run-state.ts'

/**
 * A streamed run. It starts at the first pull or the first read of `result`, and pauses when nobody asks for the next event. It can be
 * read once, in one of its forms. Leaving the iteration early aborts the run.
 */
export interface LoopStream<Output = unknown> extends AsyncIterable<LoopEvent> {
  /** Rejects with `LoopError`; a rejection that nobody looks at is no unhandled one. Drains the run when nobody iterates. */
  readonly result: Promise<RunResult<Output>>
  /** The text deltas only; throws the `LoopError` of a run that fails. */
  readonly textStream: AsyncIterable<string>
  /** The events as a web stream, with the same pace. */
  toReadableStream(): ReadableStream<LoopEvent>
}

export function createLoopStream(start: (observer: RunObserver) => Run): LoopStream {
  const channel = createChannel<readonly LoopEvent[]>()
  const never = Promise.resolve()
  let run: Run | undefined
  let taken = false
  const begin = (): Run => {
    if (run !== undefined) return run
    const observer: RunObserver = {
      events: (batch) => (taken ? channel.deliver(batch) : never),
      release: () => channel.release(),
    }
    const begun = (run = start(observer))
    begun.result.then(
      (result) => channel.close([{ type: 'run-end', result }]),
      (error: unknown) => channel.close([{ type: 'run-error', error: error as LoopError }]),
    )
    return begun
  }
  const read = (): EventIterator => {
    if (taken) {
      throw new LoopError('invalid-input', 'This stream is being read already. Call `stream()` again for another run.')
    }
    taken = true
    return iterateEvents(
      () => {
        begin()
        return channel.pull()
      },
      () => {
        run?.abandon()
        channel.close()
      },
    )
  }
  let result: Promise<RunResult> | undefined
  return {
    [Symbol.asyncIterator]: read,
    get result() {
      // A tick later, so that an iteration that begins right after this read sees every event.
      result ??= Promise.resolve().then(() => begin().result)
      result.catch(() => undefined)
      return result
    },
    get textStream() {
      return { [Symbol.asyncIterator]: () => textOf(read()) }
    },
    toReadableStream: () => readable(read()),
  }
}

interface EventIterator extends AsyncIterator<LoopEvent, undefined> {
  return(): Promise<IteratorResult<LoopEvent, undefined>>
}

const over: IteratorResult<LoopEvent, undefined> = { done: true, value: undefined }

/** By hand, not as a generator: within a batch every event costs one resolved promise. */
function iterateEvents(pull: () => Promise<readonly LoopEvent[] | undefined>, leave: () => void): EventIterator {
  let batch: readonly LoopEvent[] = []
  let index = 0
  let done = false
  const next = async (): Promise<IteratorResult<LoopEvent, undefined>> => {
    while (!done && index >= batch.length) {
      const pulled = await pull()
      if (pulled === undefined) done = true
      else batch = pulled
      index = 0
    }
    const value = done ? undefined : batch[index++]
    return value === undefined ? over : { done: false, value }
  }
  return {
    next() {
      const value = index < batch.length ? batch[index] : undefined
      if (value === undefined || done) return next()
      index++
      return Promise.resolve({ done: false, value })
    },
    return() {
      if (!done) leave()
      done = true
      return Promise.resolve(over)
    },
  }
}

async function* textOf(events: EventIterator): AsyncGenerator<string, undefined> {
  try {
    for (;;) {
      const next = await events.next()
      if (next.done) return undefined
      if (next.value.type === 'text-delta') yield next.value.text
      if (next.value.type === 'run-error') throw next.value.error
    }
  } finally {
    await events.return()
  }
}

function readable(events: EventIterator): ReadableStream<LoopEvent> {
  return new ReadableStream<LoopEvent>(
    {
      async pull(controller) {
        const next = await events.next()
        if (next.done) controller.close()
        else controller.enqueue(next.value)
      },
      async cancel() {
        await events.return()
      },
    },
    { highWaterMark: 0 },
  )
}
