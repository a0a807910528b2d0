import type { Capabilities } from '@steploop/core/adapter'

/**
 * What `/v2/chat` can do. Tools, thinking and images also need a model that has them: the server refuses the request otherwise.
 * - `toolChoice`: a certain tool cannot be asked for.
 * - `structuredWithTools`: a response format beside tools or documents is refused.
 */
export const cohereCapabilities: Capabilities = {
  tools: true,
  parallel: true,
  toolChoice: ['auto', 'none', 'required'],
  structured: true,
  structuredWithTools: false,
  reasoning: true,
  reasoningReplay: true,
  imageInput: true,
  streamUsage: true,
}
