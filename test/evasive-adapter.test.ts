import { runConformance, type Subject } from '@steploop/conformance'
import { expect, test } from 'vitest'
import config from '../steploop.config.ts'

const ollama = config.subjects.find(({ name }) => name === 'ollama')!

/** It has a fetch of its own, whatever it is given. */
const evasive: Subject = {
  ...ollama,
  adapter: (options) => ollama.adapter({ ...options, fetch: (...request) => globalThis.fetch(...request) }),
}

test('an adapter that ignores the fetch that it is given fails, and is told so in the first line: that is no fault of the suite', async () => {
  const options = { scenario: ['text-only'], mode: 'stream', frontEnds: ['fetch', 'msw'], stress: [] } as const
  const { cases, counts } = await runConformance([evasive], options)
  expect(counts).toMatchObject({ fail: 1, 'harness-error': 0 })
  const [first] = cases.flatMap(({ checks }) => checks.flatMap(({ failures }) => failures))
  expect(first?.message).toMatch(/^The adapter of 'ollama' called the global fetch\. It has to use the `fetch`/)
})
