import { inspect } from 'node:util'
import type { Transport } from '@modelcontextprotocol/client'
import { connectMcp } from '@steploop/mcp/stdio'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectScript, countProcesses, expectNoProcess, fakeTransport, play, serverScript } from './testing.ts'

const rejections: unknown[] = []
const keep = (reason: unknown): void => void rejections.push(reason)
beforeAll(() => void process.on('unhandledRejection', keep))
afterAll(() => void process.off('unhandledRejection', keep))

const lost = {
  type: 'error',
  value: { code: 'tool-failed', server: 'faulty', message: expect.stringContaining('lost during the call') },
}
const text = (value: string) => ({ type: 'text', value })

test('every call is answered, and no process is left over, when the server dies in the middle of a call: the next call starts it again', async () => {
  const server = await connectScript('faulty-server')
  const { outputs } = await play(await server.tools(), [
    [{ toolName: 'die' }, { toolName: 'hang' }],
    [{ toolName: 'fine' }, { toolName: 'count', input: { name: 'die' } }],
  ])
  expect(outputs).toEqual([lost, lost, text('fine'), text('0')])
  await server.close()
  await expectNoProcess(server.marker)
})

test('a call whose connection is lost is sent once', async () => {
  const transports: Transport[] = []
  let sent = 0
  const call = (): Promise<never> => {
    sent++
    void transports.at(-1)?.close()
    return new Promise(() => undefined)
  }
  const open = (): Transport => {
    transports.push(fakeTransport({ tools: [{ name: 'die', inputSchema: { type: 'object' } }], call }))
    return transports.at(-1)!
  }
  const connection = await connectMcp({ transport: open }, { approve: 'never' })
  expect((await play(await connection.tools(), [[{ toolName: 'die' }]])).outputs).toMatchObject([{ type: 'error' }])
  expect(sent).toBe(1)
})

test('every call is answered, and no process is left over, when the server was killed between two calls', async () => {
  const server = await connectScript('faulty-server')
  const tools = await server.tools()
  const [pid] = (await play(tools, [[{ toolName: 'pid' }]])).outputs
  process.kill(Number(pid?.value), 'SIGKILL')
  await expectNoProcess(server.marker)
  expect((await play(tools, [[{ toolName: 'fine' }, { toolName: 'fine' }]])).outputs).toEqual([
    text('fine'),
    text('fine'),
  ])
  expect(await countProcesses(server.marker)).toBe(1)
  await server.close()
  await expectNoProcess(server.marker)
})

test('every call is answered, and no process is left over, when the server hangs: the call has the time of the loop, and the server hears that nobody waits', async () => {
  const server = await connectScript('faulty-server')
  const { outputs } = await play(
    await server.tools(),
    [
      [{ toolName: 'hang' }, { toolName: 'fine' }],
      [{ toolName: 'late', input: { ms: 100 } }],
      [{ toolName: 'cancelled' }],
    ],
    { toolTimeout: 1500 },
  )
  expect(outputs).toMatchObject([
    { value: { code: 'tool-timeout' } },
    text('fine'),
    text('late 100'),
    text(expect.stringMatching(/^\["cancelled \d+"/)),
  ])
})

test('every call is answered, and no process is left over, when the server answers after its time is over', async () => {
  const server = await connectScript('faulty-server')
  const { outputs } = await play(
    await server.tools(),
    [
      [{ toolName: 'late', input: { ms: 2000 } }],
      [{ toolName: 'late', input: { ms: 800 } }],
      [{ toolName: 'late', input: { ms: 1 } }],
    ],
    { toolTimeout: 1500 },
  )
  expect(outputs).toMatchObject([{ value: { code: 'tool-timeout' } }, text('late 800'), text('late 1')])
})

test('every call is answered, and no process is left over, when the server floods its log, answers twice, or breaks a line', async () => {
  const server = await connectScript('faulty-server')
  const turn = ['flood', 'twice', 'broken-line', 'fine'].map((toolName) => ({ toolName }))
  const { outputs } = await play(await server.tools(), [turn, [{ toolName: 'fine' }]])
  const expected = ['flooded', 'first', 'after the broken line', 'fine', 'fine']
  expect(outputs).toEqual(expected.map(text))
})

test('every call is answered, and no process is left over, when the server answers with 50 MB', async () => {
  const server = await connectScript('faulty-server')
  const { outputs } = await play(await server.tools(), [[{ toolName: 'huge' }], [{ toolName: 'fine' }]])
  expect(outputs).toEqual([lost, text('fine')])
  await server.close()
  await expectNoProcess(server.marker)
})

test('every call is answered, and no process is left over, when the server fails by result, by error, or with base64 that is none', async () => {
  const server = await connectScript('faulty-server')
  const turn = ['fails', 'rpc-error', 'no-base64'].map((toolName) => ({ toolName }))
  expect((await play(await server.tools(), [turn])).outputs).toMatchObject([
    {
      type: 'error',
      value: { code: 'tool-failed', message: 'it went wrong', structured: { why: 'because' }, server: 'faulty' },
    },
    {
      type: 'error',
      value: { code: 'tool-failed', message: expect.stringContaining('not today'), rpcCode: -32_007 },
    },
    { type: 'error', value: { code: 'tool-failed', message: expect.stringContaining('Base64') } },
  ])
})

test('results stand in the order of the calls, whichever comes first', async () => {
  const server = await connectScript('faulty-server')
  const turn = [200, 100, 1].map((ms) => ({ toolName: 'late', input: { ms } }))
  expect((await play(await server.tools(), [turn])).outputs).toEqual([
    text('late 200'),
    text('late 100'),
    text('late 1'),
  ])
})

test('an abort ends the run at once, and tells the server', async () => {
  const server = await connectScript('faulty-server')
  const tools = await server.tools()
  const controller = new AbortController()
  setTimeout(() => controller.abort(), 200)
  const { events } = await play(tools, [[{ toolName: 'hang' }]], { abortSignal: controller.signal })
  expect(events.at(-1)).toMatchObject({ type: 'run-error', error: { code: 'aborted' } })
  expect(
    (await play(tools, [[{ toolName: 'late', input: { ms: 100 } }], [{ toolName: 'cancelled' }]])).outputs,
  ).toEqual([text('late 100'), text(expect.stringMatching(/"cancelled \d+"/))])
})

test('progress becomes events, and starts the time anew where that is wanted', async () => {
  const plain = await connectScript('faulty-server')
  const turns = [[{ toolName: 'steps', input: { steps: 4, ms: 300 } }]]
  const cut = await play(await plain.tools(), turns, { toolTimeout: 1000 })
  expect(cut.outputs).toMatchObject([{ value: { code: 'tool-timeout' } }])
  const server = await connectScript('faulty-server', { resetTimeoutOnProgress: true })
  const { outputs, progress } = await play(await server.tools(), turns, { toolTimeout: 1000 })
  expect(outputs).toEqual([text('all steps')])
  expect(progress).toMatchObject([1, 2, 3, 4].map((step) => ({ progress: step, total: 4, message: `step ${step}` })))
  const bounded = await connectScript('faulty-server', { resetTimeoutOnProgress: true, maxTotalTimeout: 1200 })
  expect((await play(await bounded.tools(), turns, { toolTimeout: 1000 })).outputs).toMatchObject([
    { value: { code: 'tool-timeout' } },
  ])
})

test('a call after `close` is answered, and close may be called twice', async () => {
  const server = await connectScript('faulty-server')
  const tools = await server.tools()
  await Promise.all([server.close(), server.close()])
  expect((await play(tools, [[{ toolName: 'fine' }]])).outputs).toMatchObject([
    { value: { code: 'tool-failed', message: expect.stringContaining('was closed') } },
  ])
  await expect(server.tools()).rejects.toMatchObject({ name: 'McpError', code: 'closed' })
})

test('a command that does not exist, or ends at once, is named with the last lines of its log, and without what it was given', async () => {
  const missing = connectMcp({ command: 'no-such-command-here', args: ['--key=s3cr3t-argument'] })
  expect(inspect(await missing.catch((error: unknown) => error), { depth: 9 })).not.toContain('s3cr3t')
  await expect(missing).rejects.toMatchObject({
    code: 'connect-failed',
    message: expect.stringMatching(/no-such-command-here.*ENOENT/),
  })
  const { marker, ...server } = serverScript('faulty-server', '--exit')
  const failure = await connectMcp({ ...server, env: { TOKEN: 's3cr3t-token' } }).catch((error: unknown) => error)
  expect(failure).toMatchObject({ code: 'connect-failed', message: expect.stringContaining('the config is broken') })
  expect(inspect(failure, { depth: 9 })).not.toContain('s3cr3t-token')
  await expectNoProcess(marker)
})

test.each([
  ['behind a flag', ['--token', 's3cr3t-token'], {}],
  ['in the environment, escaped', [], { KEY: 'the token s3cr3t'.replaceAll(' ', '%20') }],
  ['beside a variable that is not set', ['--token=s3cr3t-token'], { MISSING: undefined as never }],
])('a log has no secret that stands %s', async (_where, flags, env) => {
  const { marker, ...server } = serverScript('faulty-server', '--exit', ...flags)
  const failure = await connectMcp({ ...server, env }).catch((error: unknown) => error)
  expect(failure).toMatchObject({ code: 'connect-failed', message: expect.stringContaining('the config is broken') })
  expect(inspect(failure, { depth: 9 })).not.toContain('s3cr3t')
  await expectNoProcess(marker)
})

test('a server that says nothing is given up when the time for a connection is over, and is no process any more', async () => {
  const { marker, ...server } = serverScript('faulty-server', '--mute')
  await expect(connectMcp(server, { connectTimeout: 1000 })).rejects.toMatchObject({ code: 'connect-failed' })
  await expectNoProcess(marker)
})

test('no fault of a server left a rejection that nobody handled', () => {
  expect(rejections).toEqual([])
})
