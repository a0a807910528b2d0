import { expect, test } from 'vitest'
import { placeOfError } from './place-of-error.ts'

function errorAt(...frames: readonly string[]): Error {
  return Object.assign(new Error('no'), {
    stack: ['Error: no', ...frames.map((frame) => `    at ${frame}`)].join('\n'),
  })
}

test.each([
  ['a place with a name', ['read (file:///home/me/my%20llm/src/a.ts:3:7)'], 'src/a.ts:3:7'],
  ['a place without one', ['file:///home/me/my%20llm/src/a.ts:3:7'], 'src/a.ts:3:7'],
  ['a place as a path', ['read (/home/me/my llm/src/a.ts:3:7)'], 'src/a.ts:3:7'],
  [
    "the first that is the author's",
    [
      'JSON.parse (<anonymous>)',
      'node:internal/x:1:1',
      'push (file:///home/me/my%20llm/node_modules/x/y.js:1:1)',
      'file:///home/me/my%20llm/src/a.ts:3:7',
    ],
    'src/a.ts:3:7',
  ],
  ['a place elsewhere, by its file', ['read (file:///srv/b.ts:3:7)'], 'b.ts:3:7'],
  ['nothing where there is none', ['node:internal/x:1:1'], undefined],
] as const)('an error that nobody meant is told with %s', (_, frames, place) => {
  expect(placeOfError(errorAt(...frames), '/home/me/my llm')).toBe(place)
})

test('the innermost cause says where', () => {
  const cause = errorAt('read (file:///home/me/src/a.ts:3:7)')
  const error = Object.assign(errorAt('loop (file:///home/me/src/loop.ts:1:1)'), { cause })
  expect(placeOfError(error, '/home/me')).toBe('src/a.ts:3:7')
})

test('what is no error has no place', () => {
  expect(placeOfError('oh no')).toBeUndefined()
})
