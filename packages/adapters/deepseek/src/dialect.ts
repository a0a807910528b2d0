import type { ChatDialect } from '@steploop/openai-compatible'

/** Whether a model thinks unless it is told not to: all but `deepseek-chat`. https://api-docs.deepseek.com/guides/thinking_mode */
export function thinksByDefault(model: string): boolean {
  return model !== 'deepseek-chat'
}

/** How DeepSeek deviates from Chat Completions, in thinking mode and out of it (docs/wire.md#deepseek, https://api-docs.deepseek.com). */
export function deepseekDialect({ thinking }: { readonly thinking: boolean }): ChatDialect {
  return {
    settings: { seed: false, parallelToolCalls: false, ...(thinking && withoutEffect) },
    reasoning: (effort, coerced) => {
      if (effort === 'none') return { thinking: { type: 'disabled' } }
      if (effort !== 'high') coerced(`DeepSeek has no '${effort}'; 'high' was sent`)
      return { thinking: { type: 'enabled' }, reasoning_effort: 'high' }
    },
    // 400: "Thinking mode does not support this tool_choice".
    toolChoice: thinking ? { required: false, tool: false } : {},
    structured: 'json_object',
    // Known at the beta address only.
    strict: false,
    refusals: false,
    editedReasoning: 'reasoning_content',
    // Calls of a thinking turn without it are refused, so those of other providers get an empty one, as recorded clients send it.
    reasoningWithCalls: thinking ? 'reasoning_content' : 'none',
    filePart: () => undefined,
    errorWords: { 'content exists risk': 'content-filter' },
  }
}

/** "Setting these parameters will not trigger an error but will also have no effect." */
const withoutEffect = { temperature: false, topP: false, presencePenalty: false, frequencyPenalty: false } as const
