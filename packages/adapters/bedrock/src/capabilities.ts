import type { Capabilities } from '@steploop/core/adapter'
import { modelFamily } from './model-traits.ts'

/**
 * What Converse can do with a model, the same in both modes. Tools, images and documents also need a model that has them: the server
 * refuses the request otherwise. There is no choice of `none`: tools that the history speaks of have to be declared.
 */
export function bedrockCapabilities(model: string): Capabilities {
  const { name, claude } = modelFamily(model)
  const isStructured = claude?.structured === true
  const forces = claude === undefined ? name === 'nova' : claude.forcedToolChoice
  return {
    tools: true,
    parallel: true,
    toolChoice: forces ? ['auto', 'required', 'tool'] : ['auto'],
    structured: isStructured,
    structuredWithTools: isStructured,
    reasoning: true,
    reasoningReplay: true,
    providerTools: name === 'nova',
    imageInput: true,
    fileInput: true,
    toolResultImages: true,
    streamUsage: true,
    cacheControl: true,
  }
}
