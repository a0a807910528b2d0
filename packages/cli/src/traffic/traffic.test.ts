import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { runSteploop, scratchFolder, spawnSteploop } from '../testing.ts'
import { registerTraffic } from './traffic.ts'

// Processes take their time on a busy machine.
vi.setConfig({ testTimeout: 60_000 })

/** The real program in a process of its own, and the command in this one. */
const program = (cwd: string, ...words: readonly string[]) => spawnSteploop(['traffic', ...words], {}, cwd)
const traffic = (cwd: string, ...words: readonly string[]) => runSteploop([registerTraffic], ['traffic', ...words], cwd)

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
function project(expectedText?: string): string {
  const root = scratchFolder()
  const shared = join(root, 'shared/real-traffic')
  mkdirSync(join(shared, 'chat'), { recursive: true })
  mkdirSync(join(root, 'project'))
  writeFileSync(join(root, 'project/steploop.config.mjs'), config)
  writeFileSync(join(shared, 'chat/one.json'), JSON.stringify(recording))
  const key = { 'chat/one.json': [{ text: expectedText, error: null }] }
  if (expectedText !== undefined) writeFileSync(join(shared, 'EXPECTED.json'), JSON.stringify(key))
  return join(root, 'project')
}

it('traffic exits with 0 when everything agrees; the default folder lies beside the project', () => {
  const { status, stdout, stderr } = program(project('Hello'))
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  expect(stdout).toContain('1 turn, 2 fields compared, 0 cuts: nothing found.')
})

it('traffic reads several folders, and a second one beside the first without being told', async () => {
  const root = project('Hello')
  cpSync(join(root, '../shared/real-traffic'), join(root, '../shared/real-traffic-2'), { recursive: true })
  const { out } = await traffic(root)
  expect(out.match(/1 turn, 2 fields compared/g)).toHaveLength(2)
  writeFileSync(join(root, '../shared/real-traffic-2/EXPECTED.json'), '{"chat/one.json":[{"text":"Good day"}]}')
  const named = ['../shared/real-traffic', '../shared/real-traffic-2']
  expect((await traffic(root, ...named)).status).toBe(1)
  const { out: json } = await traffic(root, ...named, '--json', '-')
  expect(JSON.parse(json)).toMatchObject([{ findings: [] }, { findings: [{ expected: 'Good day' }] }])
})

it('traffic exits with 1 on a disagreement', async () => {
  const { status, out } = await traffic(project('Good day'))
  expect(status).toBe(1)
  expect(out).toContain('expected  "Good day"')
})

it('writes the JSON report to a file', async () => {
  const root = project('Good day')
  await traffic(root, '--json', 'reports/traffic.json')
  const report: unknown = JSON.parse(readFileSync(join(root, 'reports/traffic.json'), 'utf8'))
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

it('prints nothing but the JSON report to stdout when the file is -', () => {
  const { status, stdout } = program(project(), '--json', '-')
  expect(status).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({
    key: false,
    wires: { chat: { turns: 1, fields: 0, read: { turns: 1, fields: 4, disagreeing: 0 } } },
  })
})

it('traffic exits with 2 and names what cannot be read', async () => {
  const root = project()
  const missing = await traffic(root, 'no/such/folder')
  expect(missing.status).toBe(2)
  expect(missing.err).toContain(join(root, 'no/such/folder'))
  writeFileSync(join(root, '../shared/real-traffic/chat/two.json'), '{')
  const broken = await traffic(root)
  expect(broken.status).toBe(2)
  expect(broken.err).toContain('chat/two.json is broken JSON')
})
