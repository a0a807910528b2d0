import { expect, test } from 'vitest'

import { refusing } from './simulator-providers.ts'
import { corruptionOf, expectRefused } from './simulator-refusals.ts'
import { sectionsOf } from './simulator-tables.ts'

const tables = Object.entries(refusing).map(([table, providers]) => {
  const sections = [...sectionsOf(`refusals/${table}.txt`)]
  return { table, providers, sections: sections.map(([section, lines]) => [section, lines.map(corruptionOf)] as const) }
})
const cases = tables.flatMap(({ table, providers, sections }) =>
  sections.flatMap(([section, corruptions]) =>
    corruptions.map((corruption) => ({ of: `${table}, ${section}`, provider: providers[section]!, corruption })),
  ),
)

test.each(cases)('$of: refuses $corruption.name', async ({ provider, corruption }) => {
  await expectRefused(provider, corruption)
})

test.each(tables)('$table has at least 30 corruptions, each with a name of its own', ({ providers, sections }) => {
  expect(sections.map(([section]) => section)).toEqual(Object.keys(providers))
  const names = sections.flatMap(([section, rows]) => rows.map(({ name }) => `${section}: ${name}`))
  expect(new Set(names).size).toBe(names.length)
  expect(names.length).toBeGreaterThanOrEqual(30)
})
