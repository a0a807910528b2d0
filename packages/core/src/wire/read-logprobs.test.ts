import { expect, test } from 'vitest'
import { readLogprobs } from './read-logprobs.ts'

test('probabilities of tokens are read as far as they are there, and what is none is left out', () => {
  const given = [
    { token: 'Hi', logprob: -0.5, bytes: [72, 105], top_logprobs: [{ token: 'Ho', logprob: -1 }, { token: 'He' }, 1] },
    { token: 'é', logprob: 0, bytes: [195, 'x', 169], top_logprobs: [] },
    { token: '', logprob: -1, bytes: null },
    { token: 'b', logprob: -2, bytes: 'none' },
    { token: 'a' },
    { logprob: -1 },
    null,
  ]
  expect(readLogprobs(given)).toStrictEqual([
    { token: 'Hi', logprob: -0.5, bytes: [72, 105], top: [{ token: 'Ho', logprob: -1 }] },
    { token: 'é', logprob: 0, bytes: [195, 169] },
    { token: '', logprob: -1 },
    { token: 'b', logprob: -2 },
  ])
  expect(readLogprobs({ token: 'a', logprob: -1 })).toEqual([])
})
