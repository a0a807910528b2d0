import type { TurnRequest } from './adapter.ts'
import { AbortReason } from './abort-scope.ts'
import { errorText } from './error-text.ts'
import { LoopError } from './errors.ts'
import type { AssistantMessage, Message, ToolCallPart, ToolResultPart } from './messages.ts'
import type { Step } from './run-result.ts'
import { objectOf } from './json.ts'
import { toJsonValue } from './json-value.ts'
import { readMessages } from './run-input.ts'
import { append, transcriptOf, warn, type RunState } from './run-state.ts'
import type { Transcript } from './transcript.ts'

/**
 * What a hook decides. Nothing (or `continue`): go on; with `messages`, in `onStepEnd`, they are appended and the run goes on even if the
 * model has answered. `stop`: end the run now, with `stopReason: 'hook'` and the reason as `stopDetail`.
 * `override`: end it with this text as the answer. Calls that are not run yet are answered `not-executed`.
 */
export type LoopControl =
  | { readonly type: 'continue'; readonly messages?: readonly Message[] | undefined }
  | { readonly type: 'stop'; readonly reason: string }
  | { readonly type: 'override'; readonly response: string }

/** What hooks see: a read-only view of the run. `steps`, `messages` and `transcript` are snapshots, made when they are read. */
export interface StepContext {
  /** Number of the step, from 0. */
  readonly step: number
  readonly steps: readonly Step[]
  readonly messages: readonly Message[]
  /** From `onResponse` on. */
  readonly request?: TurnRequest | undefined
  readonly response?: AssistantMessage | undefined
  /** In `onToolExecuted`. */
  readonly toolCall?: ToolCallPart | undefined
  readonly toolResult?: ToolResultPart | undefined
  readonly transcript: Transcript
}

export type Hook = (context: StepContext) => LoopControl | undefined | void | Promise<LoopControl | undefined | void>

/** Each may end the run; one that throws ends it with `LoopError` `hook-failed`. */
export interface Hooks {
  /** Before the request is built. */
  readonly onStepStart?: Hook | undefined
  /** After the model answered, before any of its calls runs. */
  readonly onResponse?: Hook | undefined
  /** For each call that was answered, in call order, when all calls of the step are done. */
  readonly onToolExecuted?: Hook | undefined
  readonly onStepEnd?: Hook | undefined
}

type Details = Pick<StepContext, 'request' | 'response' | 'toolCall' | 'toolResult'>

/** Calls a hook, if there is one and no earlier one has ended the run. `ended`: the run has to end; `extended`: it has to go on. */
export function askHook(run: RunState, name: keyof Hooks, details: Details = {}): Promise<HookVerdict> | HookVerdict {
  const hook = run.config.hooks[name]
  if (run.ended !== undefined) return 'ended'
  return hook === undefined ? undefined : callHook(run, name, hook, details)
}

type HookVerdict = 'ended' | 'extended' | undefined

async function callHook(run: RunState, name: keyof Hooks, hook: Hook, details: Details): Promise<HookVerdict> {
  const context: StepContext = {
    step: run.steps.length,
    ...details,
    get steps() {
      return run.steps.slice()
    },
    get messages() {
      return run.messages.slice()
    },
    get transcript() {
      return transcriptOf(run)
    },
  }
  const control = await guardHook(run, name, async () => checkControl(await hook(context)))
  if (control === undefined) return undefined
  if (control.type === 'continue') return extend(run, name, control.messages)
  run.ended = control
  return 'ended'
}

/** Code without types returns what its last call gave, `push` a number say; that must not end the run without a word. */
function checkControl(control: unknown): LoopControl | undefined {
  if (control === undefined || control === null) return undefined
  const { type, reason, response } = objectOf(control)
  const known =
    type === 'continue' ||
    (type === 'stop' && typeof reason === 'string') ||
    (type === 'override' && typeof response === 'string')
  if (known) return control as LoopControl
  const expected = "nothing, { type: 'continue' }, { type: 'stop', reason } or { type: 'override', response }"
  throw new TypeError(`it returned ${errorText(toJsonValue(control))}. Return ${expected}.`)
}

/** Only after a step is the history closed, so that messages can follow. */
async function extend(
  run: RunState,
  name: keyof Hooks,
  given: readonly Message[] = [],
): Promise<'extended' | undefined> {
  if (name !== 'onStepEnd' || given.length === 0 || run.pending.length > 0) return undefined
  const { messages, warnings } = readMessages(name, given)
  for (const message of messages) append(run, message)
  await warn(run, warnings)
  return 'extended'
}

/** The text of an `override` becomes the last message. */
export function applyOverride(run: RunState): void {
  if (run.ended?.type !== 'override') return
  append(run, { role: 'assistant', content: [{ type: 'text', text: run.ended.response }] })
}

/** Runs the application's code; whatever it throws is `hook-failed`, and an abort does not wait for it. */
export async function guardHook<T>(run: RunState, name: string, call: () => T | Promise<T>): Promise<Awaited<T>> {
  try {
    return await run.scope.race(Promise.resolve(call()))
  } catch (cause) {
    if (cause instanceof AbortReason) throw cause
    const message = `\`${name}\` failed in step ${run.steps.length}: ${errorText(cause)}`
    throw new LoopError('hook-failed', message, { cause })
  }
}
