import type { ToolChoice } from './adapter.ts'
import { LoopError } from './errors.ts'
import { isObject } from './json.ts'
import type { StepLoopOptions } from './loop-options.ts'
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
] as const satisfies readonly (keyof StepLoopOptions)[]

/** Throws `LoopError` `invalid-options` for what would fail, or be ignored, in the middle of a run. */
export function checkOptions(options: StepLoopOptions): void {
  checkModel('model', options.model)
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
  checkTools(options.tools ?? {})
  checkChoice(options.toolChoice, options.tools ?? {})
}

function checkModel(name: string, model: unknown): void {
  if (isObject(model) && typeof model['turn'] === 'function') return
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

function invalid(message: string): LoopError {
  return new LoopError('invalid-options', message)
}

function printed(value: unknown): string {
  if (typeof value === 'string') return `'${value.slice(0, 80)}'`
  if (!isObject(value)) return Array.isArray(value) ? 'an array' : String(value)
  return `an object with the keys ${Object.keys(value).slice(0, 8).join(', ') || '(none)'}`
}
