import { expect, test } from 'vitest'
import { cassetteCommand, cassetteText, folderWith, madeUpAddress, madeUpKey, talk } from './testing.ts'

test('scan finds nothing in innocent files, with exit code 0', async () => {
  const folder = folderWith({ 'a.yaml': cassetteText([talk()]), 'b/c.txt': 'call_abc sk-not', '.git/x': madeUpKey })
  const { code, stdout } = await cassetteCommand(folder, 'scan', '.')
  expect({ code, stdout }).toEqual({ code: 0, stdout: '2 files: nothing found\n' })
})

test('scan names file, rule and location of what looks secret, never the value, with exit code 1', async () => {
  const folder = folderWith({
    'a.yaml': cassetteText([talk({ user: `I am ${madeUpAddress}` })]),
    'notes.txt': `\nkey ${madeUpKey}\n`,
  })
  const { code, stdout, stderr } = await cassetteCommand(folder, 'scan', 'a.yaml', 'notes.txt')
  expect(code).toBe(1)
  expect(stdout).toBe(
    'a.yaml: e-mail in request body of exchange 1, messages[0].content\nnotes.txt: groq-key in line 2\n2 files: 2 findings\n',
  )
  expect(stdout + stderr).not.toContain(madeUpKey)
})

test('scan --json - prints the findings as data; a name that is a secret is not printed', async () => {
  const folder = folderWith({ [`${madeUpKey}.txt`]: '' })
  const { code, stdout } = await cassetteCommand(folder, 'scan', '.', '--json', '-')
  expect(code).toBe(1)
  expect(JSON.parse(stdout)).toEqual({ files: 1, findings: [{ rule: 'groq-key', location: 'file name' }] })
})

test('scan refuses what is not there', async () => {
  const { code, stderr } = await cassetteCommand(folderWith({}), 'scan', 'none')
  expect(code).toBe(2)
  expect(stderr).toContain('none cannot be read (ENOENT)')
})
