import { expect, test } from 'vitest'
import { addDetail, detailText, hasSubstance } from './reasoning-details.ts'

function merged(...fragments: readonly Record<string, unknown>[]): readonly unknown[] {
  const details: Record<string, unknown>[] = []
  for (const fragment of fragments) addDetail(details, fragment)
  return details
}

/** https://openrouter.ai/docs/use-cases/reasoning-tokens, and docs/wire.md#openrouter. */
test.each([
  [
    [
      { index: 0, text: 'a' },
      { index: 0, text: 'b' },
    ],
    [{ index: 0, text: 'ab' }],
  ],
  [
    [
      { index: 0, summary: 'a' },
      { index: 0, summary: 'b' },
    ],
    [{ index: 0, summary: 'ab' }],
  ],
  // What says nothing takes nothing back.
  [
    [
      { index: 0, text: 'a', format: 'f' },
      { index: 0, text: '', format: null, id: undefined },
    ],
    [{ index: 0, text: 'a', format: 'f' }],
  ],
  [[{ index: 0 }, { index: 0, text: 'a' }], [{ index: 0, text: 'a' }]],
  [
    [
      { index: 0, text: 'a' },
      { index: 1, text: 'b' },
    ],
    [
      { index: 0, text: 'a' },
      { index: 1, text: 'b' },
    ],
  ],
  [
    [
      { id: '', index: 0, text: 'a' },
      { id: '', index: 1, text: 'b' },
    ],
    [
      { id: '', index: 0, text: 'a' },
      { id: '', index: 1, text: 'b' },
    ],
  ],
  [
    [
      { id: 'r', index: 0, text: 'a' },
      { id: 'r', index: 1, text: 'b' },
    ],
    [{ id: 'r', index: 1, text: 'ab' }],
  ],
  // One that is signed is whole.
  [
    [
      { index: 0, text: 'a', signature: 's' },
      { index: 0, text: 'b' },
    ],
    [
      { index: 0, text: 'a', signature: 's' },
      { index: 0, text: 'b' },
    ],
  ],
  [
    [
      { index: 0, text: 'a', signature: 's' },
      { index: 0, format: 'f' },
    ],
    [{ index: 0, text: 'a', signature: 's', format: 'f' }],
  ],
])('the fragments %j are the entries %j', (fragments, entries) => {
  expect(merged(...fragments)).toEqual(entries)
})

test.each([
  [{ text: 'a', summary: 'b' }, 'a'],
  [{ text: '', summary: 'b' }, 'b'],
  [{ text: null, summary: 'b' }, 'b'],
  [{ text: 5, summary: 6 }, ''],
])('the text of the entry %j is %j', (entry, text) => {
  expect(detailText(entry)).toBe(text)
})

test('an entry of its place alone is only announced', () => {
  expect(hasSubstance({ type: 'reasoning.text', format: 'f', index: 3, id: 'r' })).toBe(false)
  expect(hasSubstance({ type: 'reasoning.text', text: 'a' })).toBe(true)
})
