import type { ToolChoice } from '../contract/adapter.ts'
import { isObject, type JsonObject } from '../wire/json.ts'
import { check, invalid, printed } from './invalid-option.ts'
import type { Middleware } from './middleware.ts'
import { checkKind, checkKinds, optionTable, type Kind } from './option-table.ts'
import type { RunOptions, StepEdit, StepLoopOptions } from './loop-options.ts'
import type { OutputOptions } from '../output/structured.ts'
import { settingNames } from './settings.ts'
import { isThenable } from '../tools/thenable.ts'
import type { FunctionTool, ToolSet } from '../tools/tool.ts'

const toolKinds = {
  type: 'other',
  description: 'string',
  inputSchema: 'other',
  execute: 'function',
  needsApproval: 'other',
  timeout: 0,
  maxTotalTimeout: 0,
  effect: ['read', 'write'],
  strict: 'boolean',
  providerOptions: 'record',
  toModelOutput: 'function',
} as const satisfies Readonly<Record<keyof FunctionTool, Kind>>

/** Throws `LoopError` `invalid-options` for what would fail, or be ignored, in the middle of a run. */
export function checkOptions(options: RunOptions): void {
  const { maxSteps } = options
  // A function that gives it is asked later.
  checkKinds('', typeof maxSteps === 'function' ? { ...options, maxSteps: undefined } : options, optionTable)
  checkKind('model', options.model, 'model')
  for (const [index, model] of (options.fallbacks ?? []).entries()) checkKind(`fallbacks[${index}]`, model, 'model')
  checkOutput(options.output)
  checkTools(options.tools ?? {})
  checkChoice(options.toolChoice, options.tools ?? {})
}

/** Before they are applied. */
export function checkPolicies(policies: unknown): void {
  checkKind('policies', policies, 'list')
  for (const [index, policy] of (policies as readonly unknown[]).entries()) {
    checkKind(`policies[${index}]`, policy, 'function')
  }
}

/** A policy without its `return` would end in words about a missing model. */
export function checkPolicyResult(options: StepLoopOptions, name: string): StepLoopOptions {
  if (isObject(options)) return options
  throw invalid(`\`${name}\` gave ${printed(options)}. A policy returns options.`)
}

/** What is given for all runs, or was made for one. */
export function checkMiddleware(given: unknown): asserts given is Middleware {
  const fix = 'Give { run, turn, tool }, functions each, or a function that makes them.'
  check(isObject(given) && !isThenable(given), '`middleware`', given, fix)
  checkKinds('`middleware`: ', given, middlewareKinds)
}

const middlewareKinds = { run: 'function', turn: 'function', tool: 'function' } as const satisfies Readonly<
  Record<keyof Middleware, Kind>
>

function checkOutput(output: unknown): void {
  if (output === undefined) return
  const fix = 'Give { schema }, a Standard Schema or a JSON Schema.'
  check(isObject(output) && isSchema(output['schema']), '`output`', output, fix)
  checkKinds('`output`: ', output, outputKinds)
}

/** An object, or a function, as those of some libraries are. */
function isSchema(schema: unknown): boolean {
  return isObject(schema) || typeof schema === 'function'
}

const outputKinds = {
  schema: 'other',
  name: 'string',
  description: 'string',
  maxRepairs: 'other',
  partial: 'boolean',
} as const satisfies Readonly<Record<keyof OutputOptions, Kind>>

/** What `prepareStep`, or the reader of the steps, gives for the next request. */
export function checkEdit(edit: StepEdit, tools: ToolSet): void {
  const kinds: Record<string, Kind> = {
    messages: 'other',
    model: 'model',
    instructions: 'other',
    activeTools: 'list',
    toolChoice: 'other',
    mode: 'other',
    fallback: 'other',
  }
  for (const name of settingNames) kinds[name] = 'other'
  checkKinds('The edit of a step: ', edit, kinds)
  checkChoice(edit.toolChoice, tools)
}

function checkTools(tools: unknown): asserts tools is ToolSet {
  check(isObject(tools), '`tools`', tools, 'Give an object of tools by name.')
  for (const [name, tool] of Object.entries(tools)) {
    if (isObject(tool) && tool['type'] === 'provider') continue
    if (!isObject(tool) || tool['type'] !== 'function' || !isSchema(tool['inputSchema'])) {
      throw invalid(`The tool '${name}' is no tool. Declare it with \`tool({ inputSchema, execute })\`.`)
    }
    checkTool(`The tool '${name}': `, tool)
  }
}

/** A misspelt or odd `needsApproval` must not let calls through. */
function checkTool(owner: string, tool: JsonObject): void {
  checkKinds(owner, tool, toolKinds)
  const { needsApproval } = tool
  const isAsked = ['undefined', 'boolean', 'function'].includes(typeof needsApproval)
  check(isAsked, `${owner}\`needsApproval\``, needsApproval, 'Give true, false or a function.')
}

function checkChoice(choice: ToolChoice | undefined, tools: ToolSet): void {
  if (choice === undefined || choice === 'auto' || choice === 'none' || choice === 'required') return
  const name: unknown = isObject(choice) ? choice['toolName'] : undefined
  if (typeof name === 'string' && Object.hasOwn(tools, name)) return
  const known = Object.keys(tools)
  // Without tools there is nothing to choose, and no choice is sent.
  if (typeof name === 'string' && known.length === 0) return
  const fix = `It takes auto, none, required, or { type: 'tool', toolName } of one of the tools: ${known.join(', ') || 'none'}.`
  check(false, '`toolChoice`', choice, fix)
}
