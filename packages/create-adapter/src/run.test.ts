import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it, onTestFinished, vi } from 'vitest'
import { nameFrom } from './adapter-name.ts'
import { kinds } from './kinds.ts'
import { run } from './run.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'scaffold-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

/** Without a terminal: nobody can be asked. */
async function ran(
  ...words: readonly string[]
): Promise<{ readonly code: number; readonly out: string; readonly error: string }> {
  let [out, error] = ['', '']
  const code = await run(words, {
    out: (text) => (out += text),
    error: (text) => (error += text),
    isInteractive: false,
  })
  return { code, out, error }
}

it('flags say all that is asked, and what comes next is reported', async () => {
  const folder = join(emptyFolder(), 'green-tea')
  const { code, out, error } = await ran(folder, '--kind', 'transport')
  expect({ code, error }).toEqual({ code: 0, error: '' })
  expect(out).toContain(`cd ${folder}\n  npm install\n  npm test`)
  expect(existsSync(join(folder, 'src/green-tea.ts'))).toBe(true)
})

it('a folder with blanks or umlauts can be copied from what comes next, and its name is kept as far as it can be', async () => {
  const folder = join(emptyFolder(), 'Grün Tee')
  const { code, out } = await ran(folder, '--kind', 'transport')
  expect(code).toBe(0)
  expect(out).toContain(`cd "${folder}"\n`)
  expect(existsSync(join(folder, 'src/grun-tee.ts'))).toBe(true)
})

it('in the folder where one stands already, its name counts, and there is nowhere to go', async () => {
  const folder = join(emptyFolder(), 'green-tea')
  mkdirSync(folder)
  vi.spyOn(process, 'cwd').mockReturnValue(folder)
  const { code, out } = await ran('.', '--kind', 'http')
  expect({ code, out }).toEqual({ code: 0, out: expect.stringMatching(/in this folder\. Next:\n\n {2}npm install/) })
  expect(existsSync(join(folder, 'src/green-tea.ts'))).toBe(true)
})

it('--name wins over the name of the folder', async () => {
  const folder = join(emptyFolder(), 'somewhere')
  await ran(folder, '--kind', 'http', '--name', 'oolong')
  expect(existsSync(join(folder, 'src/oolong.ts'))).toBe(true)
})

it('--yes takes the defaults: kind http', async () => {
  const folder = join(emptyFolder(), 'green-tea')
  const { code, out } = await ran(folder, '--yes')
  expect(code).toBe(0)
  expect(out).toContain('kind http')
})

it('--help names every kind and the exit codes, and writes nothing', async () => {
  const { code, out } = await ran('--help')
  expect(code).toBe(0)
  for (const kind of kinds) expect(out).toContain(kind)
  expect(out).toContain('Exit codes')
})

it('--version gives a version', async () => {
  expect(await ran('--version')).toEqual({ code: 0, out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/), error: '' })
})

it.each([
  [
    'an unknown kind',
    ['x', '--kind', 'grpc'],
    "no kind 'grpc'. There are: chat-dialect, http, own-format, transport, ai-sdk",
  ],
  [
    'an unknown framing',
    ['x', '--kind', 'own-format', '--framing', 'xml'],
    "no framing 'xml'. There are: ndjson, sse, binary",
  ],
  ['a framing of another kind', ['x', '--kind', 'http', '--framing', 'sse'], '--framing is for --kind own-format'],
  ['an unknown flag', ['x', '--knd', 'http'], "Unknown option '--knd'"],
  ['a flag without its value', ['x', '--kind'], "'--kind <value>' argument missing"],
  ['two folders', ['x', 'y', '--yes'], '2 were given'],
  ['a name that cannot be one', ['x', '--yes', '--name', 'My LLM'], "'My LLM' cannot be the name"],
  ['a folder of which no name can be made', ['東京', '--yes'], "'' cannot be the name"],
  ['no folder where nobody can be asked', ['--kind', 'http'], 'Nobody can be asked here. Give FOLDER, or --yes'],
  ['no kind where nobody can be asked', ['x'], 'Nobody can be asked here. Give --kind, or --yes'],
] as const)('%s is reported with exit code 2', async (_, words, said) => {
  const { code, out, error } = await ran(...words)
  expect({ code, out }).toEqual({ code: 2, out: '' })
  expect(error).toContain(said)
})

it('a folder that is not empty is reported with exit code 2', async () => {
  const folder = emptyFolder()
  writeFileSync(join(folder, 'diary.txt'), 'mine')
  const { code, error } = await ran(folder, '--yes')
  expect(code).toBe(2)
  expect(error).toContain('is not empty: it has diary.txt')
})

it.each([
  ['./my-llm/', 'my-llm'],
  ['/srv/My LLM', 'my-llm'],
  ['..', ''],
  ['3M.Model_2', 'm-model-2'],
  ['Café crème', 'cafe-creme'],
])('the folder %j gives the name %j', (folder, name) => {
  expect(nameFrom(folder)).toBe(name)
})
