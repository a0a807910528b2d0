import { LoopError, StepLoop, type LoopEvent, type RunOptions, type RunResult, type StepContext } from '@steploop/core'
import type { OpenStore, ResponseStatus } from '@steploop/store'
import { ApiError } from './api-error.ts'
import type { JsonObject } from './json.ts'
import type { EventData } from './output-items.ts'
import type { RunPlan } from './prepare-run.ts'
import { createRecorder, type RunEnd, type RunRecorder } from './record-run.ts'
import { responseObject, shownItem, type ResponseState } from './response-object.ts'
import { runApiError } from './run-error.ts'
import type { Sealer } from './seal.ts'
import type { Limits } from './server-options.ts'
import { createOutputWriter, type OutputWriter } from './write-output.ts'

export interface RunContext {
  readonly store: OpenStore
  readonly sealer: Sealer
  readonly limits: Limits
  /** Who has the lease of stored responses. */
  readonly owner: string
  readonly signal: AbortSignal
  readonly now: () => number
  readonly onError: (error: unknown) => void
  /** The end could not be stored. */
  readonly abandon: (tenant: string, id: string) => void
}

/** A run with all that belongs to it. */
interface Run {
  readonly plan: RunPlan
  readonly context: RunContext
  readonly recorder: RunRecorder
  readonly writer: OutputWriter
  readonly events: EventData[]
  readonly include: readonly string[]
  /** The client was told of the response. */
  started: boolean
  written: number
}

export type ResponseEvents = AsyncGenerator<EventData, JsonObject, undefined>

/** The response before anything has come of it. */
export function beginningOf(plan: RunPlan, status: ResponseStatus): JsonObject {
  return responseObject(plan, { status, output: [] })
}

/**
 * Carries a response out that was accepted. Yields the events of the API; the last one comes after all is stored. Returns the response.
 * Throws `ApiError` where the model fails before a client was told anything; of a run that nobody waits for that is no error but an event.
 * Leaving it early cancels the run.
 */
export async function* runResponse(plan: RunPlan, context: RunContext): ResponseEvents {
  const run = startRun(plan, context)
  const { writer, events } = run
  const options: RunOptions = { ...plan.options, ...hooksOf(run), abortSignal: context.signal }
  const stream = new StepLoop({ model: plan.model, ...options }).stream(plan.input)
  let left = true
  let failure: unknown
  let result: RunResult | undefined
  try {
    if (run.started) yield* beginning(run)
    for await (const event of stream) {
      if (event.type === 'run-error') failure = event.error
      if (event.type === 'run-end') result = event.result
      guard(run, event)
      await writer.event(event)
      if (events.length === 0) continue
      if (!run.started) yield* beginning(run)
      run.started = true
      yield* events.splice(0)
    }
    left = false
  } catch (error) {
    failure = error
    left = false
  } finally {
    await plan.close()
    if (left) await endRun(run, { result: undefined, failure: await failureOf(stream) })
  }
  const isKnown = failure === undefined || LoopError.isInstance(failure)
  const cause = isKnown ? failure : new ApiCause(failure, await failureOf(stream))
  const end = await endRun(run, { result, failure: cause })
  if (!run.started) yield* beginning(run)
  yield* events.splice(0)
  yield { type: terminalType(end['status']), response: end }
  return end
}

/** A run that was ended from outside of the loop, for this cause. */
class ApiCause {
  readonly cause: unknown
  readonly error: unknown

  constructor(cause: unknown, error: unknown) {
    this.cause = cause
    this.error = error
  }
}

function startRun(plan: RunPlan, context: RunContext): Run {
  const events: EventData[] = []
  const include = plan.request.include ?? []
  const emit = (event: EventData): void => void events.push(shownEvent(event, include))
  const carriesState = include.includes('reasoning.encrypted_content')
  const seal = carriesState
    ? (turn: Parameters<Sealer['seal']>[1]) => context.sealer.seal(plan.tenant, turn)
    : undefined
  const { views, gateway } = plan
  const writer = createOutputWriter({ emit, views, gateway, seal, earlier: plan.resumed?.output })
  const recorder = createRecorder(plan, context.store, context.owner)
  return { plan, context, recorder, writer, events, include, started: plan.request.background === true, written: 0 }
}

function shownEvent(event: EventData, include: readonly string[]): EventData {
  const item = event['item']
  return item === undefined ? event : { ...event, item: shownItem(item as JsonObject, include) }
}

function* beginning({ plan }: Run): Generator<EventData> {
  if (plan.resumed !== undefined && plan.resumed.sequence > 0) return
  const isBackground = plan.request.background === true
  yield { type: 'response.created', response: beginningOf(plan, isBackground ? 'queued' : 'in_progress') }
  if (isBackground) yield { type: 'response.queued', response: beginningOf(plan, 'queued') }
  yield { type: 'response.in_progress', response: beginningOf(plan, 'in_progress') }
}

/** Before calls run, and after they ran: a server that dies knows what there was. */
function hooksOf({ plan, recorder, writer }: Run): RunOptions {
  if (!plan.isStored) return {}
  const runsHere = ({ tools, response }: StepContext): boolean =>
    response?.content.some((part) => {
      const declared = part.type === 'tool-call' ? tools[part.toolName] : undefined
      return declared?.type === 'function' && declared.execute !== undefined
    }) === true
  return {
    onResponse: async (step) => {
      if (runsHere(step)) await recorder.save(step.transcript, writer.items)
    },
    onStepEnd: async (step) => {
      if (runsHere(step)) await recorder.save(step.transcript, writer.items)
    },
  }
}

/** What was told cannot be taken back, and what never ends would fill the memory. */
function guard(run: Run, event: LoopEvent): void {
  if (event.type === 'step-retry' && run.started && run.writer.hasContent) throw event.error
  if ('text' in event && typeof event.text === 'string') run.written += event.text.length
  if (event.type === 'tool-call-delta') run.written += event.inputText.length
  if (run.written > run.context.limits.outputLength) {
    const message = `The model wrote more than ${run.context.limits.outputLength} characters.`
    throw new ApiError({ status: 502, code: 'output_too_long', message })
  }
}

interface Ended {
  readonly result: RunResult | undefined
  readonly failure: unknown
}

/** Stores the end. Throws `ApiError` where nobody has been told anything yet, and leaves no trace of the response then. */
async function endRun(run: Run, { result, failure }: Ended): Promise<JsonObject> {
  const { writer, recorder, plan, context } = run
  if (result?.output !== undefined && !result.text) writer.say(JSON.stringify(result.output))
  writer.close()
  const state = result === undefined ? failedState(failure) : endedState(result)
  if (result === undefined) context.onError(failure instanceof ApiCause ? failure.cause : failure)
  if (result === undefined && !run.started) {
    await recorder.discard().catch((error: unknown) => abandon(run, error))
    throw runApiError(failure instanceof ApiCause ? failure.cause : failure)
  }
  const output = writer.items.map(({ data }) => data)
  const completedAt = state.status === 'completed' ? context.now() : undefined
  const kept = responseObject(plan, { ...state, output, completedAt })
  const transcript = result?.transcript ?? transcriptOf(failure)
  const stored = await store(run, { status: state.status, transcript, result: { ...kept, output: [] } })
  const shown = output.map((data) => shownItem(data, run.include))
  if (stored) return { ...kept, output: shown }
  const error = { code: 'storage_failed', message: 'The response could not be stored.' }
  return responseObject(plan, { status: 'failed', output: shown, error })
}

async function store(run: Run, end: RunEnd): Promise<boolean> {
  try {
    await run.recorder.finish(end, run.writer.items)
    return true
  } catch (error) {
    abandon(run, error)
    if (!run.started) throw runApiError(error)
    return false
  }
}

function abandon({ plan, context }: Run, error: unknown): void {
  context.onError(error)
  if (plan.isStored) context.abandon(plan.tenant, plan.id)
}

function transcriptOf(failure: unknown) {
  const error = failure instanceof ApiCause ? failure.error : failure
  return LoopError.isInstance(error) ? error.transcript : undefined
}

async function failureOf(stream: { readonly result: Promise<unknown> }): Promise<unknown> {
  return stream.result.then(
    () => undefined,
    (error: unknown) => error,
  )
}

function endedState({ status, stopReason, usage }: RunResult): Omit<ResponseState, 'output'> {
  if (status === 'incomplete') {
    const reason = stopReason === 'timeout' ? 'timeout' : 'max_tool_calls'
    return { status: 'incomplete', usage, incompleteReason: reason }
  }
  if (stopReason === 'length' || stopReason === 'stop-when') {
    return { status: 'incomplete', usage, incompleteReason: 'max_output_tokens' }
  }
  if (stopReason === 'content-filter') return { status: 'incomplete', usage, incompleteReason: 'content_filter' }
  return { status: 'completed', usage }
}

function failedState(failure: unknown): Omit<ResponseState, 'output'> {
  const error = failure instanceof ApiCause ? failure.cause : failure
  const { code = 'server_error', message } = runApiError(error)
  const usage = LoopError.isInstance(error) ? error.usage : undefined
  if (code === 'cancelled') return { status: 'cancelled', usage }
  return { status: 'failed', usage, error: { code, message } }
}

function terminalType(status: unknown): string {
  if (status === 'completed' || status === 'incomplete') return `response.${status}`
  return 'response.failed'
}
