import { createServer } from 'node:http'
import { createMcpHandler } from '@modelcontextprotocol/server'
import { connectMcp, type McpOptions, type McpWarning } from '@steploop/mcp'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createNewestServer, createState } from './servers/newest-server.ts'
import { connectScript, play, until } from './testing.ts'

/** The same server behind streamable HTTP. */
async function connectHttp(options: McpOptions = {}) {
  const state = createState()
  const handler = createMcpHandler(() => createNewestServer(state, { onGrown: () => handler.notify.toolsChanged() }))
  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const headers = new Headers(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
      const body = chunks.length === 0 ? null : Buffer.concat(chunks)
      const { method = 'GET' } = request
      const answer = await handler.fetch(new Request(`http://127.0.0.1${request.url}`, { method, headers, body }))
      response.writeHead(answer.status, Object.fromEntries(answer.headers))
      for await (const chunk of answer.body ?? []) response.write(chunk)
      response.end()
    })()
  })
  server.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as { readonly port: number }
  const connection = await connectMcp({ url: `http://127.0.0.1:${port}/mcp` }, options)
  onTestFinished(() => connection.close())
  return connection
}

const text = (value: string) => ({ type: 'text', value })

describe.each([
  ['stdio', (options?: McpOptions) => connectScript('newest-stdio', options)],
  ['streamable HTTP', connectHttp],
])('a server of 2026-07-28 over %s', (_transport, connect) => {
  test('a server of 2026-07-28 gives the tools of all its 200 pages, and says what it speaks', async () => {
    const server = await connect()
    const tools = await server.tools()
    expect(Object.keys(tools)).toHaveLength(405)
    expect(server.server).toEqual({
      name: 'newest',
      version: '2.0.0',
      instructions: 'Ask politely.',
      protocolVersion: '2026-07-28',
    })
    expect((await play(tools, [[{ toolName: 'tool_199_1' }]])).outputs).toEqual([text('tool_199_1')])
  })

  test('a server of 2026-07-28 may change its tools in the middle of a run, which keeps its own; the next one has the new ones', async () => {
    let changes = 0
    const server = await connect({ onToolsChanged: () => changes++ })
    const tools = await server.tools()
    const { outputs } = await play(tools, [[{ toolName: 'grow' }], [{ toolName: 'tool_0_0' }, { toolName: 'grown' }]])
    expect(outputs).toMatchObject([text('grown'), text('tool_0_0'), { value: { code: 'unknown-tool' } }])
    await until(() => changes > 0)
    const fresh = await server.tools()
    expect([changes, Object.hasOwn(tools, 'grown'), Object.hasOwn(fresh, 'grown')]).toEqual([1, false, true])
    expect((await play(fresh, [[{ toolName: 'grown' }]])).outputs).toEqual([text('grown')])
  })

  test('a server of 2026-07-28 is held to its promises: data that breaks its schema is an error, and missing data a warning', async () => {
    const warnings: McpWarning[] = []
    const server = await connect({ onWarning: (warning) => warnings.push(warning) })
    const turn = ['weather', 'liar', 'silent'].map((toolName) => ({ toolName }))
    expect((await play(await server.tools(), [turn])).outputs).toMatchObject([
      { type: 'json', value: { celsius: 9 } },
      { type: 'error', value: { code: 'tool-failed', message: expect.stringContaining('celsius must be number') } },
      text('no data'),
    ])
    expect(warnings.map(({ type, toolName }) => `${type} ${toolName}`).toSorted()).toEqual([
      'invalid-result liar',
      'invalid-result silent',
    ])
    expect(server.warnings).toEqual(warnings)
  })

  test('a server of 2026-07-28 asks the user within a call, and is declined where nobody answers', async () => {
    const asked: unknown[] = []
    const server = await connect({
      onElicit: ({ message }, { toolName, toolCallId, signal }) => {
        asked.push([message, toolName, toolCallId, signal.aborted])
        return { action: 'accept', content: { name: 'Ada' } }
      },
    })
    const { outputs, events } = await play(await server.tools(), [[{ toolName: 'ask' }]])
    const id = events.find((event) => event.type === 'tool-result')?.toolCallId
    expect(asked).toEqual([['Who are you?', 'ask', id, false]])
    expect(outputs).toEqual([text('{"action":"accept","content":{"name":"Ada"}}')])
    const silent = await connect()
    expect((await play(await silent.tools(), [[{ toolName: 'ask' }]])).outputs).toEqual([text('{"action":"decline"}')])
    const broken = await connect({ onElicit: () => Promise.reject(new Error('nobody is there')) })
    expect((await play(await broken.tools(), [[{ toolName: 'ask' }]])).outputs).toEqual([text('{"action":"cancel"}')])
    expect(broken.warnings).toMatchObject([
      { type: 'hook-failed', message: expect.stringContaining('nobody is there') },
    ])
  })
})
