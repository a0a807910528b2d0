import type { Capabilities } from '@steploop/core/adapter'
import { modelTraits } from './model-traits.ts'

/** What a model can do in this wire format, the same in both modes. */
export function geminiCapabilities(model: string): Capabilities {
  const traits = modelTraits(model)
  return {
    tools: true,
    parallel: true,
    toolChoice: ['auto', 'none', 'required', 'tool'],
    structured: true,
    structuredWithTools: traits.combines,
    reasoning: traits.thinking !== 'none',
    reasoningReplay: traits.thinking !== 'none',
    continuation: false,
    providerTools: true,
    pause: false,
    imageInput: true,
    fileInput: true,
    toolResultImages: traits.combines,
    streamUsage: true,
    cacheControl: false,
  }
}
