import { errorText } from '../wire/error-text.ts'
import { copyJson, isObject } from '../wire/json.ts'
import type { Message, ToolCallPart, ToolOutput } from '../contract/messages.ts'
import { ownCopy } from '../tools/own-data.ts'
import { inTime, timedOut, type RunningTools } from './running-tools.ts'
import type { InputContext, InputRules } from '../tools/input-hooks.ts'
import { isStandardSchema, issuesOf, isValid, type StandardResult } from '../tools/standard-schema.ts'
import { isThenable } from '../tools/thenable.ts'
import type { FunctionTool } from '../tools/tool.ts'
import { errorOutput } from '../wire/tool-output.ts'

/** What the schema made of a call's arguments. */
export interface ValidInput {
  /** What `execute` gets; no other code holds it. */
  readonly input: unknown
  /** The arguments that were validated, where they are not those of the call. */
  readonly refined?: { readonly input: unknown } | undefined
  /** Milliseconds that were waited for hooks and the schema; they count as time of the tool. */
  readonly spentMs?: number | undefined
}

/** The answer for a call whose arguments cannot be used; `cause` is what a hook or the schema threw. */
export interface RefusedInput {
  readonly output: ToolOutput
  readonly cause?: unknown
  readonly input?: undefined
}

export type ResolvedInput = ValidInput | RefusedInput

export interface ResolveOptions {
  readonly inputHooks: InputRules
  /** The conversation up to the call. */
  readonly messages: readonly Message[]
  /** Milliseconds; 0: none. A tool's own `timeout` wins. */
  readonly toolTimeout: number
  /** Holds the call while it is waited for. */
  readonly running: RunningTools
}

/**
 * Refines and validates the arguments of a call. Gives a promise only where a hook or the schema has to be waited for, at most for the
 * tool's own time. Never throws: whatever goes wrong is the call's answer.
 */
export function resolveInput(
  call: ToolCallPart,
  tool: FunctionTool<never>,
  options: ResolveOptions,
): ResolvedInput | Promise<ResolvedInput> {
  const { inputHooks } = options
  const plain = inputHooks.refineInput === undefined && inputHooks.onInvalidInput === undefined
  if (plain && call.invalid !== undefined) return { output: unparsableOutput(call) }
  try {
    const resolving = plain ? validateInput(copyJson(call.input), tool) : hooked(call, tool, options)
    if (!isThenable(resolving)) return resolving
    return waited(resolving, call, tool.timeout ?? options.toolTimeout, options.running)
  } catch (cause) {
    return failedInput(cause)
  }
}

async function waited(
  resolving: PromiseLike<ResolvedInput>,
  call: ToolCallPart,
  timeout: number,
  running: RunningTools,
): Promise<ResolvedInput> {
  try {
    const { value, ms } = await inTime(resolving, timeout, running)
    if (value === timedOut) return { output: timeoutOutput(call, timeout) }
    return { ...value, spentMs: ms }
  } catch (cause) {
    return failedInput(cause)
  }
}

function noObjectOutput(): ToolOutput {
  return errorOutput(
    'invalid-input',
    'The input is not a JSON object. The call was not run; correct the input and call again.',
  )
}

/** The answer for what a hook, a schema or a tool threw. */
export function failedInput(cause: unknown): RefusedInput {
  return { output: errorOutput('tool-failed', errorText(cause) || 'The tool failed without a message.'), cause }
}

async function hooked(
  call: ToolCallPart,
  tool: FunctionTool<never>,
  { inputHooks, messages }: ResolveOptions,
): Promise<ResolvedInput> {
  const { refineInput, onInvalidInput, instructions } = inputHooks
  const context: InputContext = { messages, instructions }
  const refined = call.invalid === undefined ? await refineInput?.(ownCopy(call), context) : undefined
  const resolved = call.invalid === undefined ? await changed(refined, call, tool) : { output: unparsableOutput(call) }
  if (!('output' in resolved) || resolved.output.type !== 'error' || onInvalidInput === undefined) return resolved
  const repaired = await onInvalidInput(ownCopy(call), resolved.output.value, context)
  return repaired === undefined ? resolved : changed(repaired, call, tool)
}

async function changed(given: unknown, call: ToolCallPart, tool: FunctionTool<never>): Promise<ResolvedInput> {
  const kept = given === undefined
  const input = kept ? copyJson(call.input) : ownCopy(given)
  const resolved = await validateInput(input, tool)
  return kept || 'output' in resolved ? resolved : { ...resolved, refined: { input: ownCopy(given) } }
}

/** Throws, or rejects with, what the schema does. */
function validateInput(input: unknown, tool: FunctionTool<never>): ResolvedInput | Promise<ResolvedInput> {
  const schema = tool.inputSchema
  if (!isStandardSchema(schema)) return isObject(input) ? { input } : { output: noObjectOutput() }
  const result = schema['~standard'].validate(input)
  return isThenable(result) ? Promise.resolve(result).then(checkedInput) : checkedInput(result)
}

function checkedInput(result: StandardResult<unknown>): ResolvedInput {
  // A schema may keep what it gives: a default, say, that every call shares.
  if (isValid(result)) return { input: ownCopy(result.value) }
  const issues = issuesOf(result.issues)
  const first = issues[0]
  const where = first === undefined || first.path === '' ? 'The input' : `'${first.path}'`
  const message = `${where} is not valid: ${first?.message ?? 'no reason given'}. The call was not run; correct the input and call again.`
  return { output: errorOutput('invalid-input', message, { issues }) }
}

export function timeoutOutput(call: ToolCallPart, timeout: number): ToolOutput {
  return errorOutput('tool-timeout', `'${call.toolName}' did not finish within ${timeout} ms.`)
}

export function unparsableOutput(call: ToolCallPart): ToolOutput {
  const message = 'The arguments are not a JSON object, so the call was not run. Call again with valid JSON.'
  // Half a character at its end is no JSON to some providers, and would fail the next request.
  return errorOutput('unparsable-input', message, { received: call.inputText.slice(0, 200).toWellFormed() })
}
