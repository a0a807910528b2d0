/** Servers that are up to no good, and applications that are careless. */
import type { FunctionTool, ToolContext } from '@steploop/core'
import { connectMcp, type McpOptions, type McpToolInfo } from '@steploop/mcp'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { connectFake, fakeTransport, play, type FakeServer } from './testing.ts'

const rejections: unknown[] = []
const keep = (reason: unknown): void => void rejections.push(reason)
beforeAll(() => void process.on('unhandledRejection', keep))
afterAll(() => void process.off('unhandledRejection', keep))

const inputSchema = { type: 'object' } as const
const call = [[{ toolName: 'a' }]]

async function answers(result: unknown, definition: object = {}, options: McpOptions = {}) {
  const connection = await connectFake(
    { tools: [{ name: 'a', inputSchema, ...definition }], call: () => result },
    { approve: 'never', ...options },
  )
  return { connection, outputs: (await play(await connection.tools(), call)).outputs }
}

test('a schema of results is checked by itself, also where another server gave one with the same `$id`', async () => {
  const $id = 'https://example.com/shared'
  const result = { content: [], structuredContent: { other: 1 } }
  await answers(result, { outputSchema: { $id, type: 'object' } })
  const { outputs } = await answers(result, { outputSchema: { $id, type: 'object', required: ['celsius'] } })
  expect(outputs).toMatchObject([{ type: 'error', value: { message: expect.stringContaining('celsius') } }])
})

test('a schema of results that never ends does not make a failure of a call that was made', async () => {
  const outputSchema = { type: 'object', allOf: [{ $ref: '#' }] }
  const { outputs, connection } = await answers({ content: [], structuredContent: { n: 1 } }, { outputSchema })
  expect(outputs).toEqual([{ type: 'json', value: { n: 1 } }])
  expect(connection.warnings).toMatchObject([{ type: 'schema-ignored', toolName: 'a' }])
})

test('a schema of results that ten thousand items break is reported in a few words', async () => {
  const outputSchema = { type: 'object', properties: { list: { items: { type: 'string' } } } }
  const structuredContent = { list: Array.from({ length: 10_000 }, (_, index) => index) }
  const { outputs } = await answers({ content: [], structuredContent }, { outputSchema })
  expect(outputs).toMatchObject([{ type: 'error', value: { message: expect.stringContaining('list/0') } }])
  expect(JSON.stringify(outputs).length).toBeLessThan(1000)
})

test.each(['', 'x\r\ny', 'image', 'image/p ng'])(
  'what is no media type (%j) is none for the model',
  async (mimeType) => {
    const { outputs } = await answers({ content: [{ type: 'image', data: 'AAAA', mimeType }] })
    expect(outputs).toMatchObject([
      { type: 'content', value: [{ type: 'file', mediaType: 'application/octet-stream' }] },
    ])
  },
)

test('names of a million characters make no messages of that length', async () => {
  const tools = [{ name: 'x'.repeat(1e6), inputSchema }]
  const connection = await connectFake({ tools }, { pins: {} })
  expect(await connection.tools()).toEqual({})
  expect(connection.warnings[0]?.message).toMatch(/^The tool 'x{200}…' is left out: it is not among the pinned ones/)
  const strict = await connectFake({ tools }, { pins: {}, onPinMismatch: 'throw' })
  const error = await strict.tools().catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ code: 'pin-mismatch' })
  expect((error as Error).message.length).toBeLessThan(1000)
})

test('whoever approves reads the same as the model: nothing that nobody sees, or that turns around', async () => {
  const seen: McpToolInfo[] = []
  const approve = (tool: McpToolInfo): boolean => (seen.push(tool), false)
  await answers({ content: [] }, { title: 'Rea\u200Bd', description: 'Reads\u202E a file.' }, { approve })
  expect(seen).toMatchObject([{ name: 'a', title: 'Read', description: 'Reads a file.' }])
})

test('the instructions of a server lose what nobody can see', async () => {
  const transport = fakeTransport({ tools: [] })
  const send = transport.send.bind(transport)
  transport.send = async (message, options) => {
    if (!('method' in message) || message.method !== 'initialize' || !('id' in message)) return send(message, options)
    const serverInfo = { name: 'fake', version: '1' }
    const result = { protocolVersion: '2025-06-18', capabilities: {}, serverInfo, instructions: 'Be\u{E0049} kind.' }
    queueMicrotask(() => transport.onmessage?.({ jsonrpc: '2.0', id: message.id, result }))
  }
  const connection = await connectMcp({ transport })
  onTestFinished(() => connection.close())
  expect(connection.server.instructions).toBe('Be kind.')
})

test.each<[string, () => unknown]>([
  [
    'throws',
    () => {
      throw new Error('bad hook')
    },
  ],
  ['gives a promise that rejects', () => Promise.reject(new Error('bad hook'))],
])('a hook that %s ends nothing', async (_how, onWarning) => {
  const connection = await connectFake({ tools: [{ name: 'a', inputSchema: true }] }, { onWarning })
  expect(await connection.tools()).toEqual({})
  await new Promise((resolve) => setTimeout(resolve, 10))
  expect(connection.warnings.map(({ type }) => type)).toEqual(['tool-left-out', 'hook-failed'])
  expect(rejections).toEqual([])
})

test('a `report` that throws does not make a failure of a call that was made', async () => {
  const forUser = { type: 'text', text: 'seen', annotations: { audience: ['user'] } }
  const connection = await connectFake({
    tools: [{ name: 'a', inputSchema }],
    call: () => ({ content: [forUser, { type: 'text', text: 'done' }] }),
  })
  const { execute } = (await connection.tools())['a'] as FunctionTool<Record<string, unknown>>
  const context: ToolContext = {
    toolCallId: '1',
    transcriptId: 't',
    idempotencyKey: 'k',
    messages: [],
    signal: new AbortController().signal,
    report() {
      throw new Error('nobody there')
    },
  }
  expect(await execute?.({}, context)).toEqual({ type: 'text', value: 'done' })
  expect(connection.warnings).toMatchObject([{ type: 'hook-failed', message: expect.stringContaining('nobody there') }])
})

test('what `onSample` fails with is not for the server', async () => {
  const sent: unknown[] = []
  const ask = {
    jsonrpc: '2.0',
    id: 99,
    method: 'sampling/createMessage',
    params: { messages: [], maxTokens: 1 },
  } as const
  const server: FakeServer = {
    tools: [{ name: 'a', inputSchema }],
    onMessage: (message) => void ('id' in message && message.id === 99 && sent.push(message)),
    async call() {
      transport.onmessage?.(ask)
      await new Promise((resolve) => setTimeout(resolve, 20))
    },
  }
  const transport = fakeTransport(server)
  const onSample = (): never => {
    throw Object.assign(new Error('the key s3cr3t is wrong'), { code: 401, data: { key: 's3cr3t' } })
  }
  const connection = await connectMcp({ transport }, { approve: 'never', onSample })
  onTestFinished(() => connection.close())
  await play(await connection.tools(), call)
  expect(sent).toMatchObject([{ error: { code: -32_603 } }])
  expect(JSON.stringify(sent)).not.toContain('s3cr3t')
  expect(connection.warnings).toMatchObject([{ type: 'hook-failed', message: expect.stringContaining('`onSample`') }])
})

test('`close` does not wait for a server that says nothing while it is connected to anew', async () => {
  const made: ReturnType<typeof fakeTransport>[] = []
  const connection = await connectMcp({
    transport() {
      const transport = fakeTransport({ tools: [] })
      // Each but the first.
      if (made.length > 0) transport.send = async () => undefined
      made.push(transport)
      return transport
    },
  })
  await made[0]?.close()
  const tools = connection.tools().catch((error: unknown) => error)
  await new Promise((resolve) => setTimeout(resolve, 10))
  await connection.close()
  expect(await tools).toMatchObject({ name: 'McpError', code: 'closed' })
})

test('no hostile server left a rejection that nobody handled', () => {
  expect(rejections).toEqual([])
})
