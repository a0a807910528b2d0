import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readCassette } from '@steploop/cassette'
import { cassetteFetch } from '@steploop/cassette/fetch'
import { loadFixtureFile } from '@copilotkit/aimock'
import { expect, test } from 'vitest'
import { cassetteCommand, cassetteText, folderWith, madeUpAddress, madeUpKey, talk } from './testing.ts'

const url = 'https://api.mistral.ai/v1/chat/completions'
const vcr = (content: string): string => `interactions:
- request:
    body: '{"model":"m1","messages":[{"role":"user","content":"${content}"}]}'
    headers: {Content-Type: [application/json]}
    method: POST
    uri: ${url}
  response:
    body: {string: '{"choices":[{"message":{"content":"Hello"}}]}'}
    headers: {Content-Type: [application/json], Server: [x]}
    status: {code: 200, message: OK}
version: 1
`

test('import writes a cassette that a client can replay, and says what it guessed and left out', async () => {
  const folder = folderWith({ 'talk.yaml': vcr('Hi') })
  const { code, stdout } = await cassetteCommand(folder, 'import', 'talk.yaml', '--out', 'out')
  expect(code).toBe(0)
  expect(stdout).toBe(
    'written out/talk.yaml (1 exchange)\n' +
      '  guessed  chunk boundaries (one chunk per body) and times\n' +
      '  guessed  date: the day of the import\n' +
      '  left out response headers outside of the allow-list: server\n' +
      '1 file: 1 written\n',
  )
  const path = join(folder, 'out/talk.yaml')
  expect(readCassette(path).header).toMatchObject({
    scenario: 'talk',
    provider: 'mistral',
    wire: 'openai-chat',
    origin: { kind: 'imported', guessed: expect.stringContaining('chunk boundaries') },
  })
  const body = '{"model":"m1","messages":[{"role":"user","content":"Hi"}]}'
  const answer = await cassetteFetch(path)(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  })
  expect(await answer.text()).toBe('{"choices":[{"message":{"content":"Hello"}}]}')
  expect((await cassetteCommand(folder, 'check', 'out')).code).toBe(0)
})

test('a header that the recorder removed is given back, so that real clients match', async () => {
  const folder = folderWith({ 'talk.yaml': vcr('Hi') })
  await cassetteCommand(folder, 'import', 'talk.yaml', '--out', 'o.yaml', '--request-header', 'Authorization: Bearer x')
  expect(readCassette(join(folder, 'o.yaml')).exchanges[0]?.request.headers).toMatchObject({
    authorization: 'Bearer [redacted]',
  })
})

test('a recording with a secret is refused with rule, location and the mask that would do; nothing is written', async () => {
  const folder = folderWith({ 'talk.yaml': vcr(`I am ${madeUpAddress}`) })
  const { code, stdout } = await cassetteCommand(folder, 'import', 'talk.yaml', '--out', 'out')
  expect(code).toBe(1)
  expect(stdout).toContain('refused talk.yaml: The cassette holds what looks like a secret')
  expect(stdout).toContain('e-mail in request body of exchange 1, messages[0].content')
  expect(stdout).toContain('--mask messages.*.content\n')
  expect(stdout).not.toContain(madeUpAddress)
  expect(existsSync(join(folder, 'out'))).toBe(false)
})

test('declared fields are masked, and the mask stands in the header', async () => {
  const folder = folderWith({ 'talk.yaml': vcr(`I am ${madeUpAddress}`) })
  const words = ['import', 'talk.yaml', '--out', 'o.yaml', '--mask', 'messages.*.content']
  expect((await cassetteCommand(folder, ...words)).code).toBe(0)
  expect(readCassette(join(folder, 'o.yaml')).header.mask).toEqual(['messages.*.content'])
  expect(readFileSync(join(folder, 'o.yaml'), 'utf8')).not.toContain('zoe')
})

test('a secret where no mask reaches says so', async () => {
  const folder = folderWith({ 'talk.yaml': vcr('Hi').replace('completions', `completions/${madeUpKey}`) })
  const { code, stdout } = await cassetteCommand(folder, 'import', 'talk.yaml', '--out', 'out')
  expect(code).toBe(1)
  expect(stdout).toContain('Not all of these locations can be masked')
})

test('a folder keeps its shape; what is no recording is left out, what is broken fails', async () => {
  const files = {
    'in/a/one.yaml': vcr('Hi'),
    'in/a/one.json': '{"interactions":[',
    'in/b/one.yaml': vcr('Ho'),
    'in/README.md': '# in',
  }
  const folder = folderWith(files)
  const { code, stdout } = await cassetteCommand(folder, 'import', 'in', '--out', 'out')
  expect(code).toBe(2)
  expect(stdout).toMatch(/unreadable in\/a\/one\.json: The file is broken JSON/)
  expect(stdout).toMatch(/left out in\/README\.md is no recording of a known format/)
  expect(stdout).toContain('4 files: 1 left out, 1 unreadable, 2 written\n')
  const written = readdirSync(join(folder, 'out'), { recursive: true }).map(String)
  expect(written.toSorted((one, other) => one.localeCompare(other))).toEqual(['a', 'a/one.yaml', 'b', 'b/one.yaml'])
})

test('two recordings of one name do not overwrite each other', async () => {
  const folder = folderWith({ 'in/one.yaml': vcr('Hi'), 'in/one.chunks.txt': '{"choices":[]}' })
  await cassetteCommand(folder, 'import', 'in', '--out', 'out')
  expect(readdirSync(join(folder, 'out'))).toEqual(['one-2.yaml', 'one.yaml'])
})

test('with `--out -` stdout holds the imported cassette and nothing else', async () => {
  const { code, stdout, stderr } = await cassetteCommand(
    folderWith({ 'a.yaml': vcr('Hi') }),
    'import',
    'a.yaml',
    '--out',
    '-',
  )
  expect(code).toBe(0)
  expect(stdout).toMatch(/^cassette: 1\n[^]*\n\.\.\.\n$/)
  expect(stderr).toContain('guessed')
})

test('the outcome is data with --json -', async () => {
  const words = ['import', 'a.yaml', '--out', 'o.yaml', '--json', '-']
  const { stdout } = await cassetteCommand(folderWith({ 'a.yaml': vcr('Hi') }), ...words)
  expect(JSON.parse(stdout)).toMatchObject({
    files: [{ file: 'a.yaml', status: 'written', path: 'o.yaml', exchanges: 1 }],
  })
})

test('fixtures that aimock itself loads are imported', async () => {
  const fixtures = [
    { match: { userMessage: 'hello' }, response: { content: 'Good day' } },
    { match: { toolName: 'add' }, response: { toolCalls: [{ name: 'add', arguments: { a: 1 } }] } },
  ]
  const folder = folderWith({ 'talk.json': JSON.stringify({ fixtures }) })
  expect(loadFixtureFile(join(folder, 'talk.json'))).toHaveLength(2)
  const { code } = await cassetteCommand(
    folder,
    'import',
    'talk.json',
    '--out',
    'o.yaml',
    '--wire',
    'anthropic-messages',
  )
  expect(code).toBe(0)
  const { stdout } = await cassetteCommand(folder, 'show', 'o.yaml')
  expect(stdout).toMatch(/user +hello\n[^]*assistant +Good day\n[^]*call +add \{"a":1\}/)
})

test.each([
  ['no target', ['a.yaml'], /required option '--out/],
  ['a missing file', ['none.har', '--out', 'o'], /none\.har cannot be read \(ENOENT\)/],
  ['an empty folder', ['empty', '--out', 'o'], /there are no files/],
  ['a format that is none', ['a.yaml', '--out', 'o', '--from', 'postman'], /no format 'postman'/],
  ['two recordings for one file', ['a.yaml', 'b.yaml', '--out', 'o.yaml'], /do not fit/],
  ['a mask that is none', ['a.yaml', '--out', 'o', '--mask', 'a..b'], /no path of a field/],
  ['a header that is none', ['a.yaml', '--out', 'o', '--request-header', 'x'], /name: value/],
  ['a cassette of ours', ['b.yaml', '--out', 'o'], /no recording of a known format/],
  ['broken YAML', ['c.yaml', '--out', 'o'], /c\.yaml, line 2: The file is broken YAML/],
  ['bytes that are no text', ['d.har', '--out', 'o'], /d\.har is not valid UTF-8/],
  ['a target that cannot be written', ['a.yaml', '--out', 'a.yaml/o'], /cannot be written/],
])('import refuses %s with exit code 2', async (_, words, message) => {
  const broken = { 'c.yaml': 'interactions:\n- {', 'd.har': new Uint8Array([255]) }
  const folder = folderWith({ 'a.yaml': vcr('Hi'), 'b.yaml': cassetteText([talk()]), ...broken })
  mkdirSync(join(folder, 'empty'))
  const { code, stdout, stderr } = await cassetteCommand(folder, 'import', ...words)
  expect(code).toBe(2)
  expect(stdout + stderr).toMatch(message)
})
