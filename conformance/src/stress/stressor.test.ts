import { expect, test } from 'vitest'
import { scenarios } from '../scenarios/index.ts'
import { turnOf } from './stressor.ts'

const subjects = ['openai', 'anthropic', 'gemini', 'ollama', 'cohere', 'groq', 'mistral', 'xai']

test('the modes of a case take different turns, and over the subjects each scenario has every turn of two and of three', () => {
  for (const scenario of scenarios) {
    const turns = subjects.map((name) =>
      (['generate', 'stream'] as const).map((mode) => turnOf({ subject: { name }, scenario, mode })),
    )
    for (const [whole = 0, streamed = 0] of turns) expect((whole + streamed) % 2).toBe(1)
    const streamed = turns.map(([, turn = 0]) => turn)
    expect(new Set(streamed.map((turn) => turn % 2)).size).toBe(2)
    expect(new Set(streamed.map((turn) => (turn >> 1) % 3)).size).toBe(3)
  }
})
