import {
  isObject,
  moreTools,
  settingFields,
  type JsonObject,
  type SettingNames,
  type Settings,
  type Warning,
} from '@steploop/core/adapter'
import type { Options } from 'ollama'

const names = {
  maxOutputTokens: 'num_predict',
  temperature: 'temperature',
  topP: 'top_p',
  topK: 'top_k',
  presencePenalty: 'presence_penalty',
  frequencyPenalty: 'frequency_penalty',
  stopSequences: 'stop',
  seed: 'seed',
} satisfies SettingNames<keyof Options>

/** Settings as members of `options`; what the server does not know is left out with a warning. */
export function encodeOptions(settings: Settings | undefined, warnings: Warning[]): JsonObject {
  if (settings?.parallelToolCalls === false) {
    const message = 'Ollama cannot be told to make one call at a time; the setting was left out'
    warnings.push({ type: 'unsupported', path: 'settings.parallelToolCalls', message })
  }
  return settingFields(settings, names)
}

/** `gpt-oss:20b`, `library/gpt-oss`, `hf.co/someone/gpt-oss-20b-GGUF`. */
const levelModel = /(^|\/)gpt-oss\b/i

/**
 * gpt-oss thinks at a level and cannot be told not to; the others know on and off, and several releases of the server refuse a level
 * for them (https://docs.ollama.com/capabilities/thinking).
 */
export function encodeThink(
  reasoning: Settings['reasoning'],
  model: string,
  warnings: Warning[],
): boolean | 'low' | 'medium' | 'high' | undefined {
  if (reasoning === undefined) return undefined
  const coerced = (message: string): void => {
    warnings.push({ type: 'coerced', path: 'settings.reasoning', message })
  }
  if (levelModel.test(model)) {
    if (reasoning !== 'none') return reasoning
    coerced(`${model} cannot stop thinking; 'low' is sent`)
    return 'low'
  }
  if (reasoning === 'none') return false
  if (reasoning !== 'medium') {
    coerced(
      `thinking is switched on without the level '${reasoning}'; set \`think\` in providerOptions to send a level`,
    )
  }
  return true
}

/** What stands beside `options`; the server ignores these inside of it, and everything else outside of it, without a word. */
const topLevel = /^(think|keep_alive|format|logprobs|top_logprobs|truncate|shift)$/
const fromTurn = /^(model|messages|stream)$/

/** Sorts `providerOptions.ollama` into members of the body, members of its `options`, and tools that go behind the turn's. */
export function callerFields(given: JsonObject, warnings: Warning[]) {
  const top: Record<string, unknown> = {}
  const options: Record<string, unknown> = {}
  const drop = (name: string, message: string): void => {
    warnings.push({ type: 'dropped', path: `providerOptions.${name}`, message })
  }
  const { tools: _, ...rest } = given
  for (const [name, value] of Object.entries(rest)) {
    if (value === undefined) continue
    if (fromTurn.test(name)) drop(name, `\`${name}\` of the body is made from the turn and cannot be set`)
    else if (topLevel.test(name)) top[name] = value
    else if (name === 'options' && isObject(value)) Object.assign(options, value)
    else options[name] = value
  }
  return { top, options, tools: moreTools(given, (warning) => void warnings.push(warning)) }
}
