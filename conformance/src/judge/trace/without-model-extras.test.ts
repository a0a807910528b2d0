import { expect, test } from 'vitest'
import { withoutModelExtras } from './without-model-extras.ts'

const lines = (...all: readonly string[]): string => all.join('\n')

test('a text before a call and reasoning are left out', () => {
  const said = lines(
    'run 1',
    '  step 1 tool-calls',
    '    reasoning',
    '    text',
    '    call a {} by loop',
    '    result a json',
  )
  expect(withoutModelExtras(said)).toBe(
    lines('run 1', '  step 1 tool-calls', '    call a {} by loop', '    result a json'),
  )
})

test('the text of an answer stays, also when the next step has calls', () => {
  const said = lines('run 1', '  step 1 stop', '    text', '  step 2 tool-calls', '    call a {} by loop')
  expect(withoutModelExtras(said)).toBe(said)
})

test('a text after a call stays', () => {
  const said = lines('  step 1 tool-calls', '    call a {} by loop', '    text')
  expect(withoutModelExtras(said)).toBe(said)
})
