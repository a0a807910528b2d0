import type { AbortReason, AbortScope } from './abort-scope.ts'
import type { Adapter, Mode, ToolDefinition, Warning } from '../../contract/adapter.ts'
import { createCallIds, type CallIds } from './call-ids.ts'
import type { TurnCollector } from '../../wire/collect-turn.ts'
import type { StepEdit } from '../../options/loop-options.ts'
import type { LoopEvent } from '../../contract/loop-events.ts'
import type { AssistantMessage, Message, ToolResultPart } from '../../contract/messages.ts'
import type { RunConfig } from '../../options/run-config.ts'
import { historyHash } from '../../transcript/message-hash.ts'
import { keepMessage } from '../../tools/own-data.ts'
import type { Judging } from '../../calls/plan-calls.ts'
import type { StructuredState } from '../../output/structured.ts'
import type { PendingCall, Transcript } from '../../contract/transcript.ts'
import type { Usage } from '../../contract/usage.ts'
import type { Step } from '../../contract/step.ts'
import type { LoopControl } from '../../options/loop-hooks.ts'
import { progressOf, type LimitCounts } from './limits.ts'
import type { ToolAround } from '../../calls/run-tool.ts'
import type { RunningTools } from '../../calls/running-tools.ts'
import type { EagerCall } from '../../calls/eager-call.ts'

/** Who watches a run. Both pause the engine until the consumer asks for more. */
export interface RunObserver {
  /**
   * Batches of events; absent when they are not read. `proceed` is called when the consumer asks for more. A promise that it gives is the
   * consumer's, and fulfilled with what `collect` gives: a delta needs no other.
   */
  readonly events?: ((batch: readonly LoopEvent[], proceed: () => unknown) => void) | undefined
  readonly collect?: (() => unknown) | undefined
  /**
   * The run was aborted: what `events` and `step` were asked for has to go on, whether the consumer asks for more or not. What `events` gets later
   * comes before the last event of the run.
   */
  readonly release?: ((reason: AbortReason) => void) | undefined
  /** After every step; may edit the next request, if there is one. */
  readonly step?: ((step: Step) => Promise<StepEdit | undefined>) | undefined
}

/** The one mutable thing of a run. What belongs to one matter is a state of its own, which is made when it is first needed. */
export interface RunState {
  readonly config: RunConfig
  /** Mode of the run; an edit changes that of its turn. */
  readonly runMode: Mode
  mode: Mode
  readonly observer: RunObserver
  readonly scope: AbortScope
  callIds: CallIds | undefined
  readonly transcriptId: string
  /** The model that is asked next; an edit changes it for the rest of the run. */
  model: Adapter
  /** Only grows; replaced when an edit replaces the conversation. */
  messages: Message[]
  /** What this run added. */
  readonly added: Message[]
  /** What the provider of the last turn has under its response id; `undefined` after an edit of the conversation. */
  continuable: Continuable | undefined
  recovery: Recovery | undefined
  /** Turns of a model in the whole conversation so far. */
  turns: number
  /** Number of the first step: not 0 where a run that was suspended, or failed, goes on here. */
  readonly firstStep: number
  readonly steps: Step[]
  /** By path and message: every turn repeats those of the whole history. */
  warnings: Map<string, Warning> | undefined
  usage: Usage | undefined
  readonly counts: LimitCounts
  /** The turn that the model has not ended yet. */
  unfinished: TurnCollector | undefined
  /** The turn whose calls are neither carried out nor answered yet. */
  openTurn: OpenTurn | undefined
  pending: readonly PendingCall[]
  /** Results that the open step of a resumed transcript has already; part of no message until the step is settled. */
  readonly earlier: readonly ToolResultPart[]
  /** Calls that run while their turn goes on, by id. */
  eager: Map<string, EagerCall> | undefined
  /** Made for the first step that has calls. */
  running: RunningTools | undefined
  /** What the last turn offered, to whom. */
  offered: Offered | undefined
  /** What a hook decided. */
  ended: LoopControl | undefined
  readonly structured: StructuredState | undefined
}

interface Offered {
  readonly activeTools: readonly string[]
  readonly model: Adapter
  readonly mode: Mode
  readonly tools: readonly ToolDefinition[] | undefined
}

/** Whom events go to, and what ends the run. */
export type Watched = Pick<RunState, 'observer' | 'scope'>

/** The conversation, as far as it is written. */
export type Written = Pick<RunState, 'messages' | 'added'>

/** What the number of a step is made of. */
export type Numbered = Pick<RunState, 'firstStep' | 'steps'>

/** The ways out of a failure that were taken. */
export interface Recovery {
  fallbacksUsed: number
  toolUseFailures: number
}

export interface OpenTurn {
  readonly message: AssistantMessage
  /** Names that the model could see. */
  readonly activeTools: readonly string[]
  /** The turn was refused: none of its calls may run, or wait. */
  readonly refused: boolean
  readonly judging: Judging
}

export interface Continuable {
  readonly responseId: string
  /** `undefined`: those of no model that can be asked. */
  readonly provider: string | undefined
  readonly model: string | undefined
  /** Number of messages that the provider has. */
  readonly from: number
}

/** From now on the message is the history's and cannot be written to. */
export function append(run: Written, message: Message): void {
  keepMessage(message)
  run.messages.push(message)
  run.added.push(message)
}

/** What stands around the calls of the step to come. */
export function toolAround(run: Numbered & Pick<RunState, 'config'>): ToolAround | undefined {
  const { tool } = run.config.middleware
  return tool && { tool, step: stepNumber(run) }
}

/** Number of the step to come, from 0; a run that goes on counts on. */
export function stepNumber({ firstStep, steps }: Numbered): number {
  return firstStep + steps.length
}

/** Ids of calls: those of the conversation so far are taken. */
export function callIdsOf(run: Pick<RunState, 'callIds' | 'messages'>): CallIds {
  return (run.callIds ??= createCallIds(run.messages))
}

/** A snapshot: later steps do not change it. `over`: the run is, so that the next one counts anew. */
export function transcriptOf(run: RunState, over = false): Transcript {
  const { transcriptId: id, messages, pending: pendingCalls, turns } = run
  const continuation = continuationIn(run)
  return {
    version: 1,
    id,
    messages: messages.slice(),
    pendingCalls,
    turns,
    ...(!over && { progress: progressOf(run.counts) }),
    ...(continuation && { continuation }),
  }
}

function continuationIn({
  continuable,
  config,
  messages,
}: Pick<RunState, 'continuable' | 'config' | 'messages'>): Transcript['continuation'] {
  if (continuable === undefined || config.continuation === 'off') return undefined
  const { responseId, from } = continuable
  try {
    return { responseId, hash: historyHash(messages.slice(0, from)) }
  } catch {
    // A message without JSON, a bigint in it say, has no hash: the next run sends the whole history.
    return undefined
  }
}

/**
 * Hands events to who watches, and stops a run that was aborted meanwhile, watched or not. Gives a promise only where there is something
 * to wait for.
 */
export function emit(run: Watched, events: readonly LoopEvent[]): Promise<void> | undefined {
  if (run.observer.events !== undefined && events.length > 0)
    return new Promise<void>((proceed) => offer(run, events, proceed)).then(() => goOn(run))
  checkAbort(run)
  return undefined
}

/** The first half of `emit`: `proceed`, which is to begin with `goOn`, is called as soon as there is nothing to be waited for. */
export function offer({ observer, scope }: Watched, events: readonly LoopEvent[], proceed: () => unknown): void {
  if (observer.events === undefined || events.length === 0) {
    proceed()
    return
  }
  scope.rest()
  observer.events(events, proceed)
}

/** The second half. */
export function goOn(run: Pick<RunState, 'scope'>): void {
  run.scope.wake()
  checkAbort(run)
}

export function checkAbort({ scope }: Pick<RunState, 'scope'>): void {
  if (scope.reason !== undefined) throw scope.reason
}

/** Tells of a run that has failed before its last event, without waiting for the consumer. */
export function tellLast({ observer }: Pick<RunState, 'observer'>, events: readonly LoopEvent[]): void {
  if (events.length > 0) observer.events?.(events, () => undefined)
}

/** Keeps a warning once, however many turns repeat it. */
export function warn(
  run: Watched & Pick<RunState, 'warnings'>,
  warnings: readonly Warning[],
): Promise<void> | undefined {
  if (warnings.length === 0) return undefined
  const known = (run.warnings ??= new Map())
  const events: LoopEvent[] = []
  for (const warning of warnings) {
    const key = `${warning.path}\n${warning.message}`
    if (known.has(key)) continue
    // An encoder keeps its own, and gives them to the runs of others.
    known.set(key, Object.freeze(warning))
    events.push({ type: 'warning', warning })
  }
  return events.length === 0 ? undefined : emit(run, events)
}
