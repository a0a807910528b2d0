import { createServer, type IncomingMessage } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { AdapterError } from '@steploop/core'
import { expect, onTestFinished, test, vi } from 'vitest'
import { mcp } from './executors/mcp.ts'
import { testServer } from './testing.ts'

const planted = {
  key: 'planted-upstream-key',
  token: 'planted-tool-token',
  header: 'planted-tool-header',
  client: 'planted-client-key',
}
const tool = {
  type: 'mcp',
  server_label: 'bank',
  server_url: 'https://bank.example/mcp',
  authorization: planted.token,
  headers: { 'x-key': planted.header },
}
const failure = new AdapterError({ provider: 'p', model: 'm', code: 'authentication', providerMessage: planted.key })

test.each([
  ['a model that fails at once', [failure]],
  ['a model that fails later', [{ parts: [{ type: 'text', text: 'Hel' }], error: failure } as const]],
  ['a model that answers', ['ok']],
])('%s: no key, token, header or prompt is in a log or an error, and no secret in an echo', async (_, script) => {
  const printed = (['log', 'warn', 'error', 'info', 'debug'] as const).map((name) =>
    vi.spyOn(console, name).mockImplementation(() => undefined),
  )
  const streams = [process.stdout, process.stderr].map((stream) => vi.spyOn(stream, 'write'))
  onTestFinished(() => void vi.restoreAllMocks())
  const executors = [mcp({ allow: ['bank.example'] })]
  const { post, get } = await testServer(script, { executors, loop: { maxRetries: 0 } })
  const body = { model: 'm', input: 'planted-prompt', instructions: 'planted-instructions', tools: [tool] }
  const headers = { authorization: `Bearer ${planted.client}` }
  const said: string[] = []
  for (const more of [{}, { stream: true }, { background: true }, { truncation: 'auto' }, { metadata: 7 }]) {
    const response = await post('/responses', { ...body, ...more }, headers)
    const text = await response.text()
    said.push(JSON.stringify([...response.headers]), text)
    const id = /resp_\w+/.exec(text)?.[0]
    said.push(await (await get(`/responses/${id ?? 'resp_none'}`, headers)).text())
  }
  const all = said.join('\n')
  for (const secret of Object.values(planted)) expect(all).not.toContain(secret)
  expect(all).not.toContain('planted-prompt')
  const log = JSON.stringify([...printed, ...streams].map(({ mock }) => mock.calls.map(String)))
  expect(log).not.toContain('planted')
})

test('what a client sends to this server is not sent on to a tool of another', async () => {
  const asked: IncomingMessage[] = []
  const server = createServer((request, response) => {
    asked.push(request)
    response.writeHead(500).end('planted-answer')
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`)
  const { post } = await testServer(['ok'], { executors: [mcp({ servers: { bank: { url } } })] })
  const own = { type: 'mcp', server_label: 'bank' }
  const headers = { authorization: `Bearer ${planted.client}` }
  const text = await (await post('/responses', { model: 'm', input: 'x', tools: [own] }, headers)).text()
  expect(asked.length).toBeGreaterThan(0)
  expect(JSON.stringify(asked.map((request) => request.headers))).not.toContain('planted')
  expect(text).not.toContain('planted')
})
