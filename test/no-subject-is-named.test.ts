import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { scenarios } from '@steploop/conformance'
import { simulatedWires } from '@steploop/conformance/simulator'
import { expect, test } from 'vitest'
import config from '../steploop.config.ts'
import aiSdk from '../packages/adapters/ai-sdk/conformance.config.ts'
import { findFiles, repository } from './source-files.ts'

const wires = simulatedWires.map(({ wire }) => wire)

/** Names of our subjects that are no word of a wire format, of a dialect, or of the language. */
const names = [...config.subjects, ...aiSdk.subjects].map(({ name }) => name)

test('scenarios are told apart by wire formats and their dialects, never by the name of a subject', () => {
  const places = scenarios.flatMap(({ id, appliesTo }) =>
    (appliesTo?.wires ?? []).map((place) => ({ id, wire: place.split('/')[0] })),
  )
  expect(places.length).toBeGreaterThan(20)
  expect(places.filter(({ wire = '' }) => !wires.includes(wire))).toEqual([])
})

test('no check, scenario, stressor or judge of the suite asks what a subject is called', () => {
  const files = ['judge', 'play', 'run', 'scenarios', 'stress'].flatMap((folder) =>
    findFiles(`conformance/src/${folder}/**/*.ts`).filter((file) => !file.endsWith('.test.ts')),
  )
  expect(files.length).toBeGreaterThan(100)
  const found = files.flatMap((file) => {
    const code = readFileSync(join(repository, file), 'utf8')
    return names.filter((name) => new RegExp(`['"\`]${name}['"\`/]`).test(code)).map((name) => `${file}: ${name}`)
  })
  expect(found).toEqual([])
})
