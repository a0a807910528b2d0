import type { Adapter, Mode, Settings, ToolChoice } from '../contract/adapter.ts'
import type { Clock } from '../contract/clock.ts'
import type { InputMessage, Message, ToolCallPart } from '../contract/messages.ts'
import type { InputHooks } from '../tools/input-hooks.ts'
import type { OutputOptions } from '../output/structured.ts'
import type { ToolSet } from '../tools/tool.ts'
import type { Transcript, ToolAnswer } from '../contract/transcript.ts'
import type { Usage } from '../contract/usage.ts'
import type { Step } from '../contract/step.ts'
import type { Hooks } from './loop-hooks.ts'
import type { MiddlewareOption } from './middleware.ts'

/** Options of a loop. Each can be overridden per run. Times are in milliseconds. */
export interface StepLoopOptions extends Settings, Hooks, InputHooks {
  readonly model: Adapter
  /** System prompt. */
  readonly instructions?: string | undefined
  readonly tools?: ToolSet | undefined
  /** Names of the tools that the model may see. Default: all. */
  readonly activeTools?: readonly string[] | undefined
  /** A forced choice (`required` or one tool) applies to the first step only, also of a run that is suspended and goes on. */
  readonly toolChoice?: ToolChoice | undefined
  /** Options by provider name; in every request to that provider. */
  readonly providerOptions?: Readonly<Record<string, Readonly<Record<string, unknown>>>> | undefined
  /** Headers of every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /**
   * At most this many executed batches of calls, and one request more; a number, or a function of the tools that gives it. Default 10, at
   * most 128; 0 is legal.
   */
  readonly maxSteps?: number | ((tools: ToolSet) => number) | undefined
  /**
   * At any limit: ask once more without tools (`finalize`, default), end as `incomplete`, or throw the `LoopError` of that limit. A limit
   * that leaves no room for another turn (`timeout`, a spent budget) ends as `incomplete` under `finalize` too.
   */
  readonly onLimit?: 'finalize' | 'incomplete' | 'throw' | undefined
  /** Calls of the whole run. Default: no limit. */
  readonly maxToolCalls?: number | undefined
  /** Input and output tokens of the whole run, reserved before each turn by what the last one took. Default: no limit. */
  readonly maxTokens?: number | undefined
  /** Cost of the whole run in the unit of `costOf`, reserved likewise. Default: no limit. */
  readonly maxCost?: number | undefined
  /** What a turn cost, from its usage and model. `maxCost` without it, be it from the loop, the run or a policy, is `invalid-options`. */
  readonly costOf?: ((usage: Usage, model: Adapter) => number) | undefined
  /**
   * How many times the same calls with the same inputs come, in a pattern of up to four steps, until they are answered with a nudge
   * instead of being run; if the model goes on, a limit is reached. Default 4; 0: not looked at (for tools that poll).
   */
  readonly maxRepeatedCalls?: number | undefined
  /** Calls of one turn that are run; the rest is answered `too-many-calls`. Default 128. */
  readonly maxToolCallsPerStep?: number | undefined
  /** Calls that run at the same time. Default 16; 1 with `parallelToolCalls: false`. */
  readonly maxToolConcurrency?: number | undefined
  /**
   * Tools with `effect: 'read'` start while the model still writes, as soon as another call follows theirs: the last call of a turn may be
   * cut by the token limit, so it waits for the end. A turn that fails to end cancels and discards them. Default false.
   */
  readonly eagerTools?: boolean | undefined
  /** Milliseconds of a call, for its tool and all who judge it. Default 30,000; 0: none. */
  readonly toolTimeout?: number | undefined
  /**
   * Milliseconds of a request, from its beginning to the end of its answer; what the reader of a stream takes for what he has got does not count.
   * One that takes longer fails as `timeout`, which is retried. Default, and 0: none.
   */
  readonly turnTimeout?: number | undefined
  /** Milliseconds of the whole run, a limit like the others. Default: none. */
  readonly timeout?: number | undefined
  /** A tool that fails is answered with a JSON error (`answer`, default) or ends the run with `LoopError` `tool-failed`. */
  readonly onToolError?: 'answer' | 'throw' | undefined
  /** A call of an unknown tool is answered with an error (`answer`, default) or handed to the caller (`client`). */
  readonly unknownTools?: 'answer' | 'client' | undefined
  /**
   * Gives the reason why a call must not run, be it the loop's or the caller's; the model gets it as `denied`. It is asked once per call,
   * about a copy with the input that `execute` would get; anything but `undefined` is a denial. With it `eagerTools` start nothing early.
   * Default: every call may run.
   */
  readonly denyCall?: ((call: ToolCallPart) => string | undefined | Promise<string | undefined>) | undefined
  /** What a preset does beyond options, applied before `policies`: whoever spreads a preset and has policies of their own keeps both. */
  readonly preset?: Policy | undefined
  /** Ready-made behaviours, applied in order. Default: none. */
  readonly policies?: readonly Policy[] | undefined
  /**
   * Functions around the run, each request of it and each call that runs, or a function that makes them for each run, in the async context of
   * the call of `generate`, `stream` or `steps`. Default: none, at no cost.
   */
  readonly middleware?: MiddlewareOption | undefined
  /** Extra attempts per turn after a retryable failure. Default 2. */
  readonly maxRetries?: number | undefined
  /** Models that take over, in order and for the rest of the run, when the one before fails for good. Default: none. */
  readonly fallbacks?: readonly Adapter[] | undefined
  /**
   * `auto` (default): where the adapter can and the provider keeps responses, a turn names the last response and sends only what is new.
   * Whether responses are kept is the adapter's option; a `previous_response_id` or `conversation` in `providerOptions` is what the first
   * turn goes on from. `off`: always the full history; nothing is stored, and no such name is sent. `result.providerState` has them.
   */
  readonly continuation?: 'auto' | 'off' | undefined
  /** The answer is a JSON object of this schema: `result.output`. With native support where the model has it, else by a hidden tool. */
  readonly output?: OutputOptions | undefined
  /** Ends the run after a step although the model wants to go on; its calls are answered by then. */
  readonly stopWhen?: ((steps: readonly Step[]) => boolean | Promise<boolean>) | undefined
  /** Edits the next request. */
  readonly prepareStep?:
    | ((context: PrepareStepContext) => StepEdit | undefined | Promise<StepEdit | undefined>)
    | undefined
  /** Default: the system's. */
  readonly clock?: Clock | undefined
  /** Random numbers from 0 to 1, for jitter. Default `Math.random`. */
  readonly random?: (() => number) | undefined
  /** Makes the id of a new transcript. Default `crypto.randomUUID`. */
  readonly generateId?: (() => string) | undefined
}

/** A ready-made behaviour: options with it, from options without. Policies of one loop share nothing but the options. */
export type Policy = (options: StepLoopOptions) => StepLoopOptions

export interface PrepareStepContext {
  /** Number of the step to come, from 0; a run that goes on from its transcript counts on. */
  readonly step: number
  readonly steps: readonly Step[]
  readonly messages: readonly Message[]
  /** The system prompt of the run. */
  readonly instructions: string | undefined
  /** The model that is asked unless the edit names another. */
  readonly model: Adapter
}

/** Changes to one request. `model` and `messages` stay changed for the rest of the run, all else is for this step only. */
export interface StepEdit extends Settings {
  readonly model?: Adapter | undefined
  /** Replaces the conversation so far. */
  readonly messages?: readonly InputMessage[] | undefined
  readonly instructions?: string | undefined
  readonly activeTools?: readonly string[] | undefined
  readonly toolChoice?: ToolChoice | undefined
  /** Asks for this turn as one JSON response, or as a stream, whatever the run does. */
  readonly mode?: Mode | undefined
  /** Taken in place of the edit when the turn fails for good, with retries and `fallbacks` used up; `{}` is the request without an edit. */
  readonly fallback?: Omit<StepEdit, 'messages' | 'model'> | undefined
}

/**
 * Input of a run: a prompt, a transcript, or any of these, in this order: `{ transcript?, messages?, prompt?, toolOutputs? }`. Pending calls
 * that get no answer in `toolOutputs` stay pending, or are answered `not-executed` when a new message shows that they were abandoned. Without
 * a transcript `toolOutputs` answers calls of a conversation that the provider keeps, which `providerOptions` has to name.
 */
export type RunInput =
  | string
  | Transcript
  | {
      readonly transcript?: Transcript | undefined
      readonly messages?: readonly InputMessage[] | undefined
      readonly prompt?: string | undefined
      /** Answers by call id; `*` is the decision on every approval that has no answer of its own. */
      readonly toolOutputs?: Readonly<Record<string, ToolAnswer>> | undefined
    }

/** Per run: any option of the loop again, and a signal. */
export interface RunOptions extends Partial<StepLoopOptions> {
  readonly abortSignal?: AbortSignal | undefined
}
