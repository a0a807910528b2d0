import { expect, test } from 'vitest'
import { locationOfError } from './location-of-error.ts'

function errorAt(...frames: readonly string[]): Error {
  return Object.assign(new Error('no'), {
    stack: ['Error: no', ...frames.map((frame) => `    at ${frame}`)].join('\n'),
  })
}

test.each([
  ['a location with a name', ['read (file:///projects/my%20llm/src/a.ts:3:7)'], 'src/a.ts:3:7'],
  ['a location without one', ['file:///projects/my%20llm/src/a.ts:3:7'], 'src/a.ts:3:7'],
  ['a location as a path', ['read (/projects/my llm/src/a.ts:3:7)'], 'src/a.ts:3:7'],
  [
    "the first that is the author's",
    [
      'JSON.parse (<anonymous>)',
      'node:internal/x:1:1',
      'push (file:///projects/my%20llm/node_modules/x/y.js:1:1)',
      'file:///projects/my%20llm/src/a.ts:3:7',
    ],
    'src/a.ts:3:7',
  ],
  ['a location elsewhere, by its file', ['read (file:///srv/b.ts:3:7)'], 'b.ts:3:7'],
  ['nothing where there is none', ['node:internal/x:1:1'], undefined],
] as const)('an error that nobody meant is reported with %s', (_, frames, location) => {
  expect(locationOfError(errorAt(...frames), '/projects/my llm')).toBe(location)
})

test('the innermost cause says where', () => {
  const cause = errorAt('read (file:///projects/src/a.ts:3:7)')
  const error = Object.assign(errorAt('loop (file:///projects/src/loop.ts:1:1)'), { cause })
  expect(locationOfError(error, '/projects')).toBe('src/a.ts:3:7')
})

test('what is no error has no location', () => {
  expect(locationOfError('oh no')).toBeUndefined()
})

test('a cause that is its own ends the search', () => {
  const error = errorAt('read (file:///projects/src/a.ts:3:7)')
  error.cause = error
  expect(locationOfError(error, '/projects')).toBe('src/a.ts:3:7')
})
