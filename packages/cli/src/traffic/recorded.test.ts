import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { recorded } from './recorded.ts'
import { scratchFolder } from '../testing.ts'

afterEach(() => void vi.restoreAllMocks())

/** Says each text of the conversation again, the user's with `change`. */
const config = `
const adapter = ({ fetch }) => ({
  provider: 'p', model: 'm', capabilities: {},
  async *turn({ messages }) {
    const said = messages.map(({ role, content }) => ({ role, content: role === 'user' ? content + process.env.STEPLOOP_SPOIL : content[0].text }))
    const response = await fetch('https://a.example/chat/completions', { method: 'POST', body: JSON.stringify({ messages: said }) })
    const { choices } = await response.json()
    yield [{ type: 'turn-start' }, { type: 'text-delta', part: 0, text: choices[0].message.content }, { type: 'turn-end', finishReason: 'stop' }]
  },
})
export default { subjects: [{ name: 's', wire: 'openai-chat', model: 'm', baseURL: 'https://a.example', cassettes: 'c', adapter }] }
`

const hello = { role: 'user', content: 'Hello' }
const hi = { role: 'assistant', content: 'Hi' }

function exchange(...messages: readonly object[]): object {
  const url = 'https://a.example/chat/completions'
  const headers = { 'content-type': 'application/json' }
  const body = { choices: [{ message: hi, finish_reason: 'stop' }] }
  return { request: { method: 'POST', url, headers: {}, body: { messages } }, response: { status: 200, headers, body } }
}

function project(): { readonly config: string; readonly traffic: string } {
  const root = scratchFolder()
  const traffic = join(root, 'traffic')
  mkdirSync(traffic)
  writeFileSync(join(root, 'steploop.config.mjs'), config)
  const recording = { interactions: [exchange(hello), exchange(hello, hi, { role: 'user', content: 'And?' })] }
  writeFileSync(join(traffic, 'one.json'), JSON.stringify(recording))
  return { config: join(root, 'steploop.config.mjs'), traffic }
}

test('`--recorded` exits with 0 and prints what was compared; with 1 where something is unexplained; the JSON has all', async () => {
  const print = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  const { config: file, traffic } = project()
  vi.stubEnv('STEPLOOP_SPOIL', '')
  expect(await recorded(file, { only: [], recorded: [traffic] })).toBe(0)
  expect(print.mock.calls.join('')).toContain('1 sessions, 2 turns, 2 requests compared, 2 of them equal')
  vi.stubEnv('STEPLOOP_SPOIL', '!')
  const json = join(traffic, '../report.json')
  expect(await recorded(file, { only: ['s'], recorded: [traffic], json })).toBe(1)
  expect(JSON.parse(readFileSync(json, 'utf8'))).toMatchObject({
    findings: [{ file: 'one.json' }, { file: 'one.json', difference: { what: 'user' } }, {}],
  })
  vi.unstubAllEnvs()
})

test('options that choose among cassettes, and subjects that there are not, are refused', async () => {
  const { config: file, traffic } = project()
  const flags = { only: [], recorded: [traffic], frontEnd: 'msw' }
  await expect(recorded(file, flags)).rejects.toThrow('--front-end does not go with --recorded')
  await expect(recorded(file, { only: ['other'], recorded: [traffic] })).rejects.toThrow("no subject 'other'")
})
