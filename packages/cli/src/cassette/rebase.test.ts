import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readCassette } from '@steploop/cassette'
import { scenarios } from '@steploop/conformance'
import { expect, test } from 'vitest'
import { cassetteCommand, cassetteText, folderWith } from './testing.ts'

/** A project whose adapter speaks a format of its own: `members` is what it puts into each request, `requests` how many it makes. */
const config = (members: string, requests = 1): string => `
const adapter = ({ fetch }) => ({
  provider: 'p', model: 'm1', capabilities: {},
  async *turn() {
    let text = ''
    for (let count = 0; count < ${requests}; count += 1) {
      const headers = { 'content-type': 'application/json' }
      const response = await fetch('https://a.example/v1', { method: 'POST', headers, body: JSON.stringify({ ${members} }) })
      text = await response.text()
    }
    const usage = { inputTokens: 1, outputTokens: 1 }
    yield [{ type: 'turn-start', warnings: [] }, { type: 'text-start', part: 0 }, { type: 'text-delta', part: 0, text }]
    yield [{ type: 'text-end', part: 0 }, { type: 'turn-end', finishReason: 'stop', rawFinishReason: 'stop', usage }]
  },
})
const cassettes = new URL('cassettes/p/', import.meta.url)
export default { subjects: [{ name: 'p', wire: 'own', model: 'm1', baseURL: 'https://a.example/v1', cassettes, adapter }] }
`

/** What the model of the scenario says. */
function scriptedText(): string {
  const [turn] = scenarios.find(({ id }) => id === 'text-only')?.script ?? []
  const part = turn?.type === 'answer' ? turn.parts[0] : undefined
  return part?.type === 'text' ? part.text : ''
}

function recorded(body: string): string {
  const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
  const answer = bytes(scriptedText())
  const headers = { 'content-type': 'application/json' }
  const request = { method: 'POST', url: 'https://a.example/v1', headers, body: bytes(body) }
  const chunks = [{ ms: 0, bytes: answer.length }]
  const response = {
    status: 200,
    headers: { 'content-type': 'text/plain' },
    body: answer,
    chunks,
    ending: 'eof' as const,
  }
  return cassetteText([{ request, response }], { scenario: 'text-only', wire: 'own' })
}

const file = 'cassettes/p/text-only.generate.yaml'
const words = ['rebase', '--scenario', 'text-only', '--mode', 'generate']

const project = (members: string, requests?: number): string =>
  folderWith({ 'steploop.config.mjs': config(members, requests), [file]: recorded('{"a":1}') })

test('requests that did not change leave the cassette as it is', async () => {
  const folder = project('a: 1')
  const { code, stdout } = await cassetteCommand(folder, ...words)
  expect({ code, stdout }).toEqual({ code: 0, stdout: '0 rebased, 1 unchanged, 0 refused, 0 missing\n' })
  expect(readFileSync(join(folder, file), 'utf8')).toBe(recorded('{"a":1}'))
})

test('a changed encoding is written into the request and marked with the day; check warns of it', async () => {
  const folder = project('a: 1, b: 2')
  const { code, stdout } = await cassetteCommand(folder, ...words)
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: `rebased ${file} (1 request)\n1 rebased, 0 unchanged, 0 refused, 0 missing\n`,
  })
  const { request, response } = readCassette(join(folder, file)).exchanges[0]!
  expect(JSON.parse(new TextDecoder().decode(request.body))).toEqual({ a: 1, b: 2 })
  expect(request.rebased).toMatch(/^\d{4}-\d{2}-\d{2}$/)
  expect(new TextDecoder().decode(response.body)).toBe(scriptedText())
  expect((await cassetteCommand(folder, 'check')).stdout).toContain('rebased (warning): 1 of 1 requests')
})

test('a client that now asks more often is refused, and the cassette stays', async () => {
  const folder = project('a: 1', 2)
  const { code, stdout } = await cassetteCommand(folder, ...words)
  expect(code).toBe(1)
  expect(stdout).toMatch(/^refused cassettes\/p\/text-only\.generate\.yaml\n[^]*Record the cassette anew\./)
  expect(readFileSync(join(folder, file), 'utf8')).toBe(recorded('{"a":1}'))
})

test('cassettes that were never recorded are counted, and outcomes are data with --json', async () => {
  const { stdout } = await cassetteCommand(project('a: 1'), 'rebase', '--scenario', 'text-only', '--json', '-')
  expect(JSON.parse(stdout)).toMatchObject({ cassettes: [{ path: file, status: 'unchanged' }, { status: 'missing' }] })
})

test.each([
  ['a scenario', ['--scenario', 'none'], /no scenario 'none'/],
  ['a subject', ['--only', 'none'], /no subject 'none'. There are: p\./],
  ['a mode', ['--mode', 'none'], /no mode 'none'/],
  ['a config', ['--config', 'none.ts'], /none\.ts does not exist/],
])('%s that is not there is refused with exit code 2', async (_, flags, message) => {
  const { code, stderr } = await cassetteCommand(project('a: 1'), 'rebase', ...flags)
  expect(code).toBe(2)
  expect(stderr).toMatch(message)
})
