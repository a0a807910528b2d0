import { functionTool } from '../../calls/plan-calls.ts'
import { claimId, nextTurn } from '../state/call-ids.ts'
import type { ToolSet } from '../../tools/tool.ts'
import type { TurnEvent, TurnRequest } from '../../contract/adapter.ts'
import {
  contractError,
  createTurnCollector,
  withoutEnd,
  type Turn,
  type TurnCollector,
} from '../../wire/collect-turn.ts'
import type { Question } from '../../http/http-exchange.ts'
import { settlesOn } from '../../http/http-turn.ts'
import { closeQuietly } from '../../http/response-body.ts'
import { eagerReports, startEager, type EagerTurn } from './eager-tools.ts'
import { limitOf, type Limited } from '../state/limits.ts'
import type { ToolCallPart, ToolOwner } from '../../contract/messages.ts'
import type { LoopEvent } from '../../contract/loop-events.ts'
import { freezeData } from '../../tools/own-data.ts'
import { partialOutput, type PartialOutput } from '../../output/partial-output.ts'
import { callIdsOf, goOn, offer, stepNumber, type RunState } from '../state/run-state.ts'
import { structuredToolName, type StructuredState } from '../../output/structured.ts'

/**
 * Asks the model for one turn. `attempt`: the how-manieth request of its step, from 1. Tools are not in here: asking again never runs one twice. No
 * `async` function: the promise of the turn is fulfilled where its last batch is folded.
 */
export function askModel(run: RunState, request: TurnRequest, attempt: number): Promise<Turn> {
  const { model, scope } = run
  const { tools } = run.config
  const collector = createTurnCollector({ provider: model.provider, model: model.model }, (call) =>
    ownerOf(tools, call),
  )
  const progress: TurnInProgress = {
    collector,
    eager: eagerly(run, request),
    partial: run.observer.events && run.structured && partialOutput(run.structured, request),
  }
  run.unfinished = collector
  if (run.callIds !== undefined) nextTurn(run.callIds)
  const iterator = startTurn(run, request, attempt)
  return new Promise((resolve, reject) => {
    // Not awaited: an adapter that ignores its signal must not hold the loop. Nor may one that fails to close hide why the turn failed.
    const leave = (): void => {
      if (settlesOn(iterator, scope.signal)) void iterator.return()
      else closeQuietly(() => iterator.return?.())
    }
    const fail = (error: unknown): void => {
      leave()
      reject(scope.reason ?? error)
    }
    const end = (): void => {
      if (!collector.ended) throw contractError(model, withoutEnd)
      leave()
      run.unfinished = undefined
      resolve(collector.turn())
    }
    readTurn(run, progress, { iterator, end, fail })
  })
}

interface Reading {
  readonly iterator: AsyncIterator<readonly TurnEvent[]>
  /** The turn has come to its end, or to that of its batches. */
  readonly end: () => void
  readonly fail: (error: unknown) => void
}

/**
 * Reads batches until the turn has ended. None has a promise in here: over core's own transport a network chunk is read, folded and handed
 * to the consumer at once, and the consumer's next question is the next one to the network.
 */
function readTurn(run: RunState, progress: TurnInProgress, { iterator, end, fail }: Reading): void {
  // Whatever an adapter gives as a result, also none, is read where what it throws ends the turn.
  const take = (came: IteratorResult<readonly TurnEvent[], unknown>): void => {
    try {
      const { done, value } = came
      if (done) end()
      else if (!Array.isArray(value))
        throw contractError(run.model, 'it yielded something else than an array of events')
      else offer(run, takeBatch(run, value, progress), proceed)
    } catch (error) {
      fail(error)
    }
  }
  const proceed = (): unknown => {
    try {
      goOn(run)
      if (!progress.collector.ended) return ask()
      end()
    } catch (error) {
      fail(error)
    }
    return undefined
  }
  const ask = (): unknown => {
    if (settlesOn(iterator, run.scope.signal)) return iterator.pull(question)
    run.scope.race(iterator.next()).then(take, fail)
    return undefined
  }
  const unseen = run.observer.events === undefined && progress.eager === undefined
  const question: Question = { take, fail, collect: run.observer.collect, unseen }
  try {
    void ask()
  } catch (error) {
    fail(error)
  }
}

function startTurn(run: RunState, request: TurnRequest, attempt: number): AsyncIterator<readonly TurnEvent[]> {
  const { model, mode, transcriptId } = run
  const { signal } = run.scope
  const { turn: around } = run.config.middleware
  const ask = (): AsyncIterable<readonly TurnEvent[]> => {
    const turn = model.turn(request, { mode, signal })
    // Core's own transport has let go of everything when its turn ends; what another adapter does is not known.
    if (!settlesOn(turn, signal)) run.scope.expectLeftovers()
    return turn
  }
  if (around === undefined) return ask()[Symbol.asyncIterator]()
  const info = { transcriptId, step: stepNumber(run), attempt, model, mode, request, signal }
  return around(info, ask)[Symbol.asyncIterator]()
}

interface TurnInProgress {
  readonly collector: TurnCollector
  /** Set where calls may start before the turn has ended. */
  readonly eager: EagerTurn | undefined
  readonly partial: PartialOutput | undefined
}

/** In the turn that a limit leaves for the answer nothing starts, asked for or not. */
function eagerly(run: Limited, { tools: offered, toolChoice }: TurnRequest): EagerTurn | undefined {
  const allowed = run.config.eagerTools && toolChoice !== 'none' && limitOf(run) === undefined
  return allowed && offered !== undefined ? { offered, parts: new Set(), waiting: new Map(), last: 0 } : undefined
}

/** Makes call ids unique, folds the batch, and gives what the consumer sees of it. */
function takeBatch(
  run: RunState,
  batch: readonly TurnEvent[],
  { collector, eager, partial }: TurnInProgress,
): readonly LoopEvent[] {
  const observed = run.observer.events !== undefined
  if (isPieces(run, batch)) {
    collector.push(batch)
    if (!observed) return []
    if (run.eager === undefined && partial === undefined) return batch
    return [...eagerReports(run), ...batch, ...(partial?.(batch) ?? [])]
  }
  /** Made for the first event that is another. */
  let changed: TurnEvent[] | undefined
  const visible: LoopEvent[] = []
  let index = -1
  for (const event of batch) {
    index++
    const own = ownEvent(run, event)
    if (own !== event) (changed ??= [...batch])[index] = own
    if (!observed && eager === undefined) continue
    const shown = withOwner(run.config.tools, own)
    // What a reader is shown of data that goes into the history: it can write to none of it.
    if (observed && shown.type !== 'tool-call-delta') freezeData(shown)
    if (observed && !isHidden(run.structured, shown)) show(shown, visible)
    if (eager !== undefined) visible.push(...startEager(run, shown, eager))
  }
  const claimed = changed ?? batch
  collector.push(claimed)
  if (partial !== undefined) visible.push(...partial(claimed))
  if (run.eager !== undefined) visible.push(...eagerReports(run))
  return visible
}

type Piece = Extract<TurnEvent, { type: 'text-delta' | 'reasoning-delta' | 'tool-call-delta' }>

/** Nearly all events of a long answer: the consumer gets them as they came. Pieces of a call are none where its id is another, or it is core's own. */
function isPieces({ callIds, structured }: RunState, batch: readonly TurnEvent[]): batch is readonly Piece[] {
  for (const event of batch) {
    if (event.type === 'text-delta' || event.type === 'reasoning-delta') continue
    if (event.type !== 'tool-call-delta' || structured !== undefined) return false
    if (callIds?.bySlot.get(event.part) !== event.toolCallId) return false
  }
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

/** By names: to ask an event of any kind whether it has an id takes as long as to claim it. */
function ownEvent(run: RunState, event: TurnEvent): TurnEvent {
  const { type } = event
  const isOfCall =
    type === 'tool-call-start' || type === 'tool-call-delta' || type === 'tool-call' || type === 'tool-result'
  return isOfCall ? claimId(callIdsOf(run), event) : event
}

/** Adapters cannot know which tools the loop runs. */
function ownerOf(tools: ToolSet, { owner, toolName }: Pick<ToolCallPart, 'owner' | 'toolName'>): ToolOwner {
  return owner === 'client' && functionTool(toolName, tools)?.execute !== undefined ? 'loop' : owner
}

function withOwner(tools: ToolSet, event: TurnEvent): TurnEvent {
  if (event.type !== 'tool-call-start' && event.type !== 'tool-call') return event
  const owner = ownerOf(tools, event)
  return owner === event.owner ? event : { ...event, owner }
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
