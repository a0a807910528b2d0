import type { AdapterErrorCode, SettingNames, Settings } from '@steploop/core/adapter'
import { defaultFilePart, type ChatDialect } from '@steploop/openai-compatible'
import type { ChatCompletionCreateParamsBase } from 'groq-sdk/resources/chat/completions'
import { modelFamily, type ModelFamily } from './model-traits.ts'

type Params = Partial<ChatCompletionCreateParamsBase>

/** How Groq deviates from Chat Completions (docs/wire.md#groq, https://console.groq.com/docs/api-reference), which depends on the model. */
export function groqDialect(model: string): ChatDialect {
  const traits = modelFamily(model)
  return {
    settings,
    // The API reference has no such field, and usage comes unasked.
    streamOptions: false,
    // Without it Qwen's thoughts stand in the text, between <think> tags; the others give them apart of themselves.
    body: traits.family === 'qwen' ? ({ reasoning_format: 'parsed' } satisfies Params) : {},
    // "reasoning_effort is not supported with this model" (HTTP 400)
    reasoning:
      (traits.family === 'gpt-oss' || traits.family === 'qwen') &&
      ((effort, coerced) => ({ ...reasoningFields(effort, traits, coerced) })),
    structured: traits.jsonSchema ? 'json_schema' : 'json_object',
    structuredWithTools: false,
    strict: traits.family === 'gpt-oss',
    refusals: false,
    editedReasoning: traits.family === 'other' ? 'none' : 'reasoning',
    filePart: (part) => (traits.images && part.mediaType.startsWith('image/') ? defaultFilePart(part) : undefined),
    errorWords,
  }
}

const settings = {
  maxOutputTokens: 'max_completion_tokens',
  // "This is not yet supported by any of our models."
  presencePenalty: false,
  frequencyPenalty: false,
} satisfies SettingNames<keyof Params>

function reasoningFields(
  effort: NonNullable<Settings['reasoning']>,
  { family, gradedEffort }: ModelFamily,
  coerced: (message: string) => void,
): Params {
  if (family === 'gpt-oss' && effort === 'none') {
    coerced("gpt-oss cannot answer without reasoning; 'low' was sent")
    return { reasoning_effort: 'low' }
  }
  if (family === 'qwen' && effort !== 'none' && !gradedEffort) {
    coerced("the model reasons or does not, without degrees; 'default' was sent")
    return { reasoning_effort: 'default' }
  }
  return { reasoning_effort: effort }
}

/**
 * `tool_use_failed`, in a 400 and in a stream, is known to everybody (docs/wire.md#errors-inside-a-200).
 * https://console.groq.com/docs/errors
 */
const errorWords: Readonly<Record<string, AdapterErrorCode>> = {
  // A request above the limit of tokens per minute: waiting never helps.
  'request too large': 'context-overflow',
  'capacity exceeded': 'overloaded',
  'spend limit': 'insufficient-credit',
}
