import { expect, test } from 'vitest'
import { memoryStore } from './memory-store.ts'
import { chatStoreCases } from './testing/index.ts'

test.for(chatStoreCases)('chats in memory: $name', async ({ run }) => {
  let now = 0
  await expect(run({ store: memoryStore({ now: () => now }), pass: (ms) => void (now += ms) })).resolves.toBeUndefined()
})
