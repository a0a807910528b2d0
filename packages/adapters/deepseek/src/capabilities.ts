import type { Capabilities } from '@steploop/core/adapter'
import { chatCapabilities } from '@steploop/openai-compatible'
import { deepseekDialect, thinksByDefault } from './dialect.ts'

/** What a model can do in the mode that it is in by default, alike streamed and not. */
export function deepseekCapabilities(model: string): Capabilities {
  return {
    ...chatCapabilities(deepseekDialect({ thinking: thinksByDefault(model) })),
    imageInput: false,
    fileInput: false,
  }
}
