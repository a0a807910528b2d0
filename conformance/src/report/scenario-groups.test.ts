import { expect, test } from 'vitest'
import { scenarios } from '../scenarios/index.ts'
import { wireKits } from '../wires/index.ts'
import { scenarioGroups } from './scenario-groups.ts'

test('every scenario of the suite stands in a group, and no group comes twice', () => {
  const groups = scenarioGroups(scenarios.map(({ id }) => id))
  expect(scenarios.filter(({ id }) => !groups.has(id)).map(({ id }) => id)).toEqual([])
  const runs = [...groups.values()].filter((group, index, all) => group !== all[index - 1])
  expect(runs).toEqual([...new Set(runs)])
  expect(runs.length).toBeGreaterThan(5)
})

test('a scenario stands in the group in which the list has it', () => {
  const groups = scenarioGroups(['mine', 'text-only', 'new-one', 'single-call'])
  expect([...groups]).toEqual([
    ['text-only', 'plain turns'],
    ['new-one', 'plain turns'],
    ['single-call', 'tool calls'],
  ])
})

test('the quirks of every format are one group, whichever comes first', () => {
  const ids = wireKits.flatMap((kit) => (kit.quirks ?? []).map(({ id }) => id)).toReversed()
  expect(ids.length).toBeGreaterThan(5)
  expect([...scenarioGroups(['text-only', ...ids]).values()]).toEqual(['plain turns', ...ids.map(() => 'quirks')])
})
