import type { LoopEvent } from '../../src/contract/loop-events.ts'
import type { RunInput, RunOptions } from '../../src/options/loop-options.ts'
import type { LoopStream } from '../../src/loop/loop-stream.ts'
import type { RunResult } from '../../src/contract/run-result.ts'
import type { StepLoop } from '../../src/loop/step-loop.ts'
import type { World } from './world.ts'
import type { Step } from '../../src/contract/step.ts'

/** A run as its consumer sees it. */
export interface Consumption {
  readonly result: Promise<RunResult | undefined>
  /** Settles when the consumer has seen the last of it. */
  readonly over: Promise<unknown>
  readonly events: LoopEvent[]
  readonly steps: Step[]
  readonly texts: string[]
  /** The consumer left early. */
  left: boolean
}

export function consume(world: World, loop: StepLoop, input: RunInput, options: RunOptions): Consumption {
  const { consumer } = world.draw
  const seen: Seen = { events: [], steps: [], texts: [], left: false }
  const track = (result: Promise<RunResult | undefined>, over: Promise<unknown>): Consumption => {
    over.catch(() => undefined)
    return Object.assign(seen, { result, over })
  }
  if (consumer.type === 'generate') {
    const result = loop.generate(input, options)
    return track(result, result)
  }
  if (consumer.type === 'steps' || consumer.type === 'leave-steps') {
    const result = readSteps(world, loop.steps(input, options), seen)
    return track(result, result)
  }
  const stream = loop.stream(input, options)
  if (consumer.type === 'result') return track(stream.result, stream.result)
  const over = readStream(world, stream, seen)
  return track(stream.result, over)
}

type Seen = Pick<Consumption, 'events' | 'steps' | 'texts' | 'left'>

async function readStream(world: World, stream: LoopStream, seen: Seen): Promise<void> {
  const { consumer } = world.draw
  if (consumer.type === 'text') {
    for await (const text of stream.textStream) seen.texts.push(text)
    return
  }
  if (consumer.type === 'readable') {
    const reader = stream.toReadableStream().getReader()
    for (;;) {
      const next = await reader.read()
      if (next.done) return
      saw(world, seen, next.value)
    }
  }
  const iterator = stream[Symbol.asyncIterator]()
  for (;;) {
    if (consumer.type === 'leave' && seen.events.length >= consumer.after) {
      await leave(world, seen, iterator, consumer.pending)
      return
    }
    const next = await iterator.next()
    if (next.done) return
    saw(world, seen, next.value)
    if (consumer.type === 'slow') await world.gate()
  }
}

function saw(world: World, seen: Seen, event: LoopEvent): void {
  seen.events.push(event)
  world.note('consumer')
}

/** Goes away, while the next event is being waited for if `pending`. */
async function leave(world: World, seen: Seen, iterator: AsyncIterator<unknown>, pending: boolean): Promise<void> {
  const last = pending ? iterator.next() : undefined
  if (pending) await world.gate()
  seen.left = true
  world.strike('consumer')
  await iterator.return?.()
  await last
}

async function readSteps(
  world: World,
  steps: AsyncGenerator<Step, RunResult, unknown>,
  seen: Seen,
): Promise<RunResult | undefined> {
  const { consumer } = world.draw
  for (;;) {
    if (consumer.type === 'leave-steps' && seen.steps.length >= consumer.after) {
      await leaveSteps(world, seen, steps, consumer.pending)
      return undefined
    }
    const next = await steps.next()
    if (next.done) return next.value
    seen.steps.push(next.value)
    world.note('consumer')
  }
}

async function leaveSteps(
  world: World,
  seen: Seen,
  steps: AsyncGenerator<Step, RunResult, unknown>,
  pending: boolean,
): Promise<void> {
  const last = pending ? steps.next() : undefined
  last?.catch(() => undefined)
  if (pending) await world.gate()
  seen.left = true
  world.strike('consumer')
  await steps.return(noResult())
  await last?.catch(() => undefined)
}

/** `return()` of a generator wants a value of its type; the loop's ignores it. */
function noResult(): never {
  return undefined as never
}
