/**
 * An MCP server by hand, over stdio, in the handshake of before 2026-07-28: the name of each tool says what goes wrong when it is called. Its
 * last argument marks the process, so that a test can count those that are left over.
 */
import { createInterface } from 'node:readline'

interface Request {
  readonly id?: number
  readonly method: string
  readonly params?: {
    readonly name?: string
    readonly arguments?: Readonly<Record<string, unknown>>
    readonly _meta?: Record<string, unknown>
    readonly requestId?: number
  }
}

const tools = [
  'fine',
  'die',
  'hang',
  'flood',
  'twice',
  'late',
  'huge',
  'broken-line',
  'pid',
  'count',
  'fails',
  'rpc-error',
  'meta',
  'steps',
  'cancelled',
  'no-base64',
]
const log: string[] = []
let lines = 0

function write(message: unknown): void {
  process.stdout.write(`${JSON.stringify(message)}\n`)
}

function answer(id: number | undefined, text: string, more: Readonly<Record<string, unknown>> = {}): void {
  write({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text }], ...more } })
}

function call({ id, params }: Request): void {
  const input = params?.arguments ?? {}
  switch (params?.name) {
    case 'die':
      process.kill(process.pid, 'SIGKILL')
      break
    case 'hang':
      break
    case 'flood':
      for (let line = 0; line < 20_000; line++) process.stderr.write(`line ${line} ${'x'.repeat(200)}\n`)
      answer(id, 'flooded')
      break
    case 'twice':
      answer(id, 'first')
      answer(id, 'second')
      break
    case 'late':
      setTimeout(() => answer(id, `late ${String(input['ms'])}`), Number(input['ms']))
      break
    case 'huge':
      answer(id, 'x'.repeat(50 * 2 ** 20))
      break
    case 'broken-line':
      process.stdout.write(`{"jsonrpc":"2.0","id":${id},"result":{"content":\n`)
      answer(id, 'after the broken line')
      break
    case 'pid':
      answer(id, String(process.pid))
      break
    case 'count':
      answer(id, String(log.filter((name) => name === input['name']).length))
      break
    case 'fails':
      answer(id, 'it went wrong', { isError: true, structuredContent: { why: 'because' } })
      break
    case 'rpc-error':
      write({ jsonrpc: '2.0', id, error: { code: -32_007, message: 'not today' } })
      break
    case 'meta':
      answer(id, JSON.stringify(params['_meta'] ?? {}))
      break
    case 'steps':
      void steps(id, params['_meta']?.['progressToken'], Number(input['steps']), Number(input['ms']))
      break
    case 'cancelled':
      answer(id, JSON.stringify(log.filter((entry) => entry.startsWith('cancelled'))))
      break
    case 'no-base64':
      write({ jsonrpc: '2.0', id, result: { content: [{ type: 'image', mimeType: 'image/png', data: '?!' }] } })
      break
    case undefined:
    default:
      answer(id, 'fine')
  }
}

async function steps(id: number | undefined, progressToken: unknown, total: number, ms: number): Promise<void> {
  for (let progress = 1; progress <= total; progress++) {
    await new Promise((resolve) => setTimeout(resolve, ms))
    write({
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: { progressToken, progress, total, message: `step ${progress}` },
    })
  }
  await new Promise((resolve) => setTimeout(resolve, ms))
  answer(id, 'all steps')
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const request = JSON.parse(line) as Request
  const { id, method } = request
  if (lines++ === 0 && process.argv.includes('--exit')) {
    process.stderr.write('the config is broken\nthe token s3cr3t-token is wrong\n')
    process.kill(process.pid)
  }
  if (process.argv.includes('--mute')) return
  if (method === 'initialize') {
    const capabilities = { tools: { listChanged: true } }
    const serverInfo = { name: 'faulty', version: '1.0.0' }
    write({ jsonrpc: '2.0', id, result: { protocolVersion: '2025-06-18', capabilities, serverInfo } })
  } else if (method === 'tools/list') {
    const listed = tools.map((name) => ({ name, inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }))
    write({ jsonrpc: '2.0', id, result: { tools: listed } })
  } else if (method === 'tools/call') {
    log.push(request.params?.name ?? '')
    call(request)
  } else if (method === 'notifications/cancelled') {
    log.push(`cancelled ${request.params?.requestId}`)
  } else if (id !== undefined) {
    write({ jsonrpc: '2.0', id, error: { code: -32_601, message: 'Method not found' } })
  }
})
process.stdin.on('close', () => process.kill(process.pid))
