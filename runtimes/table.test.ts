import { expect, test } from 'vitest'
import { printTable, type Cell } from './table.ts'

const ok: Cell = { runtime: 'node24', adapter: 'openai', mode: 'stream', verdict: 'ok' }
const missing = { verdict: 'missing', problem: 'not installed' } as const

test('the table has a row per adapter and mode, a column per runtime, and every problem once', () => {
  const cells: readonly Cell[] = [
    ok,
    { ...ok, mode: 'generate', verdict: 'failed', problem: 'text: "?"' },
    { ...ok, runtime: 'deno', ...missing },
    { ...ok, runtime: 'deno', mode: 'generate', ...missing },
  ]
  expect(printTable(cells).split('\n')).toEqual([
    '                 node24      deno',
    'openai stream    ok          missing [2]',
    'openai generate  failed [1]  missing [2]',
    '[1] text: "?"',
    '[2] not installed',
  ])
})
