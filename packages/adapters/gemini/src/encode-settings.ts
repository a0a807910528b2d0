import type { GenerationConfig, ThinkingConfig } from '@google/genai'
import { settingFields, type JsonObject, type SettingNames, type Settings, type Warn } from '@steploop/core/adapter'
import type { ModelTraits } from './model-traits.ts'
import type { Plain } from './names.ts'

const mostStopSequences = 5

const names = {
  maxOutputTokens: 'maxOutputTokens',
  temperature: 'temperature',
  topP: 'topP',
  topK: 'topK',
  presencePenalty: 'presencePenalty',
  frequencyPenalty: 'frequencyPenalty',
  seed: 'seed',
  stopSequences: 'stopSequences',
} satisfies SettingNames<keyof GenerationConfig>

/** `generationConfig` from the settings, without the response format. */
export function generationConfig(settings: Settings, traits: ModelTraits, warn: Warn): JsonObject {
  const stops = stopsOf(settings.stopSequences ?? [], warn)
  const thinking = settings.reasoning === undefined ? undefined : thinkingConfig(settings.reasoning, traits, warn)
  if (settings.parallelToolCalls === false) {
    const message = 'The API has no switch for parallel calls; the model may make several.'
    warn({ type: 'unsupported', path: 'settings.parallelToolCalls', message })
  }
  const fields = settingFields({ ...settings, stopSequences: stops }, names)
  return thinking === undefined ? fields : { ...fields, thinkingConfig: thinking }
}

function stopsOf(stops: readonly string[], warn: Warn): readonly string[] {
  if (stops.length > mostStopSequences) {
    const message = `The API takes ${mostStopSequences} stop sequences; the others are left out.`
    warn({ type: 'dropped', path: 'settings.stopSequences', message })
  }
  return stops.slice(0, mostStopSequences)
}

type Effort = NonNullable<Settings['reasoning']>

/** Budgets as Google's own OpenAI endpoint maps efforts (https://ai.google.dev/gemini-api/docs/openai). */
const budgets: Readonly<Record<Effort, number>> = { none: 0, low: 1024, medium: 8192, high: 24576 }
const smallestProBudget = 128

function thinkingConfig(effort: Effort, traits: ModelTraits, warn: Warn): Plain<ThinkingConfig> | undefined {
  const said = (type: 'coerced' | 'dropped', message: string): void =>
    warn({ type, path: 'settings.reasoning', message })
  if (traits.thinking === 'none') {
    if (effort !== 'none') said('dropped', 'reasoning is not sent: the model does not think.')
    return undefined
  }
  const includeThoughts = effort !== 'none'
  if (effort === 'none' && (traits.alwaysThinks || traits.thinking === 'level')) {
    said('coerced', 'The model cannot leave thinking off; it is asked to think as little as it can.')
  }
  if (traits.thinking === 'budget') {
    const thinkingBudget = effort === 'none' && traits.alwaysThinks ? smallestProBudget : budgets[effort]
    return { includeThoughts, thinkingBudget }
  }
  if (effort === 'none') return { includeThoughts, thinkingLevel: traits.alwaysThinks ? 'LOW' : 'MINIMAL' }
  if (effort === 'medium' && traits.lowOrHighOnly) {
    said('coerced', 'The model knows low and high only; medium is sent as high.')
    return { includeThoughts, thinkingLevel: 'HIGH' }
  }
  const levels = { low: 'LOW', medium: 'MEDIUM', high: 'HIGH' } as const
  return { includeThoughts, thinkingLevel: levels[effort] }
}
