import { expect, test } from 'vitest'
import { cassetteCommand, cassetteText, folderWith, talk } from './testing.ts'

const two = cassetteText([talk(), talk({ user: 'And now?', answer: 'Bye \u001B[2J' })])

test('show prints the conversation, without colours and control characters when nobody watches', async () => {
  const { code, stdout, stderr } = await cassetteCommand(folderWith({ 'a.yaml': two }), 'show', 'a.yaml')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(/user +Hi\n[^]*assistant +Hello\n[^]*user +And now\?/)
  expect(stdout).toContain('Bye \\u001b[2J')
  expect(stdout).not.toContain('\u001B')
})

test('show --raw prints what went over the wire, of one exchange when it is named', async () => {
  const { stdout } = await cassetteCommand(folderWith({ 'a.yaml': two }), 'show', 'a.yaml', '--raw', '--exchange', '1')
  expect(stdout).toMatch(/^POST https:\/\/chat\.example\.com\/v1\/chat\/completions\ncontent-type: application\/json\n/)
  expect(stdout).toContain('"finish_reason":"stop"')
  expect(stdout).not.toContain('And now?')
})

test('show --json - prints nothing but the conversation as data', async () => {
  const { code, stdout } = await cassetteCommand(folderWith({ 'a.yaml': two }), 'show', 'a.yaml', '--json', '-')
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({
    header: { scenario: 's' },
    exchanges: [{ number: 1, response: { parts: [{ type: 'text', text: 'Hello' }] } }, { number: 2 }],
  })
})

test.each([
  ['a file that is not there', ['none.yaml'], /none\.yaml: The cassette cannot be read \(ENOENT\)/],
  ['a folder', ['.'], /EISDIR/],
  ['a file that is no cassette', ['b.yaml'], /b\.yaml, line 1: .*no cassette/],
  ['a newer format', ['c.yaml'], /c\.yaml, line 1: The cassette has format version 2/],
  ['an exchange that is not there', ['a.yaml', '--exchange', '3'], /no exchange '3'/],
  ['an unknown option', ['a.yaml', '--bogus'], /unknown option/],
  ['no file at all', [], /missing required argument/],
])('show refuses %s with exit code 2 and the reason', async (_, words, message) => {
  const folder = folderWith({ 'a.yaml': two, 'b.yaml': 'hello: world\n', 'c.yaml': 'cassette: 2\n...\n' })
  const { code, stdout, stderr } = await cassetteCommand(folder, 'show', ...words)
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toMatch(message)
})
