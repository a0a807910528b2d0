import type { Capabilities } from '@steploop/core/adapter'
import { openaiCapabilities } from '@steploop/openai'
import { chatCapabilities } from '@steploop/openai-compatible'
import { xaiChatDialect } from './dialect.ts'
import { reasons } from './model-traits.ts'

/** What a model can do in the Responses format, alike in both modes. */
export function xaiCapabilities(model: string): Capabilities {
  return {
    ...openaiCapabilities(model, { reasoning: reasons(model) }),
    // Forced choices are known not to be honoured (docs/wire.md#xai).
    toolChoice: ['auto', 'none'],
    cacheControl: false,
  }
}

/** What a model can do in Chat Completions, alike in both modes. */
export function xaiChatCapabilities(model: string): Capabilities {
  const showsReasoning = /^grok-(3-mini|code)/.test(model)
  return {
    ...chatCapabilities(xaiChatDialect(model)),
    reasoning: showsReasoning,
    reasoningReplay: showsReasoning,
    fileInput: false,
  }
}
