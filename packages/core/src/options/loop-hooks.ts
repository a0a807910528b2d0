import type { Adapter, TurnRequest } from '../contract/adapter.ts'
import type { AssistantMessage, Message, ToolCallPart, ToolResultPart } from '../contract/messages.ts'
import type { Step } from '../contract/step.ts'
import type { Transcript } from '../contract/transcript.ts'
import type { ToolSet } from '../tools/tool.ts'

/**
 * What a hook decides. Nothing (or `continue`): go on; with `messages`, in `onStepEnd`, they are appended and the run goes on even if the
 * model has answered. `stop`: end the run now, with `stopReason: 'hook'` and the reason as `stopDetail`.
 * `override`: end it with this text as the answer. Calls that are not run yet are answered `not-executed`.
 */
export type LoopControl =
  | { readonly type: 'continue'; readonly messages?: readonly Message[] | undefined }
  | { readonly type: 'stop'; readonly reason: string }
  | { readonly type: 'override'; readonly response: string }

/** What `onToolStart` may decide besides: the call is not run, and this is its output, a text as it is, anything else as JSON. */
export type ToolStartControl = LoopControl | { readonly type: 'answer'; readonly output: unknown }

/** What hooks see: a read-only view of the run. `steps`, `messages` and `transcript` are snapshots, made when they are read. */
export interface StepContext {
  /** Number of the step, from 0. */
  readonly step: number
  readonly steps: readonly Step[]
  readonly messages: readonly Message[]
  /** The model that is asked, and the tools of the run. */
  readonly model: Adapter
  readonly tools: ToolSet
  /** In `onStepStart`: the answer is asked for, and nothing may be called. */
  readonly finalizing?: boolean | undefined
  /** Request of the turn, from `onResponse` on. */
  readonly request?: TurnRequest | undefined
  readonly response?: AssistantMessage | undefined
  /** In `onToolStart` and `onToolExecuted`: the call, with the input that `execute` gets as `input`. */
  readonly toolCall?: ToolCallPart | undefined
  /** Result of the call, in `onToolExecuted`. */
  readonly toolResult?: ToolResultPart | undefined
  readonly transcript: Transcript
}

export type Hook = (context: StepContext) => LoopControl | undefined | void | Promise<LoopControl | undefined | void>

export type ToolStartHook = (
  context: StepContext,
) => ToolStartControl | undefined | void | Promise<ToolStartControl | undefined | void>

/** Each may end the run; one that throws ends it with `LoopError` `hook-failed`. One is asked at a time. */
export interface Hooks {
  /** Before the request is built. */
  readonly onStepStart?: Hook | undefined
  /** After the model answered, before any of its calls runs. */
  readonly onResponse?: Hook | undefined
  /**
   * Before each call that the loop runs, when it is about to begin, and for each call of a client-owned tool. It may answer the call itself,
   * which then neither runs nor waits; a `stop` keeps this call and later ones from beginning. One that takes longer than the call may
   * (`toolTimeout`) leaves it at `tool-timeout`. With it `eagerTools` start nothing early.
   */
  readonly onToolStart?: ToolStartHook | undefined
  /**
   * For each call that was answered, as soon as it is, also where its failure ends the run. A `stop` keeps calls from beginning that have
   * not begun.
   */
  readonly onToolExecuted?: Hook | undefined
  readonly onStepEnd?: Hook | undefined
}
