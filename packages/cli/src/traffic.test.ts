import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, it } from 'vitest'

const main = fileURLToPath(new URL('main.ts', import.meta.url))
const folders: string[] = []

afterEach(async () => {
  await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true })))
})

interface Outcome {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** The real program in a process of its own: exit codes and streams are the point. */
function steploop(cwd: string, ...words: readonly string[]): Promise<Outcome> {
  const options = ['--conditions=@steploop/source', main, ...words]
  return new Promise((resolve) => {
    execFile(process.execPath, options, { cwd }, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr })
    })
  })
}

/** Answers `Hello` to whatever was recorded. */
const config = `
const events = [
  { type: 'turn-start' },
  { type: 'text-delta', part: 0, text: 'Hello' },
  { type: 'turn-end', finishReason: 'stop' },
]
const adapter = ({ fetch }) => ({
  provider: 'p', model: 'm', capabilities: {},
  async *turn(request) {
    await fetch('https://a.example', { method: 'POST', body: JSON.stringify(request.messages) })
    yield events
  },
})
export default { subjects: [{ name: 's', wire: 'openai-chat', model: 'm', baseURL: 'https://a.example', cassettes: 'c', adapter }] }
`

const recording = {
  interactions: [{ wire: 'chat', response: { status: 200, body: { choices: [{ message: { content: 'Hello' } }] } } }],
}

/** A project with a config, and recordings in the folder beside it that is the default. */
async function project(expectedText?: string): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'cli-'))
  folders.push(root)
  const traffic = join(root, 'shared/real-traffic')
  await mkdir(join(traffic, 'chat'), { recursive: true })
  await mkdir(join(root, 'project'))
  await writeFile(join(root, 'project/steploop.config.mjs'), config)
  await writeFile(join(traffic, 'chat/one.json'), JSON.stringify(recording))
  const key = { 'chat/one.json': [{ text: expectedText, error: null }] }
  if (expectedText !== undefined) await writeFile(join(traffic, 'EXPECTED.json'), JSON.stringify(key))
  return join(root, 'project')
}

it('exits with 0 when everything agrees; the default folder lies beside the project', async () => {
  const { code, stdout, stderr } = await steploop(await project('Hello'), 'traffic')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toContain('1 turn, 2 fields compared, 0 cuts: nothing found.')
})

it('reads several folders, and a second one beside the first without being told', async () => {
  const root = await project('Hello')
  await cp(join(root, '../shared/real-traffic'), join(root, '../shared/real-traffic-2'), { recursive: true })
  const { stdout } = await steploop(root, 'traffic')
  expect(stdout.match(/1 turn, 2 fields compared/g)).toHaveLength(2)
  await writeFile(join(root, '../shared/real-traffic-2/EXPECTED.json'), '{"chat/one.json":[{"text":"Good day"}]}')
  const named = ['../shared/real-traffic', '../shared/real-traffic-2']
  expect((await steploop(root, 'traffic', ...named)).code).toBe(1)
  const { stdout: json } = await steploop(root, 'traffic', ...named, '--json', '-')
  expect(JSON.parse(json)).toMatchObject([{ findings: [] }, { findings: [{ expected: 'Good day' }] }])
})

it('exits with 1 on a disagreement', async () => {
  const { code, stdout } = await steploop(await project('Good day'), 'traffic')
  expect(code).toBe(1)
  expect(stdout).toContain('expected  "Good day"')
})

it('writes the JSON report to a file', async () => {
  const root = await project('Good day')
  await steploop(root, 'traffic', '--json', 'reports/traffic.json')
  const report: unknown = JSON.parse(await readFile(join(root, 'reports/traffic.json'), 'utf8'))
  expect(report).toMatchObject({
    wires: {
      chat: {
        turns: 1,
        fields: 2,
        disagreeing: 1,
        crashed: 0,
        cuts: 0,
        cutsAccepted: 0,
        disputed: 0,
        handEdited: { turns: 0, crashed: 0 },
      },
    },
  })
})

it('prints nothing but the JSON report to stdout when the file is -', async () => {
  const { code, stdout } = await steploop(await project(), 'traffic', '--json', '-')
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({
    key: false,
    wires: { chat: { turns: 1, fields: 0, read: { turns: 1, fields: 4, disagreeing: 0 } } },
  })
})

it('exits with 2 and names what cannot be read', async () => {
  const root = await project()
  const missing = await steploop(root, 'traffic', 'no/such/folder')
  expect(missing.code).toBe(2)
  expect(missing.stderr).toContain(join(root, 'no/such/folder'))
  await writeFile(join(root, '../shared/real-traffic/chat/two.json'), '{')
  const broken = await steploop(root, 'traffic')
  expect(broken.code).toBe(2)
  expect(broken.stderr).toContain('chat/two.json is broken JSON')
})

it('exits with 2 on options that do not exist and on a report that cannot be written', async () => {
  const root = await project()
  expect((await steploop(root, 'traffic', '--bogus')).code).toBe(2)
  const unwritable = await steploop(root, 'traffic', '--json', 'steploop.config.mjs/report.json')
  expect(unwritable.code).toBe(2)
  expect(unwritable.stderr).toContain('which is a file')
})

it('exits with 2 and the reason when the config exports no subjects', async () => {
  const root = await project()
  await writeFile(join(root, 'steploop.config.mjs'), 'export default {}')
  const { code, stderr } = await steploop(root, 'traffic')
  expect(code).toBe(2)
  expect(stderr).toContain('does not export subjects')
})
