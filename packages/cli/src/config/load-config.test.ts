import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { HarnessError } from '@steploop/conformance'
import { expect, it } from 'vitest'
import { loadConfig } from './load-config.ts'
import { scratchFolder } from '../testing.ts'

function folderWith(text: string | undefined, name = 'steploop.config.mjs'): string {
  const folder = scratchFolder()
  if (text !== undefined) writeFileSync(join(folder, name), text)
  return folder
}

const subject = (name: string): string =>
  `{ name: '${name}', wire: 'w', model: 'm', baseURL: 'https://a.example', cassettes: 'c', adapter: () => ({}) }`

async function failure(promise: Promise<unknown>): Promise<HarnessError> {
  const error: unknown = await promise.catch((thrown: unknown) => thrown)
  if (HarnessError.isInstance(error)) return error
  throw new Error(`no HarnessError, but ${String(error)}`)
}

it('loads the nearest config of the folder or those above', async () => {
  const root = folderWith(`export default { subjects: [${subject('one')}] }`)
  mkdirSync(join(root, 'deep/er'), { recursive: true })
  const config = await loadConfig(undefined, join(root, 'deep/er'))
  expect(config.subjects.map(({ name }) => name)).toEqual(['one'])
  expect(config.root).toBe(root)
})

it('loads the file that it is given, also when it exports subjects by name', async () => {
  const root = folderWith(`export const subjects = [${subject('two')}]`, 'other.mjs')
  expect((await loadConfig('other.mjs', root)).subjects.map(({ name }) => name)).toEqual(['two'])
})

it.each([
  ['as its default', (text: string) => `export default ${text}`],
  ['by the name `subject`', (text: string) => `export const subject = ${text}`],
])('loads a file that exports one subject %s', async (_, file) => {
  const root = folderWith(file(subject('three')), 'subject.mjs')
  expect((await loadConfig('./subject.mjs', root)).subjects.map(({ name }) => name)).toEqual(['three'])
})

it('loads a subject whose adapter speaks no HTTP', async () => {
  const text = `export default { name: 'four', wire: 'w', model: 'm', turnScript: () => ({}) }`
  const root = folderWith(text, 'subject.mjs')
  expect((await loadConfig('./subject.mjs', root)).subjects[0]?.turnScript).toBeTypeOf('function')
})

it.each([
  ['exports nothing of use', 'export default {}', 'does not export subjects'],
  ['has an empty list', 'export default { subjects: [] }', 'does not export subjects'],
  ['lists what is no subject', 'export default { subjects: [3] }', 'lists 3 as a subject'],
  ['has a subject without a name', `export default { subjects: [${subject('')}] }`, '`name` must be a text'],
  ['has a name twice', `export default { subjects: [${subject('a')}, ${subject('a')}] }`, "the name 'a'"],
  ['does not parse', 'export default {', 'cannot be loaded'],
  ['imports what is not there', "import 'no-such-package-at-all'", 'cannot be loaded'],
])('a config that %s is refused with the file and the reason', async (_, text, said) => {
  const root = folderWith(text)
  const error = await failure(loadConfig(undefined, root))
  expect(error.code).toBe('config')
  expect(error.message).toContain(join(root, 'steploop.config.mjs'))
  expect(error.message).toContain(said)
})

it('a config that does not exist is refused with its path', async () => {
  const root = folderWith(undefined)
  expect((await failure(loadConfig('mine.config.ts', root))).message).toContain(join(root, 'mine.config.ts'))
  expect((await failure(loadConfig(undefined, root))).message).toContain('No steploop.config.ts')
})

const thrown = (code: string): string => `throw Object.assign(new TypeError('no'), { code: '${code}' })`

it.each([
  ['an older Node meets TypeScript', 'ERR_UNKNOWN_FILE_EXTENSION', /This is Node \d+\.\d+\.\d+: use 22\.18 or newer/],
  ['a package is not installed', 'ERR_MODULE_NOT_FOUND', /install what it names/],
  ['it throws', 'ERR_OF_ITS_OWN', /Fix it, or what it imports/],
])('the error says how to fix a config that cannot be loaded because %s', async (_, code, fix) => {
  const root = folderWith(thrown(code))
  expect((await failure(loadConfig(undefined, root))).message).toMatch(fix)
})
