/** What Groq's models differ in, by their names; an unknown model is taken for a plain one that sees images. */
export interface ModelFamily {
  /** `gpt-oss` always reasons, `qwen` can be told not to, systems reason as they like. */
  readonly family: 'gpt-oss' | 'qwen' | 'compound' | 'other'
  /** A Qwen that takes `low`, `medium` and `high`. */
  readonly gradedEffort: boolean
  /** `response_format: json_schema`. https://console.groq.com/docs/structured-outputs */
  readonly jsonSchema: boolean
  readonly images: boolean
}

export function modelFamily(model: string): ModelFamily {
  const family = familyOf(model)
  return {
    family,
    gradedEffort: model.includes('qwen3.8'),
    jsonSchema: family === 'gpt-oss' || /kimi-k2|llama-4/.test(model),
    images: family !== 'gpt-oss' && family !== 'compound' && !/llama-3|llama3|kimi-k2|qwen3-32b/.test(model),
  }
}

function familyOf(model: string): ModelFamily['family'] {
  if (model.includes('gpt-oss')) return 'gpt-oss'
  if (model.includes('qwen3')) return 'qwen'
  return model.includes('compound') ? 'compound' : 'other'
}
