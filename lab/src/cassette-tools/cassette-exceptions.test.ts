import { expect, test } from 'vitest'
import { parseCassetteExceptions } from './cassette-exceptions.ts'

test('a list of exceptions is read, and an empty file is an empty list', () => {
  const entry = { file: 'cassettes/a/b.yaml', rule: 'size', reason: 'an image' }
  expect(parseCassetteExceptions('- {file: cassettes/a/b.yaml, rule: size, reason: an image}', 'list.yaml')).toEqual([
    entry,
  ])
  expect(parseCassetteExceptions('', 'list.yaml')).toEqual([])
})

test.each([
  ['broken YAML', '- {file: '],
  ['no list', 'file: a'],
  ['no reason', '- {file: a, rule: size}'],
  ['a rule that has no exceptions', '- {file: a, rule: secret, reason: because}'],
  ['a member too many', '- {file: a, rule: size, reason: b, until: c}'],
])('%s is refused with the name of the file', (_, text) => {
  expect(() => parseCassetteExceptions(text, 'list.yaml')).toThrow(/^list\.yaml is no list of exceptions \(.+\)/)
})
