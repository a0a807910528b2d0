import { claimId, nextTurn } from './call-ids.ts'
import type { ToolSet } from '../tools/tool.ts'
import { AbortReason } from './abort-scope.ts'
import type { Adapter, TurnRequest } from '../contract/adapter.ts'
import { createTurnCollector, type Turn, type TurnCollector } from '../wire/collect-turn.ts'
import { settlesOnAbort } from '../http/prompt-adapters.ts'
import { discardEager, eagerReports, startEager, type EagerTurn } from './eager-tools.ts'
import { AdapterError, LoopError } from '../contract/errors.ts'
import type { TurnEvent } from '../contract/events.ts'
import { limitOf } from './limits.ts'
import type { LoopEvent } from './loop-events.ts'
import { freezeData } from '../tools/own-data.ts'
import { partialOutput, type PartialOutput } from './partial-output.ts'
import { callIdsOf, emit, goOn, offer, stepNumber, type RunState } from './run-state.ts'
import { structuredToolName, type StructuredState } from './structured.ts'

/** How often a step has asked so far, the request under way included. */
export interface Asked {
  attempts: number
}

/** Asks the model for one turn, again after a retryable failure. Tools are not in here: a retry never runs one twice. */
export async function askModel(run: RunState, request: TurnRequest, asked: Asked): Promise<Turn> {
  for (let attempt = 1; ; attempt++) {
    asked.attempts++
    try {
      return await tryTurn(run, request, asked)
    } catch (error) {
      const delayMs = retryDelay(run, error, attempt)
      if (delayMs === undefined || !AdapterError.isInstance(error)) throw error
      discardEager(run)
      await emit(run, [{ type: 'step-retry', step: stepNumber(run), attempt, delayMs, error }])
      await sleep(run, delayMs)
    }
  }
}

async function tryTurn(run: RunState, request: TurnRequest, asked: Asked): Promise<Turn> {
  const { model, scope } = run
  const collector = createTurnCollector({ provider: model.provider, model: model.model })
  const progress: TurnInProgress = {
    collector,
    eager: eagerly(run, request),
    partial: run.observer.events && run.structured && partialOutput(run.structured, request),
  }
  run.unfinished = collector
  if (run.callIds !== undefined) nextTurn(run.callIds)
  const iterator = startTurn(run, request, asked)
  const prompt = settlesOnAbort(model) && run.config.middleware.turn === undefined
  try {
    for (;;) {
      const next = await (prompt ? iterator.next() : scope.race(iterator.next()))
      if (next.done) break
      if (!Array.isArray(next.value)) throw contractError(model, 'it yielded something else than an array of events')
      const visible = takeBatch(run, next.value, progress)
      if (visible.length > 0) {
        await offer(run, visible)
        goOn(run)
      }
      if (!collector.ended) continue
      closeTurn(iterator)
      break
    }
  } catch (error) {
    closeTurn(iterator)
    throw scope.reason ?? error
  }
  if (!collector.ended) throw contractError(model, 'its turn ended without `turn-end`')
  run.unfinished = undefined
  return collector.turn()
}

/** Not awaited: an adapter that ignores its signal must not hold the loop. Nor may one that fails to close hide why the turn failed. */
function closeTurn(iterator: AsyncIterator<readonly TurnEvent[]>): void {
  Promise.resolve()
    .then(() => iterator.return?.())
    .catch(() => undefined)
}

function startTurn(run: RunState, request: TurnRequest, asked: Asked): AsyncIterator<readonly TurnEvent[]> {
  const { model, mode, transcriptId } = run
  const { signal } = run.scope
  const { turn: around } = run.config.middleware
  // Core's own transport has let go of everything when its turn ends; what another adapter does nobody knows.
  if (!settlesOnAbort(model)) run.scope.expectLeftovers()
  const ask = (): AsyncIterable<readonly TurnEvent[]> => model.turn(request, { mode, signal })
  if (around === undefined) return ask()[Symbol.asyncIterator]()
  const info = { transcriptId, step: stepNumber(run), attempt: asked.attempts, model, mode, request, signal }
  return around(info, ask)[Symbol.asyncIterator]()
}

interface TurnInProgress {
  readonly collector: TurnCollector
  /** Set where calls may start before the turn has ended. */
  readonly eager: EagerTurn | undefined
  readonly partial: PartialOutput | undefined
}

/** In the turn that a limit leaves for the answer nothing starts, asked for or not. */
function eagerly(run: RunState, { tools: offered, toolChoice }: TurnRequest): EagerTurn | undefined {
  const allowed = run.config.eagerTools && toolChoice !== 'none' && limitOf(run) === undefined
  return allowed && offered !== undefined ? { offered, parts: new Set(), waiting: new Map(), last: -1 } : undefined
}

/** Makes call ids unique, folds the batch, and gives what the consumer sees of it. */
function takeBatch(
  run: RunState,
  batch: readonly TurnEvent[],
  { collector, eager, partial }: TurnInProgress,
): readonly LoopEvent[] {
  const observed = run.observer.events !== undefined
  if (isTextAlone(batch)) {
    collector.push(batch)
    if (!observed) return []
    if (run.eager === undefined && partial === undefined) return batch
    return [...eagerReports(run), ...batch, ...(partial?.(batch) ?? [])]
  }
  const claimed: TurnEvent[] = []
  const visible: LoopEvent[] = []
  for (const event of batch) {
    const own = 'toolCallId' in event ? withOwner(run.config.tools, claimId(callIdsOf(run), event)) : event
    claimed.push(own)
    // What a reader is shown of data that goes into the history: it can write to none of it.
    if (observed && own.type !== 'tool-call-delta') freezeData(own)
    if (observed && !isHidden(run.structured, own)) show(own, visible)
    if (eager !== undefined) visible.push(...startEager(run, own, eager))
  }
  collector.push(claimed)
  if (partial !== undefined) visible.push(...partial(claimed))
  if (run.eager !== undefined) visible.push(...eagerReports(run))
  return visible
}

type TextDelta = Extract<TurnEvent, { type: 'text-delta' | 'reasoning-delta' }>

/** Nearly all events of a long answer: the consumer gets them as they came. */
function isTextAlone(batch: readonly TurnEvent[]): batch is readonly TextDelta[] {
  for (const { type } of batch) if (type !== 'text-delta' && type !== 'reasoning-delta') return false
  return true
}

/** The events of core's own tool. */
function isHidden(structured: StructuredState | undefined, event: TurnEvent): boolean {
  if (structured === undefined) return false
  const { hiddenCalls } = structured
  if (event.type === 'tool-call-start' && event.toolName === structuredToolName) hiddenCalls.add(event.toolCallId)
  if (event.type === 'tool-call' && event.toolName === structuredToolName) return true
  return 'toolCallId' in event && hiddenCalls.has(event.toolCallId)
}

/** Adapters cannot know which tools the loop runs. */
function withOwner(tools: ToolSet, event: TurnEvent): TurnEvent {
  if ((event.type !== 'tool-call' && event.type !== 'tool-call-start') || event.owner !== 'client') return event
  const tool = Object.hasOwn(tools, event.toolName) ? tools[event.toolName] : undefined
  const runs = tool?.type === 'function' && tool.execute !== undefined
  return runs ? { ...event, owner: 'loop' } : event
}

function show(event: TurnEvent, visible: LoopEvent[]): void {
  if (event.type === 'turn-start' || event.type === 'turn-end') return
  if (event.type !== 'tool-result') {
    visible.push(event)
    return
  }
  const { toolCallId, toolName, output } = event
  visible.push({ type: 'tool-result', toolCallId, toolName, output, owner: 'provider' })
}

function contractError(model: Adapter, what: string): LoopError {
  const message = `The adapter ${model.provider}/${model.model} breaks its contract: ${what}. This is a bug of the adapter; the conformance suite shows where.`
  return new LoopError('adapter-contract', message)
}

/** Longer than this nobody waits without being told: the error is handed on, with its `retryAfterMs`. */
const longestRetryAfter = 60_000

/**
 * Milliseconds until the next attempt: what the provider says, else 0.5 s doubled per attempt up to 8 s, with jitter of up to a half
 * downwards. `undefined`: do not retry.
 */
function retryDelay(run: RunState, error: unknown, attempt: number): number | undefined {
  if (error instanceof AbortReason || !AdapterError.isInstance(error)) return undefined
  if (!error.retryable || attempt > run.config.maxRetries) return undefined
  if (error.retryAfterMs !== undefined) return error.retryAfterMs <= longestRetryAfter ? error.retryAfterMs : undefined
  const backoff = Math.min(500 * 2 ** (attempt - 1), 8000)
  return backoff * (1 - run.config.random() / 2)
}

async function sleep(run: RunState, ms: number): Promise<void> {
  let cancel: (() => void) | undefined
  const elapsed = new Promise<void>((resolve) => {
    cancel = run.config.clock.after(ms, resolve)
  })
  try {
    await run.scope.race(elapsed)
  } finally {
    cancel?.()
  }
}
