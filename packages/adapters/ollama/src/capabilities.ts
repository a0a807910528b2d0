import type { Capabilities } from '@steploop/core/adapter'

/**
 * What `/api/chat` can do. Tools, thinking and images also need a model that has them: the server refuses the request otherwise.
 * - `toolChoice`: the API has no such field. `none` is honoured all the same, by leaving the tools out.
 * - `structuredWithTools`: `format` binds the whole output from its first token, so that no call can be made beside it.
 * - `toolResultImages`: the server takes `images` from messages of every role.
 */
export const ollamaCapabilities: Capabilities = {
  tools: true,
  parallel: true,
  toolChoice: ['auto', 'none'],
  structured: true,
  structuredWithTools: false,
  reasoning: true,
  reasoningReplay: true,
  imageInput: true,
  toolResultImages: true,
  streamUsage: true,
}
