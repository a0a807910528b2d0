import { expect, test } from 'vitest'
import { historyHash } from './message-hash.ts'

test('a history has the hash that transcripts of earlier versions hold', () => {
  const history = [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: [{ type: 'text', text: 'Hello' }] },
  ] as const
  // What the first version that stored it made of these: it goes on only where it fits.
  expect([historyHash(history), historyHash([])]).toEqual(['1fxm5h10x1jz26', '0ztntfp04z2hp9'])
})
