import type { Capabilities } from '@steploop/core/adapter'
import { chatCapabilities } from '@steploop/openai-compatible'
import { groqDialect } from './dialect.ts'
import { modelFamily } from './model-traits.ts'

/** What a model can do at Groq, by its name. */
export function groqCapabilities(model: string): Capabilities {
  const { family, images } = modelFamily(model)
  return {
    ...chatCapabilities(groqDialect(model)),
    // In the finish chunk, without being asked for.
    streamUsage: true,
    // Systems bring their own tools and take no others.
    tools: family !== 'compound',
    // https://console.groq.com/docs/tool-use lists no parallel calls for gpt-oss.
    parallel: family !== 'gpt-oss',
    // "Streaming and tool use are not currently supported with Structured Outputs."
    structured: { generate: true, stream: false },
    reasoning: family !== 'other',
    reasoningReplay: family !== 'other',
    providerTools: family === 'gpt-oss',
    imageInput: images,
    fileInput: false,
  }
}
