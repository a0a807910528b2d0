import { expect, test } from 'vitest'
import { foldEqual } from './fold-equal.ts'

const equal = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `  line ${index}`)

test('four equal lines stay on each side of a change, and the others are counted', () => {
  const lines = foldEqual([...equal(7), '- old', '+ new', ...equal(5)].join('\n')).split('\n')
  expect(lines).toEqual([
    '⋯ 3 equal lines',
    ...equal(7).slice(3),
    '- old',
    '+ new',
    ...equal(5).slice(0, 4),
    '⋯ 1 equal line',
  ])
})

test('a diff of changes alone stays as it is', () => {
  expect(foldEqual('- a\n+ b')).toBe('- a\n+ b')
})
