import type { Capabilities } from '@steploop/core/adapter'
import { modelTraits } from './model-traits.ts'

/** What a model can do in this wire format, the same in both modes. For a model that is no Claude: what the format itself gives. */
export function anthropicCapabilities(model: string): Capabilities {
  const traits = modelTraits(model)
  return {
    tools: true,
    parallel: true,
    toolChoice: traits.forcedToolChoice ? ['auto', 'none', 'required', 'tool'] : ['auto', 'none'],
    structured: traits.structured,
    structuredWithTools: traits.structured,
    reasoning: traits.thinking !== 'none',
    reasoningReplay: traits.thinking !== 'none',
    continuation: false,
    providerTools: true,
    pause: true,
    imageInput: true,
    fileInput: true,
    toolResultImages: true,
    streamUsage: true,
    cacheControl: true,
  }
}
