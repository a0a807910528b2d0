import type { Settings, Warn } from '@steploop/core/adapter'
import type { ModelTraits } from './model-traits.ts'

/** The vendor's types no longer have the first three; models until Claude 4.6 take them. */
export interface SamplingFields {
  readonly temperature: number | undefined
  readonly top_p: number | undefined
  readonly top_k: number | undefined
  readonly stop_sequences: readonly string[] | undefined
}

/** The settings that steer sampling, as far as the model takes them. The rest is warned of. */
export function samplingFields(settings: Settings, traits: ModelTraits, thinks: boolean, warn: Warn): SamplingFields {
  const drop = (name: keyof Settings, reason: string): undefined => {
    warn({ type: 'dropped', path: `settings.${name}`, message: `${name} is not sent: ${reason}.` })
  }
  for (const name of ['presencePenalty', 'frequencyPenalty', 'seed'] as const) {
    if (settings[name] !== undefined) drop(name, 'the API has no such setting')
  }
  const temperature = settings.temperature === undefined ? undefined : temperatureOf(settings.temperature, warn)
  const kept = { temperature, topP: settings.topP, topK: settings.topK }
  const problem = problemOf(traits, thinks)
  for (const name of ['temperature', 'topP', 'topK'] as const) {
    if (kept[name] === undefined || problem === undefined || (thinks && isTaken(name, kept[name]))) continue
    kept[name] = drop(name, problem)
  }
  if (kept.temperature !== undefined && kept.topP !== undefined && !traits.temperatureWithTopP) {
    kept.topP = drop('topP', 'the model takes temperature or topP, not both')
  }
  return {
    temperature: kept.temperature,
    top_p: kept.topP,
    top_k: kept.topK,
    stop_sequences: stopsOf(settings, warn),
  }
}

/** Stop sequences without blank ones, which are refused; `undefined`: none. */
export function stopsOf({ stopSequences = [] }: Settings, warn: Warn): readonly string[] | undefined {
  const stops = stopSequences.filter((text) => text.trim() !== '')
  if (stops.length < stopSequences.length) {
    warn({ type: 'dropped', path: 'settings.stopSequences', message: 'blank stopSequences are refused; not sent.' })
  }
  return stops.length === 0 ? undefined : stops
}

function problemOf(traits: ModelTraits, thinks: boolean): string | undefined {
  if (!traits.sampling) return 'the model refuses sampling settings'
  return thinks ? 'it cannot be combined with thinking' : undefined
}

/** With thinking the API takes `temperature` 1 and `top_p` from 0.95 to 1. */
function isTaken(name: 'temperature' | 'topP' | 'topK', value: number): boolean {
  if (name === 'temperature') return value === 1
  return name === 'topP' && value >= 0.95
}

function temperatureOf(temperature: number, warn: Warn): number {
  const within = Math.min(1, Math.max(0, temperature))
  if (within !== temperature) {
    const message = `temperature ${temperature} is sent as ${within}: the API takes 0 to 1.`
    warn({ type: 'coerced', path: 'settings.temperature', message })
  }
  return within
}
