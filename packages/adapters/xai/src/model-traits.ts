import type { Settings } from '@steploop/core/adapter'

type Effort = NonNullable<Settings['reasoning']>

/** All but the oldest and those that say that they do not. https://docs.x.ai/docs/guides/reasoning */
export function reasons(model: string): boolean {
  return !model.includes('non-reasoning') && !/^grok-(2|3(?!-mini)|beta|vision)/.test(model)
}

/** The others refuse to be told how much to reason ("does not support parameter reasoningEffort"). */
export function takesEffort(model: string): boolean {
  return /^grok-(3-mini|4\.20-multi-agent|4\.[3-9]|[5-9])/.test(model)
}

/** The effort in words that the model knows: Grok 3 mini has `low` and `high`. */
export function effortFor(model: string, wanted: Effort, coerced: (message: string) => void): Effort {
  if (!model.startsWith('grok-3-mini') || wanted === 'low' || wanted === 'high') return wanted
  const effort = wanted === 'none' ? 'low' : 'high'
  coerced(`${model} has no effort '${wanted}'; '${effort}' was sent`)
  return effort
}
