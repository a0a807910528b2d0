import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { cassetteCommand, cassetteText, folderWith, madeUpAddress, talk } from './testing.ts'

/** A config whose only subject has its cassettes in `cassettes/p`. */
const config = `export default { subjects: [{
  name: 'p', wire: 'openai-chat', model: 'm1', baseURL: 'https://chat.example.com/v1',
  cassettes: new URL('cassettes/p/', import.meta.url), adapter: () => { throw new Error('not needed') },
}] }
`

const good = cassetteText([talk()], { scenario: 'text-only' })
const project = (files: Readonly<Record<string, string>>): string =>
  folderWith({ 'steploop.config.mjs': config, 'cassettes/p/text-only.generate.yaml': good, ...files })

interface Finding {
  readonly file: string
  readonly rule: string
  readonly grade: string
}

async function findings(folder: string, ...words: readonly string[]): Promise<{ code: number; found: string[] }> {
  const { code, stdout } = await cassetteCommand(folder, 'check', '--json', '-', ...words)
  const report = JSON.parse(stdout) as { readonly findings: readonly Finding[] }
  return { code, found: report.findings.map(({ file, rule, grade }) => `${file} ${rule} ${grade}`) }
}

test('check passes over good cassettes of the config, and says how many of which origin', async () => {
  const { code, stdout } = await cassetteCommand(project({ 'cassettes/README.md': '' }), 'check')
  expect({ code, stdout }).toEqual({ code: 0, stdout: '2 files (1 simulated): nothing found\n' })
})

test.each([
  ['an edited body', 'text-only.stream.yaml', good.replace('Hello', 'Hallo'), 'hash'],
  ['a cut file', 'text-only.stream.yaml', good.slice(0, -4), 'format'],
  ['a newer format', 'text-only.stream.yaml', 'cassette: 2\n...\n', 'format'],
  ['broken YAML', 'text-only.stream.yaml', 'cassette: 1\n"\n...\n', 'format'],
  ['a secret', 'branch.generate.yaml', cassetteText([talk({ user: madeUpAddress })], { scenario: 'branch' }), 'secret'],
  [
    'a large file',
    'branch.generate.yaml',
    cassetteText([talk({ user: 'x'.repeat(70_000) })], { scenario: 'branch' }),
    'size',
  ],
  ['a file that no scenario has', 'made-up.generate.yaml', good, 'orphan'],
  ['a header of another scenario', 'branch.generate.yaml', good, 'header'],
  ['a file that is no cassette', 'notes.txt', '', 'unexpected-file'],
  ['a scratch file', 'text-only.generate.yaml.12345678.scratch', good, 'unexpected-file'],
])('check finds %s, with exit code 1', async (_, name, text, rule) => {
  const { code, found } = await findings(project({ [`cassettes/p/${name}`]: text }))
  expect({ code, found }).toEqual({ code: 1, found: [`cassettes/p/${name} ${rule} error`] })
})

test('a project whose adapter speaks no HTTP has no cassettes: there is nothing to find, and no other file is looked at', async () => {
  const scripted = `export default { subjects: [{
    name: 'p', wire: 'pipe', model: 'm1', turnScript: () => { throw new Error('not needed') },
  }] }`
  const { code, stdout } = await cassetteCommand(
    folderWith({ 'steploop.config.mjs': scripted, 'src/p.ts': '' }),
    'check',
  )
  expect({ code, stdout }).toEqual({ code: 0, stdout: '0 files: nothing found\n' })
})

test('a folder that no subject has is an orphan, unless what it holds is imported', async () => {
  expect((await findings(project({ 'cassettes/q/text-only.generate.yaml': good }))).found).toEqual([
    'cassettes/q/text-only.generate.yaml orphan error',
  ])
  const origin = { kind: 'imported', by: 'tests', date: '2026-01-02' } as const
  const imported = cassetteText([talk({ user: 'x'.repeat(70_000) })], { origin })
  expect(await findings(project({ 'cassettes/q/any.yaml': imported }))).toEqual({ code: 0, found: [] })
})

test('rewritten requests are a warning, which passes', async () => {
  const one = talk()
  const rebased = { ...one, request: { ...one.request, rebased: '2026-01-03' } }
  const text = cassetteText([rebased], { scenario: 'branch' })
  const { code, found } = await findings(project({ 'cassettes/p/branch.generate.yaml': text }))
  expect({ code, found }).toEqual({ code: 0, found: ['cassettes/p/branch.generate.yaml rebased warning'] })
})

test('age counts for recordings of real servers, when a limit is given', async () => {
  const origin = { kind: 'live', by: 'tests', date: '2020-01-02', host: 'chat.example.com' } as const
  const folder = project({ 'cassettes/p/branch.generate.yaml': cassetteText([talk()], { scenario: 'branch', origin }) })
  expect((await findings(folder)).code).toBe(0)
  expect((await findings(folder, '--max-age', '365')).found).toEqual(['cassettes/p/branch.generate.yaml age error'])
})

const exception = (file: string, rule: string): string => `- { file: ${file}, rule: ${rule}, reason: a picture }\n`

test('a listed exception excuses its rule, and one that excuses nothing is a finding', async () => {
  const large = cassetteText([talk({ user: 'x'.repeat(70_000) })], { scenario: 'branch' })
  const file = 'cassettes/p/branch.generate.yaml'
  const excused = { [file]: large, 'cassette-exceptions.yaml': exception(file, 'size') }
  expect(await findings(project(excused))).toEqual({ code: 0, found: [] })
  const gone = { 'cassette-exceptions.yaml': exception('cassettes/p/gone.yaml', 'size') }
  expect((await findings(project(gone))).found).toEqual(['cassettes/p/gone.yaml exception error'])
  const idle = { 'cassette-exceptions.yaml': exception('cassettes/p/text-only.generate.yaml', 'age') }
  expect((await findings(project(idle))).found).toEqual(['cassettes/p/text-only.generate.yaml exception error'])
})

test('an exception may name all files of a folder', async () => {
  const files = { 'cassettes/q/a.yaml': good, 'cassettes/q/b.yaml': good, 'cassettes/q/deep/c.yaml': good }
  const folder = project({ ...files, 'cassette-exceptions.yaml': exception('cassettes/q/*', 'orphan') })
  expect((await findings(folder)).found).toEqual(['cassettes/q/deep/c.yaml orphan error'])
  const idle = project({ 'cassette-exceptions.yaml': exception('cassettes/p/*', 'size') })
  expect((await findings(idle)).found).toEqual(['cassettes/p/* exception error'])
})

test('without a config only the files themselves are judged', async () => {
  const folder = folderWith({ 'any/where.yaml': good, 'any/b.yaml': good.replace('Hello', 'Hallo') })
  const { code, stdout } = await cassetteCommand(folder, 'check', 'any')
  expect(code).toBe(1)
  expect(stdout).toMatch(/^any\/b\.yaml\n  hash: .*edited.*\n2 files \(1 simulated\): 1 finding\n$/)
})

test.each([
  ['a missing folder', ['none'], /none cannot be read \(ENOENT\)/],
  ['an empty folder', ['empty'], /no cassettes \(\*\.yaml\)/],
  ['a broken list of exceptions', [], /cassette-exceptions\.yaml is no list/],
  ['a missing config', ['--config', 'none.ts'], /none\.ts/],
  ['an age that is none', ['--max-age', 'old'], /no whole number/],
])('check refuses %s with exit code 2', async (_, words, message) => {
  const folder = project({ 'empty/readme.md': '', 'cassette-exceptions.yaml': words.length === 0 ? 'a: b' : '' })
  const { code, stderr } = await cassetteCommand(folder, 'check', ...words)
  expect(code).toBe(2)
  expect(stderr).toMatch(message)
})

test('a cassette without permission to read it is refused; a superuser may read all', async () => {
  const folder = project({})
  chmodSync(join(folder, 'cassettes/p/text-only.generate.yaml'), 0)
  const { code, stderr } = await cassetteCommand(folder, 'check')
  const isSuperuser = process.getuid?.() === 0
  expect({ code, isRefused: stderr.includes('EACCES') }).toEqual({ code: isSuperuser ? 0 : 2, isRefused: !isSuperuser })
})
