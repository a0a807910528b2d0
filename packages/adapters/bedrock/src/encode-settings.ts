import {
  asksToThink,
  isMissingThinking,
  isThinkingBudget,
  samplingFields,
  stopsOf,
  thinkingFields,
  type ModelTraits,
} from '@steploop/anthropic'
import {
  objectOf,
  type JsonObject,
  type Origin,
  type Settings,
  type TurnRequest,
  type Warn,
} from '@steploop/core/adapter'
import { modelFamily, type ModelFamily } from './model-traits.ts'

/** What settings become: members of `inferenceConfig`, and fields that only the model knows. */
export interface SettingFields {
  readonly inferenceConfig: JsonObject
  readonly additionalModelRequestFields: JsonObject
  /** Member of `outputConfig`. */
  readonly effort?: string | undefined
}

/** `additional` are the fields that the caller gave the model: thinking may be among them. */
export function encodeSettings(
  request: TurnRequest,
  origin: Origin,
  additional: JsonObject,
  warn: Warn,
): SettingFields {
  const { settings = {} } = request
  const family = modelFamily(origin.model)
  if (settings.parallelToolCalls === false) {
    const message = 'Converse cannot be told to make one call at a time; the setting was left out'
    warn({ type: 'unsupported', path: 'settings.parallelToolCalls', message })
  }
  return family.claude === undefined
    ? otherSettings(settings, family, warn)
    : claudeSettings(request, { settings, traits: family.claude, origin, additional, warn })
}

interface ClaudeOptions {
  readonly settings: Settings
  readonly traits: ModelTraits
  readonly origin: Origin
  readonly additional: JsonObject
  readonly warn: Warn
}

function claudeSettings(request: TurnRequest, options: ClaudeOptions): SettingFields {
  const { settings, traits, origin, additional, warn } = options
  const most = settings.maxOutputTokens ?? traits.defaultMaxTokens
  let thinking = thinkingFields(settings.reasoning, traits, most, warn)
  if (isThinkingBudget(thinking?.thinking) && isMissingThinking(request.messages, origin.provider, false)) {
    const message = 'No thinking in this turn: Claude refuses it while calls are answered that were made without.'
    warn({ type: 'dropped', path: 'settings.reasoning', message })
    thinking = undefined
  }
  const thinks = asksToThink(additional['thinking'] ?? thinking?.thinking)
  const sampling = samplingFields(settings, traits, thinks, warn)
  const maxTokens = thinking?.thinking === undefined ? settings.maxOutputTokens : most
  return {
    inferenceConfig: {
      ...(maxTokens !== undefined && { maxTokens }),
      ...(sampling.temperature !== undefined && { temperature: sampling.temperature }),
      ...(sampling.top_p !== undefined && { topP: sampling.top_p }),
      ...(sampling.stop_sequences !== undefined && { stopSequences: sampling.stop_sequences }),
    },
    additionalModelRequestFields: {
      ...(sampling.top_k !== undefined && { top_k: sampling.top_k }),
      ...(thinking?.thinking !== undefined && { thinking: thinking.thinking }),
    },
    effort: thinking?.effort,
  }
}

function otherSettings(settings: Settings, { name }: ModelFamily, warn: Warn): SettingFields {
  const { maxOutputTokens, temperature, topP, topK, reasoning } = settings
  const stopSequences = stopsOf(settings, warn)
  for (const unknown of ['presencePenalty', 'frequencyPenalty', 'seed'] as const) {
    if (settings[unknown] !== undefined) unsupported(unknown, warn)
  }
  if (topK !== undefined && name !== 'nova') unsupported('topK', warn)
  return {
    inferenceConfig: {
      ...(maxOutputTokens !== undefined && { maxTokens: maxOutputTokens }),
      ...(temperature !== undefined && { temperature }),
      ...(topP !== undefined && { topP }),
      ...(stopSequences !== undefined && { stopSequences }),
    },
    additionalModelRequestFields: {
      ...(topK !== undefined && name === 'nova' && { inferenceConfig: { topK } }),
      ...reasoningFields(reasoning, name, warn),
    },
  }
}

function unsupported(name: keyof Settings, warn: Warn): void {
  const message = `Converse has no setting \`${name}\` for this model; give it as \`additionalModelRequestFields\` of providerOptions if the model knows it`
  warn({ type: 'unsupported', path: `settings.${name}`, message })
}

/** https://docs.aws.amazon.com/nova/latest/nova2-userguide/extended-thinking.html; gpt-oss as in recorded requests. */
function reasoningFields(
  reasoning: Settings['reasoning'],
  name: ModelFamily['name'],
  warn: Warn,
): JsonObject | undefined {
  if (reasoning === undefined) return undefined
  if (name === 'nova') {
    const isOff = reasoning === 'none'
    return { reasoningConfig: isOff ? { type: 'disabled' } : { type: 'enabled', maxReasoningEffort: reasoning } }
  }
  if (name === 'gpt-oss') {
    if (reasoning !== 'none') return { reasoning_effort: reasoning }
    const message = 'gpt-oss cannot stop thinking; `low` is sent'
    warn({ type: 'coerced', path: 'settings.reasoning', message })
    return { reasoning_effort: 'low' }
  }
  unsupported('reasoning', warn)
  return undefined
}

/** Members of `providerOptions` that join ours; all others stand in the body as they are. */
export function mergeFields(own: JsonObject, given: unknown): JsonObject {
  return { ...own, ...objectOf(given) }
}
