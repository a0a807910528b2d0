import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { cassetteCommand, cassetteText, folderWith, madeUpAddress, talk } from './testing.ts'

test('export writes an archive to stdout or to a file, and import reads it back', async () => {
  const folder = folderWith({ 'a.yaml': cassetteText([talk(), talk({ ending: 'reset' })]) })
  const toStdout = await cassetteCommand(folder, 'export', 'a.yaml')
  expect(JSON.parse(toStdout.stdout)).toMatchObject({
    log: { version: '1.2', entries: [{}, { response: { _ending: 'reset' } }] },
  })
  const toFile = await cassetteCommand(folder, 'export', 'a.yaml', '--out', 'a.har')
  expect({ code: toFile.code, stdout: toFile.stdout }).toEqual({ code: 0, stdout: 'a.har: 2 entries\n' })
  await cassetteCommand(folder, 'import', 'a.har', '--out', 'back.yaml')
  const { stdout } = await cassetteCommand(folder, 'diff', '--no-header', 'a.yaml', 'back.yaml')
  expect(stdout).toBe('1 file compared, 0 different\n')
})

test('export refuses a cassette with a secret, and writes nothing', async () => {
  const folder = folderWith({ 'a.yaml': cassetteText([talk({ user: madeUpAddress })]) })
  const { code, stderr } = await cassetteCommand(folder, 'export', 'a.yaml', '--out', 'a.har')
  expect(code).toBe(1)
  expect(stderr).toContain('e-mail in request body of exchange 1')
  expect(() => readFileSync(join(folder, 'a.har'))).toThrow(/ENOENT/)
})

test.each([
  ['another format', ['a.yaml', '--to', 'pcap'], /no format 'pcap'/],
  ['a missing cassette', ['none.yaml'], /none\.yaml/],
  ['a place that cannot be written', ['a.yaml', '--out', 'a.yaml/b.har'], /cannot be written/],
])('export refuses %s with exit code 2', async (_, words, message) => {
  const { code, stderr } = await cassetteCommand(folderWith({ 'a.yaml': cassetteText([talk()]) }), 'export', ...words)
  expect(code).toBe(2)
  expect(stderr).toMatch(message)
})
