import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { scenarios } from '@steploop/conformance'
import { wireKits } from '@steploop/conformance/cli'
import { expect, test } from 'vitest'
import config from '../../steploop.config.ts'
import aiSdk from '../../packages/adapters/ai-sdk/conformance.config.ts'
import { findFiles, repository } from './source-files.ts'

const wires = wireKits.map(({ name }) => name)

/** Names of our subjects that are no word of a wire format, of a dialect, or of the language. */
const names = [...config.subjects, ...aiSdk.subjects].map(({ name }) => name)

test('scenarios are distinguished by wire formats and their dialects, never by the name of a subject', () => {
  const scopes = scenarios.flatMap(({ id, appliesTo }) =>
    (appliesTo?.wires ?? []).map((scope) => ({ id, wire: scope.split('/')[0] })),
  )
  expect(scopes.length).toBeGreaterThan(20)
  expect(scopes.filter(({ wire = '' }) => !wires.includes(wire))).toEqual([])
})

/** The folders of wire formats name their providers, and these name some with a reason. */
const naming: Readonly<Record<string, string>> = {
  'conformance/src/loop-tests/forced-tools.ts':
    'which asks a policy of core what it knows of the models of one provider',
  'lab/src/cassette-tools/guess-request.ts':
    'whose address stands for that of a provider that a recording does not name',
  'lab/src/cassette-tools/read-aimock.ts': 'whose address fixtures get, which have none',
}

test('nothing in the suite or the lab asks what a subject is called', () => {
  const isOfFormat = (file: string): boolean => wireKits.some(({ name }) => file.includes(`/wires/${name}/`))
  const files = [...findFiles('conformance/src/**/*.ts'), ...findFiles('lab/src/**/*.ts')].filter(
    (file) => !/(\.test|\/testing)\.ts$/.test(file) && !isOfFormat(file),
  )
  expect(files.length).toBeGreaterThan(250)
  const found = files.filter((file) => {
    const code = readFileSync(join(repository, file), 'utf8')
    return names.some((name) => new RegExp(`['"\`]${name}['"\`/]`).test(code))
  })
  expect(found).toEqual(Object.keys(naming))
})
