import { defaultFilePart, type ChatDialect } from '@steploop/openai-compatible'
import { errorWords } from './errors.ts'
import { effortFor, reasons, takesEffort } from './model-traits.ts'

/**
 * How xAI deviates from Chat Completions (docs/wire.md#xai, https://docs.x.ai/docs/api-reference#chat-completions). That
 * `completion_tokens` leave reasoning out is seen in the total (docs/wire.md#xai), and sources beside the choices are read for everybody.
 */
export function xaiChatDialect(model: string): ChatDialect {
  return {
    settings: { maxOutputTokens: 'max_completion_tokens', ...(reasons(model) && refusedByReasoners) },
    reasoning: takesEffort(model) && ((effort, coerced) => ({ reasoning_effort: effortFor(model, effort, coerced) })),
    toolChoice: { required: false, tool: false },
    toolResultImages: true,
    filePart: (part) => (part.mediaType.startsWith('image/') ? defaultFilePart(part) : undefined),
    errorWords,
  }
}

const refusedByReasoners = { presencePenalty: false, frequencyPenalty: false, stopSequences: false } as const
