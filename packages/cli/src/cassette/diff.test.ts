import { expect, test } from 'vitest'
import { cassetteCommand, cassetteText, folderWith, talk } from './testing.ts'

test('two recordings of one conversation are equal whatever their ids, with exit code 0', async () => {
  const folder = folderWith({
    'a.yaml': cassetteText([talk()]),
    'b.yaml': cassetteText([talk({ id: 'chatcmpl-other' })]),
  })
  const { code, stdout } = await cassetteCommand(folder, 'diff', 'a.yaml', 'b.yaml')
  expect({ code, stdout }).toEqual({ code: 0, stdout: '1 file compared, 0 different\n' })
})

test('another answer is shown with its path and both texts, with exit code 1', async () => {
  const folder = folderWith({ 'a.yaml': cassetteText([talk()]), 'b.yaml': cassetteText([talk({ answer: 'Bye' })]) })
  const { code, stdout } = await cassetteCommand(folder, 'diff', 'a.yaml', 'b.yaml', '--json', 'out.json')
  expect(code).toBe(1)
  expect(stdout).toContain('exchange 1, response.body.parts[0].text\n    - "Hello"\n    + "Bye"\n')
})

test('folders are compared file by file, and a file on one side only is a difference', async () => {
  const same = cassetteText([talk()])
  const folder = folderWith({ 'a/x/1.yaml': same, 'b/x/1.yaml': same, 'a/2.yaml': same, 'b/3.yaml': same })
  const { code, stdout } = await cassetteCommand(folder, 'diff', 'a', 'b', '--json', '-')
  expect(code).toBe(1)
  expect(JSON.parse(stdout)).toEqual({
    files: [
      { file: '2.yaml', differences: [{ path: 'file', left: 'only in A' }] },
      { file: '3.yaml', differences: [{ path: 'file', right: 'only in B' }] },
      { file: 'x/1.yaml', differences: [] },
    ],
  })
})

test('facts of the header count unless they are left out, and long lists are cut', async () => {
  const one = cassetteText([talk()])
  const other = cassetteText([talk({ user: 'Ho' }), talk()], { model: 'm2' })
  const folder = folderWith({ 'a.yaml': one, 'b.yaml': other })
  const whole = await cassetteCommand(folder, 'diff', 'a.yaml', 'b.yaml', '--limit', '1')
  expect(whole.stdout).toMatch(/header, model\n[^]*and 2 more\n/)
  expect((await cassetteCommand(folder, 'diff', 'a.yaml', 'b.yaml', '--no-header')).stdout).not.toContain('header,')
})

test.each([
  ['a file and a folder', ['a.yaml', 'empty'], /two cassettes or two folders/],
  ['a missing file', ['a.yaml', 'none.yaml'], /none\.yaml cannot be read \(ENOENT\)/],
  ['an empty folder', ['empty', 'empty'], /no cassettes/],
  ['a broken cassette', ['a.yaml', 'b.yaml'], /b\.yaml/],
  ['a limit that is no count', ['a.yaml', 'a.yaml', '--limit', 'x'], /no count/],
])('diff refuses %s with exit code 2', async (_, words, message) => {
  const folder = folderWith({ 'a.yaml': cassetteText([talk()]), 'b.yaml': 'cassette: 1\n', 'empty/readme.md': '' })
  const { code, stderr } = await cassetteCommand(folder, 'diff', ...words)
  expect(code).toBe(2)
  expect(stderr).toMatch(message)
})
