import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { scriptedAdapter } from '../testing/index.ts'
import { optionTable } from './option-table.ts'
import { resolveConfig } from './run-config.ts'

const guide = readFileSync(new URL('../../../../docs/run-a-loop.md', import.meta.url), 'utf8')
const rows = [...guide.matchAll(/^\| `(\w+)` +\| ([\w,]+) +\|/gm)].map(([, name = '', documented = '']) => [
  name,
  documented,
])
const limits = rows.filter(([name]) => /^(max|.*[tT]imeout$)/.test(name ?? ''))

test.each(limits)('the guide says of `%s` what holds where none is given: %s', (name, documented) => {
  const held = Number(Reflect.get(optionTable, name ?? ''))
  expect(held === Infinity || held === 0 ? 'none' : held.toLocaleString('en')).toBe(documented)
})

test('the guide has a row of each limit', () => {
  expect(limits.length).toBeGreaterThanOrEqual(9)
})

test('a run has the defaults of the table, and the first of the words', { tags: ['M10'] }, () => {
  const config = resolveConfig({ model: scriptedAdapter([]) })
  expect(config).toMatchObject({
    maxSteps: 10,
    maxToolCalls: Infinity,
    maxToolCallsPerStep: 128,
    maxToolConcurrency: 16,
    toolTimeout: 30_000,
    timeout: 0,
    maxRetries: 2,
    onLimit: 'finalize',
    unknownTools: 'answer',
  })
})

test.each([
  [{ maxToolCalls: 2.9 }, { maxToolCalls: 2 }],
  [{ maxToolConcurrency: 0 }, { maxToolConcurrency: 1 }],
  [{ parallelToolCalls: false }, { maxToolConcurrency: 1 }],
  [{ parallelToolCalls: false, maxToolConcurrency: 4 }, { maxToolConcurrency: 4 }],
  [{ maxSteps: () => 3.5 }, { maxSteps: 3 }],
  [{ maxSteps: 1000 }, { maxSteps: 128 }],
  [{ maxRepeatedCalls: 1 }, { maxRepeatedCalls: 2 }],
  [{ maxRepeatedCalls: 3 }, { maxRepeatedCalls: 3 }],
])('the options %j are resolved to %j', (given, expected) => {
  expect(resolveConfig({ model: scriptedAdapter([]), ...given })).toMatchObject(expected)
})

test.each([
  [{ maxTokens: -1 }, '`maxTokens` is -1. Give a number from 0.'],
  [{ maxRetries: '2' }, "`maxRetries` is '2'. Give a number from 0."],
  [{ timeout: Number.NaN }, '`timeout` is NaN. Give a number from 0.'],
  [{ maxSteps: () => Number.NaN }, '`maxSteps` is NaN. Give a number from 0.'],
  [{ maxToolCalls: () => 1 }, '`maxToolCalls` is '],
  [{ maxCost: Infinity }, '`maxCost` is set, but not `costOf`'],
])('the options %j are refused with the message "%s"', (given, message) => {
  const options = { model: scriptedAdapter([]), ...(given as object) }
  expect(() => resolveConfig(options)).toThrow(
    expect.objectContaining({ code: 'invalid-options', message: expect.stringContaining(message) }),
  )
})
