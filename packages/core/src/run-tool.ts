import { errorText } from './error-text.ts'
import { isObject } from './json.ts'
import { toJsonValue } from './json-value.ts'
import type { Message, ToolCallPart, ToolErrorCode, ToolErrorValue, ToolOutput } from './messages.ts'
import { leave, raceTime, timedOut, type RunningTools, type ToolRun } from './running-tools.ts'
import { isStandardSchema, issuesOf, type StandardResult } from './standard-schema.ts'
import type { FunctionTool, ToolContext } from './tool.ts'

export interface RunToolOptions {
  readonly call: ToolCallPart
  readonly tool: FunctionTool<never>
  /** Milliseconds; 0: none. */
  readonly timeout: number
  readonly signal: AbortSignal
  readonly idempotencyKey: (call: ToolCallPart) => string
  readonly transcriptId: string
  /** The conversation up to the call. */
  readonly messages: readonly Message[]
  readonly inputHooks: InputHooks
  /** Holds the tool while it runs, for whoever stops waiting for it. */
  readonly running: RunningTools
}

/** How an application may change the input of a call before it runs; not asked about calls that a person approved as they are. */
export interface InputHooks {
  /** Gives the input to use instead, `undefined` to keep the model's. What it gives is validated like the model's. */
  readonly refineInput?: ((call: ToolCallPart, context: InputContext) => unknown) | undefined
  /**
   * Gives an input for a call whose arguments are no JSON object or not valid, `undefined` to leave it at the error. `{}` runs such a call
   * without arguments. A truncated call is never asked about.
   */
  readonly onInvalidInput?: ((call: ToolCallPart, error: ToolErrorValue, context: InputContext) => unknown) | undefined
}

export interface InputContext {
  readonly messages: readonly Message[]
}

/** What became of a call; `cause` is what the tool threw. */
export interface ToolOutcome {
  readonly output: ToolOutput
  readonly cause?: unknown
}

/**
 * Validates the input, runs the tool and makes its output safe. Never rejects: whatever goes wrong is the call's error output. A tool
 * that ignores its signal is answered with `tool-timeout` when its time is over; what it returns later is dropped.
 */
export async function runTool(options: RunToolOptions): Promise<ToolOutcome> {
  const { call, tool, timeout, running } = options
  const execute = tool.execute as ((input: unknown, context: ToolContext) => unknown) | undefined
  if (execute === undefined) return { output: unparsableOutput(call) }
  const run: ToolRun = { controller: new AbortController(), timeout, deadline: undefined, expire: undefined }
  running.runs.add(run)
  try {
    const checking = resolveInput(options)
    const checked = isThenable(checking) ? await raceTime(checking, run, running) : checking
    if (checked === timedOut) return { output: timeoutOutput(call, timeout) }
    if ('output' in checked) return checked
    if (options.signal.aborted) return { output: errorOutput('aborted', 'The run was aborted before this call began.') }
    const context: ToolContext = {
      toolCallId: call.toolCallId,
      transcriptId: options.transcriptId,
      idempotencyKey: options.idempotencyKey(call),
      messages: options.messages,
      signal: run.controller.signal,
    }
    const returned = execute(checked.input, context)
    const result = isThenable(returned) ? await raceTime(returned, run, running) : returned
    if (result === timedOut) return { output: timeoutOutput(call, timeout) }
    return { output: tool.toModelOutput === undefined ? outputOf(result) : safeOutput(tool.toModelOutput(result)) }
  } catch (cause) {
    if (options.signal.aborted)
      return { output: errorOutput('aborted', 'The run was aborted before this call was done.') }
    return { output: errorOutput('tool-failed', errorText(cause) || 'The tool failed without a message.'), cause }
  } finally {
    leave(running, run)
  }
}

/** A text stays a text, anything else becomes JSON. */
export function outputOf(result: unknown): ToolOutput {
  return typeof result === 'string' ? { type: 'text', value: result } : { type: 'json', value: toJsonValue(result) }
}

export function errorOutput(
  code: ToolErrorCode,
  message: string,
  details?: Readonly<Record<string, unknown>>,
): ToolOutput {
  return { type: 'error', value: { code, message, ...details } }
}

function timeoutOutput(call: ToolCallPart, timeout: number): ToolOutput {
  return errorOutput('tool-timeout', `'${call.toolName}' did not finish within ${timeout} ms.`)
}

/** What `toModelOutput` made is the application's: no less odd than what a tool returns. */
function safeOutput(made: unknown): ToolOutput {
  const value = isObject(made) ? made['value'] : undefined
  switch (isObject(made) ? made['type'] : undefined) {
    case 'text':
      if (typeof value === 'string') return { type: 'text', value }
      break
    case 'json':
      if (value !== undefined) return { type: 'json', value: toJsonValue(value) }
      break
    case 'error':
    case 'content':
      if (typeof value === 'object' && value !== null) return toJsonValue(made) as ToolOutput
      break
    default:
  }
  throw new TypeError('`toModelOutput` gave no tool output. Return { type, value } at once, not a promise of it.')
}

type CheckedInput = { readonly input: unknown } | ToolOutcome

function resolveInput(options: RunToolOptions): CheckedInput | Promise<CheckedInput> {
  const { call, tool, inputHooks } = options
  const plain = inputHooks.refineInput === undefined && inputHooks.onInvalidInput === undefined
  return plain && call.invalid === undefined ? checkInput(call.input, tool) : hookedInput(options)
}

async function hookedInput({ call, tool, inputHooks, messages }: RunToolOptions): Promise<CheckedInput> {
  const { refineInput, onInvalidInput } = inputHooks
  const refined = call.invalid === undefined ? await refineInput?.(call, { messages }) : undefined
  const checked =
    call.invalid === undefined ? await checkInput(refined ?? call.input, tool) : { output: unparsableOutput(call) }
  if ('input' in checked || checked.output.type !== 'error' || onInvalidInput === undefined) return checked
  const repaired = await onInvalidInput(call, checked.output.value, { messages })
  return repaired === undefined ? checked : checkInput(repaired, tool)
}

export function unparsableOutput(call: ToolCallPart): ToolOutput {
  const message = 'The arguments are not a JSON object, so the call was not run. Call again with valid JSON.'
  return errorOutput('unparsable-input', message, { received: call.inputText.slice(0, 200) })
}

function checkInput(input: unknown, tool: FunctionTool<never>): CheckedInput | Promise<CheckedInput> {
  const schema = tool.inputSchema
  if (!isStandardSchema(schema)) return { input }
  const result = schema['~standard'].validate(input)
  return isThenable(result) ? Promise.resolve(result).then(checkedInput) : checkedInput(result)
}

function checkedInput(result: StandardResult<unknown>): CheckedInput {
  if (result.issues === undefined) return { input: result.value }
  const issues = issuesOf(result.issues)
  const first = issues[0]
  const where = first === undefined || first.path === '' ? 'The input' : `'${first.path}'`
  const message = `${where} is not valid: ${first?.message ?? 'no reason given'}. The call was not run; correct the input and call again.`
  return { output: errorOutput('invalid-input', message, { issues }) }
}

export function isThenable<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof value === 'object' && value !== null && typeof Reflect.get(value, 'then') === 'function'
}
