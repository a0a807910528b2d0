import { providerTool, StepLoop } from '@steploop/core'
import type { Adapter, LoopEvent, Mode, ProviderTool, RunInput, RunOptions, RunResult } from '@steploop/core'
import type { Evidence, Execution, RunRecord, SentRequest, TurnRecord } from '../evidence.ts'
import type { Loop } from '../loop.ts'
import { stored, type Scenario, type ScenarioContext, type ScenarioRunOptions } from '../scenario.ts'
import { localTools } from '../scenario-parts/local-tools.ts'
import type { HoldOptions } from '../scenario-tools.ts'
import { instantClock, stagedClock } from './staged-clock.ts'
import type { Subject } from '../subject.ts'
import { described } from '../described.ts'
import type { RequestView } from '../request-view.ts'
import { wireKit } from '../wires/index.ts'
import { NotSettled, settleWithin } from '../deadline.ts'
import { observeAdapter } from './observe-adapter.ts'
import { observeFetch } from './observe-fetch.ts'
import { silentRequest, type OpenScript } from './turn-script.ts'

/** Stands wherever a key can stand; a check looks for it everywhere else. */
export const canary = 'steploop-canary-0d9f6c1b7e'

export interface PlayOptions {
  readonly subject: Subject
  readonly scenario: Scenario
  readonly mode: Mode
  readonly fetch: typeof globalThis.fetch
  /** Where requests go instead of the public base URL. */
  readonly baseURL?: string | undefined
  /** Default: the canary. */
  readonly apiKey?: string | undefined
  /** Milliseconds after which a run counts as one that never settles. */
  readonly deadline: number
  /** Wins over what the scenario gives to its runs. */
  readonly override?: ScenarioRunOptions | undefined
  /** Stops each run after so many steps, takes its transcript through JSON, and goes on from there. */
  readonly interruptAfter?: number | undefined
  /** What answers a subject with a `turnScript`; `fetch` is not used then. */
  readonly script?: OpenScript | undefined
  /** Wins over the order in which the scenario lets its first calls finish. */
  readonly hold?: HoldOptions | undefined
  /** Pauses between attempts are over at once, and recorded, where the scenario brings no clock of its own. */
  readonly instantPauses?: boolean | undefined
  /** The consumer of the events leaves in the middle. */
  readonly leave?: LeaveOptions | undefined
}

export interface LeaveOptions {
  /** After so many events, counted over all runs. */
  readonly after: number
  /** `signal`: aborts; `break`: leaves the iteration. */
  readonly how: 'signal' | 'break'
  /** Told what the run has done by then. */
  readonly onLeave: (left: LeftRun) => void
}

export interface LeftRun {
  /** Index of the run. */
  readonly run: number
  readonly requests: number
  readonly executions: number
}

/** A run under way; what is observed goes into the latest. */
interface OpenRun {
  readonly events: LoopEvent[]
  readonly turns: TurnRecord[]
  readonly requests: SentRequest[]
  readonly executions: Execution[]
  readonly waits: number[]
}

interface Stage extends PlayOptions {
  readonly runs: RunRecord[]
  readonly providerOptions: Record<string, Readonly<Record<string, unknown>>>
  current: OpenRun
  /** Events delivered so far. */
  delivered: number
  /** Why `Subject.readRequest` could not read a body. */
  unreadable?: Error
  /** Called when the play is over. */
  readonly cleanUp: (() => void)[]
}

/** Plays a scenario once and gives what it left behind. Never rejects: what goes wrong is part of the evidence. */
export async function playScenario(options: PlayOptions): Promise<Omit<Evidence, 'replayProblems'>> {
  const { subject, scenario, mode } = options
  const stage: Stage = { ...options, runs: [], providerOptions: {}, current: freshRun(), delivered: 0, cleanUp: [] }
  let stopped: unknown
  let facts = { provider: subject.name, model: subject.model }
  try {
    const adapter = openAdapter(stage)
    facts = { provider: adapter.provider, model: adapter.model }
    await settleWithin(options.deadline * 2, 'the scenario', scenario.run(contextOf(stage, adapter)))
  } catch (error) {
    stopped = error ?? new Error('the scenario threw nothing that can be named')
  } finally {
    for (const undo of stage.cleanUp) undo()
  }
  return {
    subject: { name: subject.name, wire: subject.wire, toolNames: subject.toolNames, ...facts },
    scenario: scenario.id,
    mode,
    runs: stage.runs,
    providerOptions: stage.providerOptions,
    canary,
    stopped: stopped ?? stage.unreadable,
  }
}

function freshRun(): OpenRun {
  return { events: [], turns: [], requests: [], executions: [], waits: [] }
}

/** Puts the key where the adapter has to look for it, until the scenario is over. */
function keyInVariable({ subject: { apiKeyVariable }, apiKey = canary, cleanUp }: Stage): void {
  if (apiKeyVariable === undefined) return
  const before = process.env[apiKeyVariable]
  process.env[apiKeyVariable] = apiKey
  cleanUp.push(() => {
    if (before === undefined) Reflect.deleteProperty(process.env, apiKeyVariable)
    else process.env[apiKeyVariable] = before
  })
}

function openAdapter(stage: Stage, isKeyless = false): Adapter {
  const { subject, baseURL, script } = stage
  if (script !== undefined && subject.turnScript !== undefined) {
    const adapter = subject.turnScript({
      ...script,
      next() {
        stage.current.requests.push(silentRequest)
        return script.next()
      },
    })
    return observeAdapter(adapter, (turn) => stage.current.turns.push(turn))
  }
  const fetch = observeFetch({
    fetch: stage.fetch,
    read: readerOf(stage),
    publicUrl: (url) =>
      baseURL !== undefined && url.startsWith(baseURL) ? subject.baseURL + url.slice(baseURL.length) : url,
    onRequest(request) {
      stage.current.requests.push(request)
      // A reader of the subject's own is read at once, so that the play can say that it fails.
      if (subject.readRequest !== undefined) void request.view
    },
  })
  const key = isKeyless ? {} : { apiKey: stage.apiKey ?? canary }
  const adapter = subject.adapter({ fetch, ...key, ...(baseURL !== undefined && { baseURL }) })
  return observeAdapter(adapter, (turn) => stage.current.turns.push(turn))
}

/** Nothing that the subject's own reader throws goes to the adapter, which could not help it. */
function readerOf(stage: Stage): ((body: unknown) => RequestView | undefined) | undefined {
  const { readRequest, wire } = stage.subject
  if (readRequest === undefined) return wireKit(wire)?.readRequest
  return (body) => {
    try {
      return readRequest(body)
    } catch (error) {
      stage.unreadable ??= new Error(`\`readRequest\` of the subject fails: ${described(error)}`, { cause: error })
      return undefined
    }
  }
}

function contextOf(stage: Stage, adapter: Adapter): ScenarioContext {
  return {
    mode: stage.mode,
    provider: adapter.provider,
    sampleOptions: stage.subject.sampleOptions ?? wireKit(stage.subject.wire)?.samples?.options ?? {},
    get providerTools() {
      return providerToolsOf(stage.subject, adapter.provider)
    },
    cacheOptions: stage.subject.cacheOptions ?? wireKit(stage.subject.wire)?.samples?.cacheOptions ?? {},
    storeOptions: stage.subject.storeOptions ?? { store: true },
    tools: (hold) => localTools((execution) => stage.current.executions.push(execution), stage.hold ?? hold),
    clock: () => stagedClock((ms) => stage.current.waits.push(ms)),
    another: () => openAdapter(stage),
    keyless() {
      keyInVariable(stage)
      return openAdapter(stage, true)
    },
    run: (input, options) => recordRun(stage, adapter, input, options),
  }
}

function providerToolsOf(
  { wire, providerTools = wireKit(wire)?.samples?.providerTools }: Subject,
  provider: string,
): Readonly<Record<string, ProviderTool>> {
  const declared = Object.entries(providerTools ?? {})
  if (declared.length === 0 && wireKit(wire)?.readRequest === undefined) {
    throw new Error(
      `Nobody knows the tools that a provider of '${wire}' runs itself: give \`providerTools\` in the subject.`,
    )
  }
  return Object.fromEntries(declared.map(([name, definition]) => [name, providerTool({ provider, name, definition })]))
}

async function recordRun(
  stage: Stage,
  adapter: Adapter,
  input: RunInput,
  options: ScenarioRunOptions | undefined,
): Promise<RunRecord> {
  const run = freshRun()
  stage.current = run
  const number = stage.runs.length + 1
  const clock = stage.instantPauses === true ? { clock: instantClock((ms) => run.waits.push(ms)) } : {}
  const all: ScenarioRunOptions = { ...clock, ...options, ...stage.override }
  Object.assign(stage.providerOptions, all.providerOptions)
  let outcome: { readonly result: RunResult | undefined; readonly error: unknown }
  try {
    const result = await drive(stage, adapter, { input, options: all, number })
    outcome = { result, error: undefined }
  } catch (error) {
    outcome = { result: undefined, error: error ?? new Error('the run rejected with nothing') }
  }
  const record: RunRecord = { number, input, ...run, ...outcome }
  stage.runs.push(record)
  // After a run that hangs, another one would hang as well.
  if (outcome.error instanceof NotSettled) throw outcome.error
  if (stage.leave !== undefined && stage.delivered >= stage.leave.after) throw new Error('the caller has left 🚪')
  return record
}

interface RunJob {
  readonly input: RunInput
  readonly options: ScenarioRunOptions
  readonly number: number
}

async function drive(stage: Stage, adapter: Adapter, { input, options, number }: RunJob): Promise<RunResult> {
  const abort = new AbortController()
  // Fixed, so that two plays of one cassette are equal in everything.
  const fixed = { random: () => 0.5, generateId: () => `run-${number}` }
  const { abortSignal, onEvent, ...settings } = options
  const { loop: makeLoop = (given) => new StepLoop(given) } = stage.subject
  const loop = makeLoop({ ...fixed, ...settings, model: adapter })
  const signal = abortSignal === undefined ? abort.signal : AbortSignal.any([abort.signal, abortSignal])
  const work = interrupted(
    stage,
    (from, more) => runLoop(stage, loop, from, { run: { ...more, abortSignal: signal }, onEvent, abort }),
    input,
  )
  // It may reject long after it was awaited.
  work.catch(() => undefined)
  try {
    return await settleWithin(stage.deadline, `run ${number}`, work)
  } catch (error) {
    if (error instanceof NotSettled) abort.abort(error)
    throw error
  }
}

type RunPart = (input: RunInput, options: RunOptions) => Promise<RunResult>

/** The whole run, or its two halves with the transcript as JSON between them. */
async function interrupted({ interruptAfter }: Stage, run: RunPart, input: RunInput): Promise<RunResult> {
  if (interruptAfter === undefined) return run(input, {})
  const first = await run(input, { stopWhen: (steps) => steps.length >= interruptAfter })
  return first.stopReason === 'stop-when' ? run(stored(first.transcript), {}) : first
}

type RunWay = { readonly run: RunOptions; readonly abort: AbortController } & Pick<ScenarioRunOptions, 'onEvent'>

function runLoop(stage: Stage, loop: Loop, input: RunInput, way: RunWay): Promise<RunResult> {
  return stage.mode === 'generate' ? loop.generate(input, way.run) : streamed(stage, loop, input, way)
}

async function streamed(
  stage: Stage,
  loop: Loop,
  input: RunInput,
  { run, onEvent, abort }: RunWay,
): Promise<RunResult> {
  const { events } = stage.current
  const stream = loop.stream(input, run)
  for await (const event of stream) {
    events.push(event)
    onEvent?.(event)
    if (++stage.delivered !== stage.leave?.after) continue
    const { requests, executions } = stage.current
    stage.leave.onLeave({ run: stage.runs.length, requests: requests.length, executions: executions.length })
    if (stage.leave.how === 'break') break
    abort.abort(new Error('the caller has left 🚪'))
  }
  return stream.result
}
