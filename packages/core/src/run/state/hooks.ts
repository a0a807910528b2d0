import { errorText } from '../../wire/error-text.ts'
import { hookFailed } from '../../tools/hook-failed.ts'
import type { Message } from '../../contract/messages.ts'
import type { LoopEvent } from '../../contract/loop-events.ts'
import { objectOf } from '../../wire/json.ts'
import { toJsonValue } from '../../wire/json-value.ts'
import { readMessages } from '../../transcript/check-messages.ts'
import { callIdsIn } from '../../transcript/unique-ids.ts'
import { addIds } from './call-ids.ts'
import {
  append,
  callIdsOf,
  stepNumber,
  transcriptOf,
  warn,
  type RunState,
  type Written,
  type Numbered,
} from './run-state.ts'
import type {
  StepContext,
  ToolStartControl,
  LoopControl,
  Hook,
  ToolStartHook,
  Hooks,
} from '../../options/loop-hooks.ts'

type Details = Pick<StepContext, 'request' | 'response' | 'toolCall' | 'toolResult' | 'finalizing'>

/** Calls a hook, if there is one and no earlier one has ended the run. `ended`: the run has to end; `extended`: it has to go on. */
export function askHook(
  run: RunState,
  name: Exclude<keyof Hooks, 'onToolStart' | 'onToolExecuted'>,
  details: Details = {},
): Promise<HookVerdict> | HookVerdict {
  const hook = run.config[name]
  if (run.ended !== undefined) return 'ended'
  return hook === undefined ? undefined : callHook(run, name, hook, details)
}

type HookVerdict = 'ended' | 'extended' | undefined

async function callHook(run: RunState, name: keyof Hooks, hook: Hook, details: Details): Promise<HookVerdict> {
  const control = await guardHook(run, name, async () => checkControl(await hook(contextOf(run, details))))
  if (control === undefined) return undefined
  if (control.type === 'continue') return extend(run, name, control.messages)
  run.ended = control
  return 'ended'
}

/** Asks about one call. Not raced against an abort: whoever waits for the calls of the step is. */
export async function askToolHook(
  run: RunState,
  name: 'onToolStart' | 'onToolExecuted',
  details: Details,
): Promise<{ readonly output: unknown } | undefined> {
  const hook: ToolStartHook | undefined = run.config[name]
  const ask = async (): Promise<ToolStartControl | undefined> =>
    checkControl(await hook?.(contextOf(run, details)), name === 'onToolStart')
  const control = await named(run, name, ask)
  if (control?.type === 'answer') return control
  if (control !== undefined && control.type !== 'continue') run.ended = control
  return undefined
}

function contextOf(run: RunState, details: Details): StepContext {
  const { request, response } = details
  return {
    step: stepNumber(run),
    model: run.model,
    tools: run.config.tools,
    ...details,
    ...(request && {
      request: {
        ...request,
        get messages() {
          // Its own list has grown since.
          const sent = request.messages.findLastIndex((message) => message === response)
          return request.messages.slice(0, sent === -1 ? undefined : sent)
        },
      },
    }),
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
}

/** Code without types returns what its last call gave, `push` a number say; that must not end the run without a word. */
function checkControl(control: unknown): LoopControl | undefined
function checkControl(control: unknown, mayAnswer: boolean): ToolStartControl | undefined
function checkControl(control: unknown, mayAnswer = false): ToolStartControl | undefined {
  if (control === undefined || control === null) return undefined
  const { type, reason, response } = objectOf(control)
  const known =
    type === 'continue' ||
    (type === 'stop' && typeof reason === 'string') ||
    (type === 'override' && typeof response === 'string') ||
    (mayAnswer && type === 'answer' && 'output' in objectOf(control))
  if (known) return control as ToolStartControl
  const answer = mayAnswer ? ", { type: 'answer', output }" : ''
  const expected = `nothing, { type: 'continue' }${answer}, { type: 'stop', reason } or { type: 'override', response }`
  throw new TypeError(`it returned ${errorText(toJsonValue(control))}. Return ${expected}.`)
}

/** Only after a step is the history closed, so that messages can follow. */
async function extend(
  run: RunState,
  name: keyof Hooks,
  given: readonly Message[] = [],
): Promise<'extended' | undefined> {
  if (name !== 'onStepEnd' || given.length === 0 || run.pending.length > 0) return undefined
  const { messages, warnings } = readMessages(name, given, false, callIdsIn(run.messages))
  addIds(callIdsOf(run), messages)
  for (const message of messages) append(run, message)
  await warn(run, warnings)
  return 'extended'
}

/** The text of an `override` becomes the last message; gives its events. */
export function applyOverride(run: Written & Pick<RunState, 'ended' | 'steps'>): readonly LoopEvent[] {
  if (run.ended?.type !== 'override') return []
  const { response: text } = run.ended
  append(run, { role: 'assistant', content: [{ type: 'text', text }] })
  const part = run.steps.at(-1)?.message.content.length ?? 0
  return [
    { type: 'text-start', part },
    { type: 'text-delta', part, text },
    { type: 'text-end', part },
  ]
}

/** Runs the application's code; whatever it throws is `hook-failed`, and an abort does not wait for it. */
export function guardHook<T>(
  run: Numbered & Pick<RunState, 'scope'>,
  name: string,
  call: () => T | Promise<T>,
): Promise<Awaited<T>> {
  return run.scope.race(named(run, name, call))
}

async function named<T>(run: Numbered, name: string, call: () => T | Promise<T>): Promise<Awaited<T>> {
  try {
    return await call()
  } catch (cause) {
    throw hookFailed(name, cause, ` in step ${stepNumber(run)}`)
  }
}
