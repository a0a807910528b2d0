import type { Adapter } from '../../src/contract/adapter.ts'
import type { Message } from '../../src/contract/messages.ts'
import type { RunInput } from '../../src/options/loop-options.ts'
import { StepLoop } from '../../src/loop/step-loop.ts'
import type { Transcript } from '../../src/contract/transcript.ts'
import { capabilitiesOf } from './actors.ts'
import { consume, type Consumption } from './consume.ts'
import type { LoopDraw } from './draw.ts'
import { runOptions, setUpLoop, type LoopSetup } from './loop-setup.ts'
import { nextInput } from './next-input.ts'
import {
  jsonCopy,
  transcriptOf,
  type Continuation,
  type Observation,
  type Outcome,
  type RunRecord,
} from './observation.ts'
import { createWorld, type World } from './world.ts'

export interface Surroundings {
  /** Resolves when everything that can go on without time has done so. */
  readonly idle: () => Promise<void>
  /** Unhandled rejections since the last call. */
  readonly takeUnhandled: () => readonly unknown[]
}

export async function playDraw(draw: LoopDraw, surroundings: Surroundings): Promise<Observation> {
  const world = createWorld(draw)
  const setup = setUpLoop(world)
  const loop = new StepLoop(setup.options)
  const runs: RunRecord[] = []
  let continuation: Continuation | undefined = { kind: 'fresh', input: 'What now?', start: [], answers: {} }
  for (let run = 0; continuation !== undefined; run++) {
    const record: RunRecord = await playRun({ world, setup, loop, run, continuation }, surroundings)
    runs.push(record)
    continuation = nextInput(draw.next[run], record)
  }
  await surroundings.idle()
  const { attempts, executions } = world
  return { draw, runs, attempts, executions, log: setup.log, unhandled: surroundings.takeUnhandled() }
}

interface LoopRun {
  readonly world: World
  readonly setup: LoopSetup
  readonly loop: StepLoop
  readonly run: number
  readonly continuation: Continuation
}

async function playRun(played: LoopRun, { idle }: Surroundings): Promise<RunRecord> {
  const { world, loop, run, continuation } = played
  const controller = new AbortController()
  world.begin(run, () => controller.abort(new Error('enough')))
  const startTime = world.clock.now()
  const seen = consume(world, loop, continuation.input, runOptions(controller.signal))
  let outcome: Outcome | undefined
  let endTime = 0
  const settle = (what: Outcome): void => {
    outcome = what
    endTime = world.clock.now()
  }
  const left: Outcome = { type: 'left' }
  seen.result.then(
    (result) => settle(result === undefined ? left : { type: 'result', result }),
    (error: unknown) => settle({ type: 'error', error }),
  )
  const driven = await drive(world, idle, () => outcome !== undefined)
  const openTimers = world.openTimers
  const hung = outcome === undefined || !(await drained(world, idle, seen))
  const abort = world.aborted
  world.abort = undefined
  const final = outcome ?? left
  const comparisons = hung ? [] : await comparisonsOf(played, final)
  const common = { run, continuation, seen, outcome: final, abort, startTime, endTime, openTimers, comparisons, hung }
  return { ...common, ...driven }
}

/** Lets the world go on, one thing at a time, until the run has settled. */
async function drive(
  world: World,
  idle: () => Promise<void>,
  settled: () => boolean,
): Promise<Pick<RunRecord, 'settledAtOnce' | 'stuck'>> {
  let settledAtOnce = true
  let stuck = false
  for (let moves = 0; moves < 400; moves++) {
    await idle()
    if (settled()) return { settledAtOnce, stuck }
    if (world.aborted !== undefined) settledAtOnce = false
    if (world.release()) continue
    if (stuck) break
    stuck = true
    world.strike('waiting')
  }
  return { settledAtOnce: false, stuck }
}

/** The consumer reads what is left to read. */
async function drained(world: World, idle: () => Promise<void>, { over }: Consumption): Promise<boolean> {
  let done = false
  const end = (): void => {
    done = true
  }
  over.then(end, end)
  for (let moves = 0; moves < 2000 && !done; moves++) {
    await idle()
    if (!done && !world.release()) break
  }
  return done
}

async function comparisonsOf(played: LoopRun, outcome: Outcome): Promise<RunRecord['comparisons']> {
  const { setup, run, world } = played
  const transcript = transcriptOf(outcome)
  const comparisons: { what: string; left: string; right: string }[] = []
  if (transcript !== undefined) {
    const left = await firstRequest(played, transcript)
    const right = await firstRequest(played, jsonCopy(transcript))
    comparisons.push({ what: 'the transcript and its JSON', left, right })
  }
  for (const { run: of, attempts, snapshot } of setup.log.snapshots) {
    const next = world.attempts[attempts]
    const edited = setup.log.editedSteps.some((one) => one.run === run)
    if (of !== run || next?.run !== run || edited || next.provider !== 'main') continue
    if (world.draw.options.structured !== undefined || hasFailureNote(next.request.messages)) continue
    const { messages, continuation, turn, tools, settings } = next.request
    const left = JSON.stringify({ messages, continuation, turn, tools, settings })
    comparisons.push({
      what: `the snapshot before request ${attempts}`,
      left,
      right: await firstRequest(played, snapshot),
    })
    break
  }
  return comparisons
}

/** The loop told the model that its call was unreadable, after the snapshot. */
function hasFailureNote(messages: readonly Message[]): boolean {
  return messages.at(-1)?.role === 'user' && messages.length > 1
}

/** The request that a transcript leads to when all that is pending is answered, as JSON. */
async function firstRequest({ setup, world }: LoopRun, transcript: Transcript): Promise<string> {
  let seen = ''
  const model: Adapter = {
    provider: 'main',
    model: 'main-1',
    capabilities: capabilitiesOf(world.draw),
    async *turn({ messages, continuation, turn, tools, settings }) {
      seen = JSON.stringify({ messages, continuation, turn, tools, settings })
      yield [{ type: 'turn-start' }, { type: 'turn-end', finishReason: 'content-filter' }]
    },
  }
  const answers = transcript.pendingCalls.map((call) => [call.toolCallId, { output: 'answered' }] as const)
  const input: RunInput = { transcript, toolOutputs: Object.fromEntries(answers) }
  const plain = new StepLoop({ ...setup.plain(model), maxTokens: undefined, maxCost: undefined })
  const outcome = await plain.generate(input).catch((error: unknown) => String(error))
  return typeof outcome === 'string' ? outcome : seen
}
