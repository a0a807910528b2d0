import type { ToolChoice } from './adapter.ts'
import { LoopError } from './errors.ts'
import { isObject } from './json.ts'
import type { RunOptions, StepEdit, StepLoopOptions } from './loop-options.ts'
import type { ToolSet } from './tool.ts'

/** Words that an option takes. Code without types, and options from a file, may hold others. */
const words = {
  onLimit: ['finalize', 'incomplete', 'throw'],
  onToolError: ['answer', 'throw'],
  unknownTools: ['answer', 'client'],
  continuation: ['auto', 'off'],
} as const satisfies Partial<Record<keyof StepLoopOptions, readonly string[]>>

const functions = [
  'onStepStart',
  'onResponse',
  'onToolExecuted',
  'onStepEnd',
  'stopWhen',
  'prepareStep',
  'refineInput',
  'onInvalidInput',
  'denyCall',
  'costOf',
  'random',
  'generateId',
] as const satisfies readonly (keyof StepLoopOptions)[]

const records = ['headers', 'providerOptions'] as const satisfies readonly (keyof StepLoopOptions)[]
const lists = ['fallbacks', 'activeTools'] as const satisfies readonly (keyof StepLoopOptions)[]

/** Throws `LoopError` `invalid-options` for what would fail, or be ignored, in the middle of a run. */
export function checkOptions(options: RunOptions): void {
  checkModel('model', options.model)
  for (const name of lists) checkList(name, options[name])
  for (const [index, model] of (options.fallbacks ?? []).entries()) checkModel(`fallbacks[${index}]`, model)
  for (const [name, allowed] of Object.entries(words)) {
    const value: unknown = Reflect.get(options, name)
    if (value === undefined || (allowed as readonly unknown[]).includes(value)) continue
    throw invalid(`\`${name}\` is ${printed(value)}. It takes: ${allowed.join(', ')}.`)
  }
  for (const name of functions) {
    const value: unknown = options[name]
    if (value !== undefined && typeof value !== 'function') {
      throw invalid(`\`${name}\` is ${printed(value)}. Give a function.`)
    }
  }
  for (const name of records) {
    if (options[name] !== undefined && !isObject(options[name])) {
      throw invalid(`\`${name}\` is ${printed(options[name])}. Give an object.`)
    }
  }
  checkSignal(options.abortSignal)
  checkClock(options.clock)
  checkOutput(options.output)
  checkTools(options.tools ?? {})
  checkChoice(options.toolChoice, options.tools ?? {})
}

/** Before they are applied. */
export function checkPolicies(policies: unknown): void {
  checkList('policies', policies)
  for (const [index, policy] of ((policies ?? []) as readonly unknown[]).entries()) {
    if (typeof policy !== 'function') throw invalid(`\`policies[${index}]\` is ${printed(policy)}. Give a function.`)
  }
}

/** A policy without its `return` would end in words about a missing model. */
export function checkPolicyResult(options: StepLoopOptions, index: number): StepLoopOptions {
  if (isObject(options)) return options
  throw invalid(`\`policies[${index}]\` gave ${printed(options)}. A policy returns options.`)
}

function checkList(name: string, value: unknown): void {
  if (value !== undefined && !Array.isArray(value)) throw invalid(`\`${name}\` is ${printed(value)}. Give an array.`)
}

/** The controller instead of its signal is an easy slip. */
function checkSignal(signal: unknown): void {
  if (signal === undefined) return
  if (isObject(signal) && typeof signal['aborted'] === 'boolean' && typeof signal['addEventListener'] === 'function')
    return
  throw invalid(`\`abortSignal\` is ${printed(signal)}. Give the \`signal\` of an AbortController.`)
}

function checkClock(clock: unknown): void {
  if (clock === undefined) return
  if (isObject(clock) && typeof clock['now'] === 'function' && typeof clock['after'] === 'function') return
  throw invalid(`\`clock\` is ${printed(clock)}. Give { now, after }.`)
}

function checkOutput(output: unknown): void {
  if (output === undefined) return
  const schema = isObject(output) ? output['schema'] : undefined
  if (isObject(schema) || typeof schema === 'function') return
  throw invalid(`\`output\` is ${printed(output)}. Give { schema }, a Standard Schema or a JSON Schema.`)
}

/** What `prepareStep`, or the reader of the steps, gives for the next request. */
export function checkEdit({ model, toolChoice, activeTools }: StepEdit, tools: ToolSet): void {
  if (model !== undefined) checkModel('model', model)
  checkList('activeTools', activeTools)
  checkChoice(toolChoice, tools)
}

function checkModel(name: string, model: unknown): void {
  if (isObject(model) && typeof model['turn'] === 'function' && isObject(model['capabilities'])) return
  const mend = 'Give an adapter, for example openai("gpt-5-mini") from @steploop/openai.'
  throw invalid(`\`${name}\` is ${printed(model)}, which is no model. ${mend}`)
}

function checkTools(tools: unknown): asserts tools is ToolSet {
  if (!isObject(tools)) throw invalid(`\`tools\` is ${printed(tools)}. Give an object of tools by name.`)
  for (const [name, tool] of Object.entries(tools)) {
    const type = isObject(tool) ? tool['type'] : undefined
    if (type === 'provider' || (type === 'function' && isObject(tool) && isObject(tool['inputSchema']))) continue
    if (type === 'function' && isObject(tool) && typeof tool['inputSchema'] === 'function') continue
    throw invalid(`The tool '${name}' is no tool. Declare it with \`tool({ inputSchema, execute })\`.`)
  }
}

function checkChoice(choice: ToolChoice | undefined, tools: ToolSet): void {
  if (choice === undefined || choice === 'auto' || choice === 'none' || choice === 'required') return
  const name: unknown = isObject(choice) ? choice['toolName'] : undefined
  if (typeof name === 'string' && Object.hasOwn(tools, name)) return
  const known = Object.keys(tools)
  // Without tools there is nothing to choose, and no choice is sent.
  if (typeof name === 'string' && known.length === 0) return
  throw invalid(
    `\`toolChoice\` is ${printed(choice)}. It takes auto, none, required, or { type: 'tool', toolName } of one of the tools: ${known.join(', ') || 'none'}.`,
  )
}

export function invalid(message: string): LoopError {
  return new LoopError('invalid-options', message)
}

export function printed(value: unknown): string {
  if (typeof value === 'string') return `'${value.slice(0, 80)}'`
  if (!isObject(value)) return Array.isArray(value) ? 'an array' : String(value)
  return `an object with the keys ${Object.keys(value).slice(0, 8).join(', ') || '(none)'}`
}
