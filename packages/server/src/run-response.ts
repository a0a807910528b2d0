import { LoopError, StepLoop, type LoopEvent, type RunOptions, type RunResult, type StepContext } from '@steploop/core'
import type { ResponseStatus } from '@steploop/store'
import { ApiError } from './api-error.ts'
import type { JsonObject } from './json.ts'
import type { EventData } from './output-items.ts'
import type { RunPlan } from './prepare-run.ts'
import { createRecorder, type RunEnd, type RunRecorder } from './record-run.ts'
import { responseObject, type ResponseState } from './response-object.ts'
import { shownItem } from './shown-item.ts'
import { runApiError } from './run-error.ts'
import type { Sealer } from './seal.ts'
import type { ServerState } from './server-state.ts'
import type { SequencedEvent, Tell } from './sse.ts'
import { createOutputWriter, type OutputWriter } from './write-output.ts'

/** A run with all that belongs to it. */
interface Run {
  readonly plan: RunPlan
  readonly state: ServerState
  readonly recorder: RunRecorder
  readonly writer: OutputWriter
  readonly events: EventData[]
  readonly include: readonly string[]
  /** The client was told of the response. */
  started: boolean
  written: number
  /** Number of the next event. */
  sequence: number
}

/** The response before anything has come of it. */
export function beginningOf(plan: RunPlan, status: ResponseStatus): JsonObject {
  return responseObject(plan, { status, output: [] })
}

/**
 * Carries a response out that was accepted. Tells of the events of the API; the last one comes after all is stored. Returns the response.
 * Throws `ApiError` where the model fails before a client was told anything; of a run that nobody waits for that is no error but an event.
 */
export async function runResponse(
  plan: RunPlan,
  state: ServerState,
  { signal, tell }: { readonly signal: AbortSignal; readonly tell: Tell },
): Promise<JsonObject> {
  const run = startRun(plan, state)
  const options: RunOptions = { ...plan.options, ...hooksOf(run), abortSignal: signal }
  const stream = new StepLoop({ model: plan.model, ...options }).stream(plan.input)
  let failure: unknown
  let result: RunResult | undefined
  try {
    if (run.started) await tell(begin(run))
    for await (const event of stream) {
      if (event.type === 'run-error') failure = event.error
      if (event.type === 'run-end') result = event.result
      guard(run, event)
      const sealing = run.writer.event(event)
      if (sealing !== undefined) await sealing
      const events = takeEvents(run)
      const room = events.length === 0 ? undefined : tell(events)
      if (room !== undefined) await room
    }
  } catch (error) {
    failure = error
  } finally {
    await plan.close()
  }
  const isKnown = failure === undefined || LoopError.isInstance(failure)
  const cause = isKnown ? failure : new ApiCause(failure, await failureOf(stream))
  const end = await endRun(run, { result, failure: cause })
  run.events.push({ type: terminalType(end['status']), response: end })
  await tell(takeEvents(run))
  return end
}

/** What there is to tell, with all that comes before it. */
function takeEvents(run: Run): readonly SequencedEvent[] {
  const events = run.events.splice(0)
  return events.length > 0 && !run.started ? [...begin(run), ...numbered(run, events)] : numbered(run, events)
}

function numbered(run: Run, events: readonly EventData[]): readonly SequencedEvent[] {
  return events.map((event) => ({ ...event, sequence_number: run.sequence++ }))
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

function startRun(plan: RunPlan, state: ServerState): Run {
  const events: EventData[] = []
  const include = plan.request.include ?? []
  const emit = (event: EventData): void => void events.push(shownEvent(event, include))
  const carriesState = include.includes('reasoning.encrypted_content')
  const seal = carriesState ? (turn: Parameters<Sealer['seal']>[1]) => state.sealer.seal(plan.tenant, turn) : undefined
  const { views, gateway } = plan
  const writer = createOutputWriter({ emit, views, gateway, seal, earlier: plan.resumed?.output })
  const recorder = createRecorder(plan, state.options.store, state.owner)
  const started = plan.request.background === true
  const sequence = plan.resumed?.sequence ?? 0
  return { plan, state, recorder, writer, events, include, started, written: 0, sequence }
}

function shownEvent(event: EventData, include: readonly string[]): EventData {
  const item = event['item']
  return item === undefined ? event : { ...event, item: shownItem(item as JsonObject, include) }
}

function begin(run: Run): readonly SequencedEvent[] {
  const { plan } = run
  run.started = true
  if (run.sequence > 0) return []
  const isBackground = plan.request.background === true
  const queued = beginningOf(plan, 'queued')
  const response = beginningOf(plan, 'in_progress')
  return numbered(run, [
    { type: 'response.created', response: isBackground ? queued : response },
    ...(isBackground ? [{ type: 'response.queued', response: queued }] : []),
    { type: 'response.in_progress', response },
  ])
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
  if (run.written > run.state.limits.outputLength) {
    const message = `The model wrote more than ${run.state.limits.outputLength} characters.`
    throw new ApiError({ status: 502, code: 'output_too_long', message })
  }
}

interface Ended {
  readonly result: RunResult | undefined
  readonly failure: unknown
}

/**
 * Stores the end. Throws `ApiError` where nobody has been told anything yet, and leaves no trace of the response then: unless it alone may
 * run what was approved.
 */
async function endRun(run: Run, { result, failure }: Ended): Promise<JsonObject> {
  const { writer, recorder, plan, state } = run
  if (result?.output !== undefined && !result.text) writer.say(JSON.stringify(result.output))
  writer.close()
  const ended = result === undefined ? failedState(failure) : endedState(result)
  if (result === undefined) state.onError(failure instanceof ApiCause ? failure.cause : failure)
  if (result === undefined && !run.started && plan.approvals.length === 0) {
    await recorder.discard().catch((error: unknown) => abandon(run, error))
    throw runApiError(failure instanceof ApiCause ? failure.cause : failure)
  }
  const output = writer.items.map(({ data }) => data)
  const completedAt = ended.status === 'completed' ? state.now() : undefined
  const kept = responseObject(plan, { ...ended, output, completedAt })
  const transcript = result?.transcript ?? transcriptOf(failure)
  const stored = await store(run, { status: ended.status, transcript, result: { ...kept, output: [] } })
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

function abandon({ plan, state }: Run, error: unknown): void {
  state.onError(error)
  if (plan.isStored) state.live.abandon(plan.tenant, plan.id)
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

export function terminalType(status: unknown): string {
  if (status === 'completed' || status === 'incomplete') return `response.${status}`
  return 'response.failed'
}
