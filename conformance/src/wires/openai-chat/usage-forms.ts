import type { JsonObject } from '@steploop/core/adapter'
import type { ChatForm } from './answer-form.ts'

/** The counts as servers write them; all mean 120 tokens in and 27 out (docs/wire.md#chat-usage). */
export const usageForms: readonly Pick<ChatForm, 'beside' | 'choice' | 'counts'>[] = [
  // The words of Responses.
  {
    beside: usage({
      input_tokens: 120,
      output_tokens: 27,
      input_tokens_details: { cached_tokens: 20 },
      output_tokens_details: { reasoning_tokens: 7 },
    }),
    counts: { cachedInputTokens: 20, reasoningTokens: 7 },
  },
  // xAI leaves reasoning out, and Mistral audio, which the total shows.
  {
    beside: usage({ ...counted(120, 20), completion_tokens_details: { reasoning_tokens: 7 } }),
    counts: { reasoningTokens: 7 },
  },
  { beside: usage({ ...counted(100, 27), prompt_tokens_details: { audio_tokens: 20 } }), counts: {} },
  {
    beside: usage({ ...counted(100, 20), prompt_tokens_details: { audio_tokens: 20 }, reasoning_tokens: 7 }),
    counts: { reasoningTokens: 7 },
  },
  // A total that cannot be explained changes nothing.
  { beside: usage({ ...counted(120, 27), total_tokens: 150, reasoning_tokens: 7 }), counts: { reasoningTokens: 7 } },
  // Portkey before a Messages server counts cached tokens apart.
  { beside: usage({ ...counted(20, 27), cached_tokens: 100 }), counts: { cachedInputTokens: 100 } },
  { beside: usage({ ...counted(120, 27), prompt_cache_hit_tokens: 20 }), counts: { cachedInputTokens: 20 } },
  { beside: usage({ ...counted(120, 27), num_cached_tokens: 20 }), counts: { cachedInputTokens: 20 } },
  {
    beside: usage({ ...counted(120, 27), prompt_tokens_details: { cache_write_tokens: 9 } }),
    counts: { cacheWriteTokens: 9 },
  },
  {
    beside: usage({ ...counted(120, 27), prompt_tokens_details: { cached_tokens: 20, cache_creation_tokens: 9 } }),
    counts: { cachedInputTokens: 20, cacheWriteTokens: 9 },
  },
  // Groq's compound models, and Moonshot.
  { beside: { usage: null, x_groq: usage(counted(120, 27)) }, counts: {} },
  { beside: { usage: null }, choice: usage(counted(120, 27)), counts: {} },
]

function counted(input: number, output: number): JsonObject {
  return { prompt_tokens: input, completion_tokens: output, total_tokens: 147 }
}

function usage(given: JsonObject): JsonObject {
  return { usage: given }
}
