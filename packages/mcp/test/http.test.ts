import { inspect } from 'node:util'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { connectMcp, McpError, type HttpServer, type McpOptions } from '@steploop/mcp'
import { expect, onTestFinished, test } from 'vitest'
import { play } from './testing.ts'

type Respond = (
  request: {
    readonly method: string
    readonly id: unknown
    readonly name: unknown
    readonly headers: IncomingMessage['headers']
  },
  response: ServerResponse,
) => void

/** A server by hand, in the handshake of before 2026-07-28, that answers with JSON; `respond` may do otherwise by not answering `false`. */
async function serve(respond: (...given: Parameters<Respond>) => boolean): Promise<string> {
  const server = createServer((request, response) => {
    void (async () => {
      let text = ''
      for await (const chunk of request) text += String(chunk)
      const { method = request.method, id, params } = text === '' ? {} : JSON.parse(text)
      const asked = { method, id, name: params?.name, headers: request.headers }
      if (!respond(asked, response)) answerPlainly(asked, response)
    })()
  })
  server.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as { readonly port: number }).port}/mcp`
}

const answerPlainly: Respond = ({ method, id, name }, response) => {
  const results: Readonly<Record<string, unknown>> = {
    initialize: {
      protocolVersion: '2025-06-18',
      capabilities: { tools: {} },
      serverInfo: { name: 'plain', version: '1' },
    },
    'tools/list': { tools: ['a', 'cut'].map((toolName) => ({ name: toolName, inputSchema: { type: 'object' } })) },
    'tools/call': { content: [{ type: 'text', text: `called ${String(name)}` }] },
  }
  if (method === 'GET' || method === 'DELETE') response.writeHead(405).end()
  else if (id === undefined) response.writeHead(202).end()
  else {
    const result = results[method]
    const error = { code: -32_601, message: 'Method not found' }
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ jsonrpc: '2.0', id, ...(result === undefined ? { error } : { result }) }))
  }
}

async function connect(server: HttpServer, options: McpOptions = {}) {
  const connection = await connectMcp(server, { approve: 'never', ...options })
  onTestFinished(() => connection.close())
  return connection
}

const failure = (server: HttpServer, options?: McpOptions) =>
  connectMcp(server, options).catch((error: unknown) => error)

test('every request has the headers that were given', async () => {
  const seen = new Set<unknown>()
  const url = await serve(({ headers }) => (seen.add(headers['x-team']), false))
  const connection = await connect({ url: new URL(url), headers: { 'x-team': 'blue' } })
  expect((await play(await connection.tools(), [[{ toolName: 'a' }]])).outputs).toEqual([
    { type: 'text', value: 'called a' },
  ])
  expect([...seen]).toEqual(['blue'])
})

test('an address that answers with a web page is said to be one', async () => {
  const url = await serve((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Hello</title>')
    return true
  })
  expect(await failure({ url })).toMatchObject({
    code: 'connect-failed',
    server: url,
    message: expect.stringContaining('web page'),
  })
})

test('nobody at the address is a typed error without the secrets of the address', async () => {
  const error = await failure({
    url: 'http://127.0.0.1:1/mcp?token=s3cr3t-query',
    headers: { authorization: 'Bearer s3cr3t-header' },
  })
  expect(error).toMatchObject({ code: 'connect-failed', server: 'http://127.0.0.1:1/mcp' })
  expect(McpError.isInstance(error)).toBe(true)
  expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('s3cr3t')
})

test('a server that repeats a header in its error does not give it away', async () => {
  const url = await serve(({ headers }, response) => {
    response.writeHead(500).end(`bad key ${headers.authorization}`)
    return true
  })
  const error = await failure({ url, headers: { authorization: 'Bearer s3cr3t-header' } }, { protocol: 'legacy' })
  expect(String(error)).toContain('bad key')
  expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('s3cr3t-header')
})

test('a missing authorisation is a typed error, with the address to log in at where there is one', async () => {
  const url = await serve(({ method }, response) => {
    if (method === 'GET') response.writeHead(404).end()
    else response.writeHead(401, { 'www-authenticate': 'Bearer' }).end()
    return true
  })
  expect(await failure({ url })).toMatchObject({
    code: 'unauthorized',
    authorizationUrl: undefined,
    message: expect.stringContaining('authProvider'),
  })
  const redirected: string[] = []
  const error = await failure({
    url,
    authProvider: {
      redirectUrl: 'http://127.0.0.1/back',
      clientMetadata: { redirect_uris: ['http://127.0.0.1/back'] },
      clientInformation: () => ({ client_id: 'me' }),
      tokens: () => undefined,
      saveTokens: () => undefined,
      redirectToAuthorization: (login) => void redirected.push(login.href),
      saveCodeVerifier: () => undefined,
      codeVerifier: () => 'verifier',
    },
  })
  expect(redirected).toEqual([expect.stringContaining('client_id=me')])
  expect(error).toMatchObject({
    code: 'unauthorized',
    authorizationUrl: redirected[0],
    message: expect.stringContaining(redirected[0]!),
  })
})

test('an answer that is cut off fails its call at once, which is not sent again', async () => {
  let calls = 0
  const url = await serve(({ method, name }, response) => {
    if (method !== 'tools/call' || name !== 'cut') return false
    calls++
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(': begun\n\n')
    setTimeout(() => response.destroy(), 20)
    return true
  })
  const connection = await connect({ url })
  const { outputs } = await play(await connection.tools(), [[{ toolName: 'cut' }, { toolName: 'a' }]])
  expect(outputs).toMatchObject([
    { value: { code: 'tool-failed', message: expect.stringContaining('cut off') } },
    { type: 'text', value: 'called a' },
  ])
  expect(calls).toBe(1)
})

test('a token of an `authProvider` that a server repeats does not get to the model', async () => {
  const url = await serve(({ method, headers }, response) => {
    if (method !== 'tools/call') return false
    response.writeHead(500).end(`refused: ${headers.authorization}`)
    return true
  })
  const server = await connect({ url, authProvider: { token: async () => 's3cr3t-of-a-provider' } })
  const { outputs } = await play(await server.tools(), [[{ toolName: 'a' }]])
  expect(outputs).toMatchObject([{ type: 'error', value: { message: expect.stringContaining('refused') } }])
  expect(JSON.stringify(outputs)).not.toContain('s3cr3t')
})

test('no error has the token that a URL has, whether it is in its path or the URL is none', async () => {
  const inPath = await failure({ url: 'http://127.0.0.1:1/v1/s3cr3t0123456789abcdef/mcp' })
  expect(inPath).toMatchObject({ code: 'connect-failed', server: 'http://127.0.0.1:1/v1/[redacted]/mcp' })
  expect(inspect(inPath, { depth: 9 })).not.toContain('s3cr3t')
  const none = await failure({ url: 'example.com/mcp?key=s3cr3t-token' })
  expect(none).toMatchObject({ code: 'invalid-options' })
  expect(inspect(none, { depth: 9 })).not.toContain('s3cr3t')
})

test('a header whose value is missing is named', async () => {
  expect(await failure({ url: 'http://127.0.0.1:1/', headers: { authorization: undefined as never } })).toMatchObject({
    code: 'invalid-options',
    message: expect.stringContaining("'authorization'"),
  })
})

test('a server that has forgotten the session is connected to anew by the next call', async () => {
  let session = 1
  const sessions: unknown[] = []
  const url = await serve(({ method, headers, name }, response) => {
    if (method === 'initialize') response.setHeader('mcp-session-id', String(session))
    const known = headers['mcp-session-id']
    if (method === 'tools/call') sessions.push([name, known])
    if (known === undefined || known === String(session)) return false
    response.writeHead(404).end('Session not found')
    return true
  })
  const connection = await connect({ url })
  const tools = await connection.tools()
  await play(tools, [[{ toolName: 'a' }]])
  session = 2
  const { outputs } = await play(tools, [[{ toolName: 'a' }], [{ toolName: 'a' }]])
  expect(outputs).toMatchObject([{ value: { code: 'tool-failed' } }, { type: 'text', value: 'called a' }])
  expect(sessions).toEqual([
    ['a', '1'],
    ['a', '1'],
    ['a', '2'],
  ])
})

test('a session is ended with the connection', async () => {
  const methods: unknown[] = []
  const url = await serve(({ method, headers }, response) => {
    if (method === 'initialize') response.setHeader('mcp-session-id', 'one')
    if (method === 'DELETE') methods.push(headers['mcp-session-id'])
    return false
  })
  await (await connect({ url })).close()
  expect(methods).toEqual(['one'])
})
