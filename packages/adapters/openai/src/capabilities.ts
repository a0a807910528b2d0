import type { Capabilities } from '@steploop/core/adapter'
import { isReasoningModel, type ModelOptions } from './model-traits.ts'

/** What the Responses API and this adapter can do with a model, alike in both modes. */
export function openaiCapabilities(model: string, options: ModelOptions = {}): Capabilities {
  const reasoning = options.reasoning ?? isReasoningModel(model)
  return {
    tools: true,
    parallel: true,
    toolChoice: ['auto', 'none', 'required', 'tool'],
    structured: true,
    structuredWithTools: true,
    reasoning,
    reasoningReplay: reasoning,
    continuation: true,
    providerTools: true,
    imageInput: true,
    fileInput: true,
    toolResultImages: true,
    streamUsage: true,
    cacheControl: true,
  }
}
