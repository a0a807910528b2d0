import type { Frame, Framer, TurnProgress, WireFormat } from '../contract/wire-format.ts'
import { systemClock, type Clock } from '../contract/clock.ts'
import { AdapterError } from '../contract/errors.ts'
import { createNdjsonFramer, createSseFramer } from '../wire/framing.ts'
import type { Exchange } from './http-exchange.ts'
import { malformed } from '../wire/json.ts'
import { bodyEnd, type BoundedBody } from './response-body.ts'

/** How long a whole answer is read on for usage, or a mark of its end, that may still come: milliseconds without a further event. */
const trailingMs = 2000

/**
 * Reads a streamed response, a network chunk at a time. The turn ends with the end of the bytes, or before that where the decoder says so
 * (`TurnDecoder.progress`): a server may keep the connection open for as long as it likes. `settle` answers the question that waits.
 */
export function streamedTurn(
  turn: Exchange,
  body: BoundedBody,
  settle: (turn: Exchange) => unknown,
): NonNullable<Exchange['read']> {
  const { wire, request, context, origin } = turn.options
  const clock = context.clock ?? systemClock
  const framer = createFramer(wire)
  const decoder = wire.createDecoder(request)
  const patience = createPatience(body, clock)
  let frames = 0
  const onFrame = (frame: Frame): void => {
    frames++
    decoder.push(frame, turn.out)
  }
  /**
   * The bytes are over, cleanly or not. A tail that does not parse is no evidence of anything: whether the turn is whole is for the
   * decoder to say, from the terminal evidence that it saw.
   */
  const finish = (cause?: unknown): void => {
    turn.over = true
    try {
      framer.end(onFrame)
    } catch (error) {
      if (!isUnreadable(error)) throw error
    }
    if (frames === 0 && cause === undefined) throw malformed(origin, 'the stream is empty', '')
    try {
      decoder.end(turn.out)
    } catch (error) {
      throw withCause(error, cause)
    }
  }
  const onChunk = (chunk: Uint8Array): void => {
    framer.push(body.count(chunk), onFrame)
    const progress = decoder.progress?.()
    patience.look(progress, turn.out.length > 0)
    if (progress !== 'done') return
    body.release(clock)
    finish()
  }
  const onResult = (result: ReadableStreamReadResult<Uint8Array>, cause?: unknown): unknown => {
    try {
      // Not before: a body made by hand may give nothing at all.
      if (result.done) finish(cause)
      else onChunk(result.value)
    } catch (error) {
      turn.failure = { error }
    }
    return settle(turn)
  }
  const onError = (cause: unknown): unknown => onResult(bodyEnd, cause)
  return () => patience.read().then(onResult, onError)
}

/** Reads with all the time in the world until the answer is whole, and then with little. */
function createPatience(body: BoundedBody, clock: Clock) {
  /** Milliseconds that are left; `undefined` while the answer is not whole. */
  let left: number | undefined
  return {
    /** What goes on bringing events is not over, whatever it said: some servers name a finish reason in every chunk. */
    look(progress: TurnProgress | undefined, broughtEvents: boolean): void {
      if (progress !== 'answered') left = undefined
      else if (left === undefined || broughtEvents) left = trailingMs
    },
    /** Only waiting counts: a slow consumer takes nothing from the time that the server has. */
    read(): Promise<ReadableStreamReadResult<Uint8Array>> {
      if (left === undefined) return body.read()
      const begun = clock.now()
      const before = left
      return new Promise<ReadableStreamReadResult<Uint8Array>>((resolve, reject) => {
        const stop = clock.after(before, () => {
          body.cancel()
          resolve(bodyEnd)
        })
        const stopped = <Value>(settle: (value: Value) => void) => {
          return (value: Value): void => {
            stop()
            left = before - (clock.now() - begun)
            settle(value)
          }
        }
        body.read().then(stopped(resolve), stopped(reject))
      })
    },
  }
}

/** A tail that does not parse, or a last `data:` without anything behind it. */
function isUnreadable(error: unknown): boolean {
  return AdapterError.isInstance(error) && (error.code === 'malformed-response' || error.code === 'empty-response')
}

function withCause(error: unknown, cause: unknown): unknown {
  if (error instanceof Error && cause !== undefined) error.cause ??= cause
  return error
}

function createFramer(wire: WireFormat): Framer {
  if (wire.framing === 'sse') return createSseFramer()
  return wire.framing === 'ndjson' ? createNdjsonFramer() : wire.framing()
}
