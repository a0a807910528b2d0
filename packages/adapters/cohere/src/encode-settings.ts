import {
  moreTools,
  settingFields,
  type JsonObject,
  type SettingNames,
  type Settings,
  type ToolChoice,
  type Warning,
} from '@steploop/core/adapter'
import type { WireRequest } from './vendor-types.ts'

const names = {
  maxOutputTokens: 'max_tokens',
  temperature: 'temperature',
  topP: 'p',
  topK: 'k',
  presencePenalty: 'presence_penalty',
  frequencyPenalty: 'frequency_penalty',
  stopSequences: 'stop_sequences',
  seed: 'seed',
} satisfies SettingNames<keyof WireRequest>

/** Settings as members of the body; what Cohere does not know is left out with a warning. */
export function encodeSettings(settings: Settings = {}, warnings: Warning[]): JsonObject {
  const presencePenalty = presenceOf(settings, warnings)
  if (settings.parallelToolCalls === false) {
    const message = 'Cohere cannot be told to make one call at a time; the setting was left out'
    warnings.push({ type: 'unsupported', path: 'settings.parallelToolCalls', message })
  }
  const stopSequences = stopsOf(settings.stopSequences, warnings)
  const thinking = encodeThinking(settings.reasoning, warnings)
  const fields = settingFields({ ...settings, presencePenalty, stopSequences }, names)
  return thinking === undefined ? fields : { ...fields, thinking }
}

/** "Only one of `presence_penalty` and `frequency_penalty` can be specified" (https://docs.cohere.com/reference/errors). */
function presenceOf({ presencePenalty, frequencyPenalty }: Settings, warnings: Warning[]): number | undefined {
  if (presencePenalty === undefined || frequencyPenalty === undefined) return presencePenalty
  const message = 'Cohere takes one penalty at a time; `frequencyPenalty` is sent'
  warnings.push({ type: 'dropped', path: 'settings.presencePenalty', message })
  return undefined
}

const mostStops = 5

function stopsOf(stops: readonly string[] | undefined, warnings: Warning[]): readonly string[] | undefined {
  if (stops === undefined || stops.length === 0) return undefined
  if (stops.length > mostStops) {
    const message = `Cohere takes ${mostStops} stop sequences; the others were left out`
    warnings.push({ type: 'dropped', path: 'settings.stopSequences', message })
  }
  return stops.slice(0, mostStops)
}

/** On or off; how much is a budget of tokens, which only the caller can know (https://docs.cohere.com/docs/reasoning). */
function encodeThinking(reasoning: Settings['reasoning'], warnings: Warning[]): WireRequest['thinking'] {
  if (reasoning === undefined) return undefined
  if (reasoning === 'none') return { type: 'disabled' }
  if (reasoning !== 'medium') {
    const message = `thinking is switched on without the level '${reasoning}'; set \`thinking.token_budget\` in providerOptions to bound it`
    warnings.push({ type: 'coerced', path: 'settings.reasoning', message })
  }
  return { type: 'enabled' }
}

/** `undefined`: nothing to send, the model decides. */
export function encodeToolChoice(
  choice: ToolChoice | undefined,
  warnings: Warning[],
): NonNullable<WireRequest['tool_choice']> | undefined {
  if (choice === 'none') return 'NONE'
  if (choice === 'required') return 'REQUIRED'
  if (choice !== undefined && choice !== 'auto') {
    const message = `Cohere cannot be told to call '${choice.toolName}'; the model decides`
    warnings.push({ type: 'coerced', path: 'toolChoice', message })
  }
  return undefined
}

const fromTurn = new Set(['model', 'messages', 'stream'])

/** `providerOptions.cohere`: members of the body, and more tools. */
export function callerFields(given: JsonObject, warnings: Warning[]) {
  const fields: Record<string, unknown> = {}
  const { tools: _, ...rest } = given
  for (const [name, value] of Object.entries(rest)) {
    if (value === undefined) continue
    if (fromTurn.has(name)) {
      const message = `\`${name}\` of the body is made from the turn and cannot be set`
      warnings.push({ type: 'dropped', path: `providerOptions.${name}`, message })
    } else fields[name] = value
  }
  return { fields, tools: moreTools(given, (warning) => void warnings.push(warning)) }
}
