import type { AbortReason, AbortScope } from './abort-scope.ts'
import type { Adapter, Mode } from '../contract/adapter.ts'
import type { CallIds } from './call-ids.ts'
import type { TurnCollector } from '../wire/collect-turn.ts'
import type { Warning } from '../contract/events.ts'
import type { StepEdit } from './loop-options.ts'
import type { LoopEvent } from './loop-events.ts'
import type { AssistantMessage, Message, ToolResultPart } from '../contract/messages.ts'
import type { RunConfig } from './run-config.ts'
import { historyHash } from '../transcript/message-hash.ts'
import { keepMessage } from '../tools/own-data.ts'
import type { Judging } from '../tools/plan-calls.ts'
import type { StructuredState } from './structured.ts'
import type { PendingCall, RunProgress, Transcript } from '../contract/transcript.ts'
import type { Usage } from '../contract/usage.ts'
import type { Step } from '../contract/step.ts'
import type { LoopControl } from './loop-hooks.ts'
import { batchHash, type LimitCounts } from './limit-counts.ts'
import type { ToolAround } from '../tools/run-tool.ts'
import type { EagerCall } from './eager-call.ts'

/** Who watches a run. Both pause the engine until the consumer asks for more. */
export interface RunObserver {
  /** Batches of events; absent when nobody reads them. */
  readonly events?: ((batch: readonly LoopEvent[]) => Promise<unknown>) | undefined
  /**
   * The run was aborted: what `events` and `step` gave has to settle, whether the consumer asks for more or not. What `events` gets later
   * comes before the last event of the run.
   */
  readonly release?: ((reason: AbortReason) => void) | undefined
  /** After every step; may edit the next request, if there is one. */
  readonly step?: ((step: Step) => Promise<StepEdit | undefined>) | undefined
}

/** The one mutable thing of a run. */
export interface RunState {
  readonly config: RunConfig
  /** Of the run; an edit changes that of its turn. */
  readonly givenMode: Mode
  mode: Mode
  readonly observer: RunObserver
  readonly scope: AbortScope
  readonly callIds: CallIds
  readonly transcriptId: string
  /** The model that is asked next; an edit changes it for the rest of the run. */
  model: Adapter
  /** Only grows; replaced when an edit replaces the conversation. */
  messages: Message[]
  /** What this run added. */
  readonly added: Message[]
  /** What the provider of the last turn has under its response id; `undefined` after an edit of the conversation. */
  continuable: Continuable | undefined
  fallbacksUsed: number
  toolUseFailures: number
  /** Messages in the last request; its own list has grown since. */
  sent: number
  /** Turns of a model in the whole conversation so far. */
  turns: number
  /** Of these, those before this run. */
  readonly turnsBefore: number
  /** What the run had counted before it was suspended, or failed, and went on here. */
  readonly before: RunProgress
  readonly steps: Step[]
  readonly warnings: Warning[]
  /** Path and message of each warning: every turn repeats those of the whole history. */
  readonly warned: Set<string>
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
  readonly eager: Map<string, EagerCall>
  /** What a hook decided. */
  ended: LoopControl | undefined
  readonly structured: StructuredState | undefined
  /** Ids of calls that no event shows. */
  readonly hiddenCalls: Set<string>
}

export interface OpenTurn {
  readonly message: AssistantMessage
  /** Names that the model could see. */
  readonly activeTools: readonly string[]
  /** None of its calls may run, or wait. */
  readonly refused: boolean
  readonly judging: Judging
}

export interface Continuable {
  readonly responseId: string
  readonly provider: string
  readonly model: string
  /** Number of messages that the provider has. */
  readonly from: number
}

/** From now on the message is the history's: nobody can write to it. */
export function append(run: RunState, message: Message): void {
  keepMessage(message)
  run.messages.push(message)
  run.added.push(message)
}

/** What stands around the calls of the step to come. */
export function toolAround(run: RunState): ToolAround | undefined {
  const { tool } = run.config.middleware
  return tool && { tool, step: stepNumber(run) }
}

/** Number of the step to come, from 0; a run that goes on counts on. */
export function stepNumber({ before, steps }: RunState): number {
  return before.steps + steps.length
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
    ...(!over && { progress: progressOf(run) }),
    ...(continuation && { continuation }),
  }
}

function continuationIn({ continuable, config, messages }: RunState): Transcript['continuation'] {
  if (continuable === undefined || config.continuation === 'off') return undefined
  const { responseId, from } = continuable
  return { responseId, hash: historyHash(messages.slice(0, from)) }
}

function progressOf(run: RunState): RunProgress {
  const { repeated: _repeated, batches, ...counted } = run.counts
  // A turn counts as soon as it is in the history, also where its calls end the run.
  const steps = run.before.steps + run.turns - run.turnsBefore
  return { steps, ...counted, batches: batches.map((_, index) => batchHash(batches, index)) }
}

/**
 * Hands events to who watches, and stops a run that was aborted meanwhile, watched or not. Gives a promise only where there is something
 * to wait for.
 */
export function emit(run: RunState, events: readonly LoopEvent[]): Promise<void> | undefined {
  const taken = offer(run, events)
  if (taken === undefined) checkAbort(run)
  return taken?.then(() => goOn(run))
}

/** The first half of `emit`: what is to be waited for, if anything, before `goOn`. It is the only promise of a delta. */
export function offer({ observer, scope }: RunState, events: readonly LoopEvent[]): Promise<unknown> | undefined {
  if (observer.events === undefined || events.length === 0) return undefined
  scope.rest()
  return observer.events(events)
}

/** The second half. */
export function goOn(run: RunState): void {
  run.scope.wake()
  checkAbort(run)
}

function checkAbort({ scope }: RunState): void {
  if (scope.reason !== undefined) throw scope.reason
}

/** Tells of a run that has failed before its last event. An aborted one does not wait for the consumer. */
export function tellLast({ observer }: RunState, events: readonly LoopEvent[]): Promise<unknown> | undefined {
  return events.length === 0 ? undefined : observer.events?.(events)
}

/** Keeps a warning once, however many turns repeat it. */
export function warn(run: RunState, warnings: readonly Warning[]): Promise<void> | undefined {
  if (warnings.length === 0) return undefined
  const fresh: Warning[] = []
  for (const warning of warnings) {
    const key = `${warning.path}\n${warning.message}`
    if (run.warned.has(key)) continue
    run.warned.add(key)
    fresh.push(warning)
  }
  if (fresh.length === 0) return undefined
  run.warnings.push(...fresh)
  return emit(
    run,
    fresh.map((warning) => ({ type: 'warning', warning })),
  )
}
