import { expect, test } from 'vitest'
import { laterUsage, readUsage, withUpstream } from './usage.ts'

test.each(['cache_write_tokens', 'cache_creation_tokens'])('tokens written to a cache may be %s', (name) => {
  const usage = { prompt_tokens: 9, prompt_tokens_details: { [name]: 2 } }
  expect(readUsage(usage)).toMatchObject({ inputTokens: 9, cacheWriteTokens: 2, outputTokens: undefined })
})

test.each(['prompt_cache_hit_tokens', 'cached_tokens', 'num_cached_tokens'])('cached tokens may be %s', (name) => {
  expect(readUsage({ prompt_tokens: 9, [name]: 2 })).toMatchObject({ inputTokens: 9, cachedInputTokens: 2 })
})

test('more cached tokens than input tokens are part of the input where the kinds of input add up to the whole (Grok on Azure)', () => {
  for (const kinds of [{ text_tokens: 7 }, { text_tokens: 4, audio_tokens: 2, image_tokens: 1 }]) {
    const prompt_tokens_details = { cached_tokens: 163, ...kinds }
    const usage = { prompt_tokens: 7, completion_tokens: 1, total_tokens: 8, prompt_tokens_details }
    expect(readUsage(usage)).toMatchObject({ inputTokens: 7, cachedInputTokens: 163, outputTokens: 1 })
  }
})

test.each([
  [{ completion_tokens: 3 }, { inputTokens: undefined, outputTokens: 3 }],
  [
    { prompt_tokens: 1, completion_tokens: 5, reasoning_tokens: 2 },
    { outputTokens: 5, reasoningTokens: 2 },
  ],
  // As many cached tokens as there are at all.
  [
    { prompt_tokens: 9, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 9 } },
    { inputTokens: 9, outputTokens: 1 },
  ],
  // Reasoning beside cached tokens that were counted apart.
  [
    {
      prompt_tokens: 2,
      completion_tokens: 5,
      total_tokens: 20,
      prompt_tokens_details: { cached_tokens: 10 },
      completion_tokens_details: { reasoning_tokens: 3 },
    },
    { inputTokens: 12, outputTokens: 8 },
  ],
  [
    { prompt_tokens: 2, completion_tokens: 5, total_tokens: 8 },
    { inputTokens: 2, outputTokens: 5 },
  ],
])('the counts %j are the usage %j', (raw, usage) => {
  expect(readUsage(raw)).toMatchObject(usage)
})

test('a total alone is no usage', () => {
  expect(readUsage({ total_tokens: 3 })).toBeUndefined()
})

test('of each count the later one holds, and an earlier one that is not said again', () => {
  const counts = (first: number) => ({
    inputTokens: first,
    outputTokens: first + 1,
    cachedInputTokens: first + 2,
    cacheWriteTokens: first + 3,
    reasoningTokens: first + 4,
  })
  expect(laterUsage(counts(1), counts(11))).toEqual(counts(11))
  expect(laterUsage(counts(1), {})).toEqual(counts(1))
  expect(laterUsage(undefined, counts(1))).toEqual(counts(1))
})

test.each([
  [{ outputTokens: 5, reasoningTokens: 2 }, { candidatesTokenCount: 5, thoughtsTokenCount: 2 }, 7],
  [{ outputTokens: 7, reasoningTokens: 2 }, { candidatesTokenCount: 5, thoughtsTokenCount: 2 }, 7],
  [{ outputTokens: 5, reasoningTokens: 3 }, { candidatesTokenCount: 5, thoughtsTokenCount: 2 }, 5],
  [{ outputTokens: 5 }, { candidatesTokenCount: 5 }, 5],
  [{ reasoningTokens: 2 }, { thoughtsTokenCount: 2 }, undefined],
])(
  'thoughts that are counted beside the answer of %j belong to the output where Gemini says %j',
  (usage, gemini, tokens) => {
    expect(withUpstream(usage, gemini)).toEqual({ ...usage, ...(tokens !== undefined && { outputTokens: tokens }) })
  },
)
