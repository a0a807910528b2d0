import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { StepLoop, type LoopEvent, type RunOptions, type ToolOutput, type ToolSet } from '@steploop/core'
import { scriptedAdapter } from '@steploop/core/testing'
import { connectMcp, type McpConnection, type StdioServer } from '@steploop/mcp/stdio'
import type { Transport } from '@modelcontextprotocol/client'
import type { McpOptions } from '@steploop/mcp'
import { expect, onTestFinished } from 'vitest'

/** How a server of these tests is started. `marker` is in the command line of its processes. */
export function serverScript(name: string, ...flags: readonly string[]): StdioServer & { readonly marker: string } {
  const marker = `marker-${randomUUID()}`
  const script = fileURLToPath(new URL(`servers/${name}.ts`, import.meta.url))
  return { command: process.execPath, args: [script, ...flags, marker], marker }
}

/** Processes with this in their command line. */
export async function countProcesses(marker: string): Promise<number> {
  const { stdout } = await promisify(execFile)('ps', ['-eo', 'args'])
  return stdout.split('\n').filter((line) => line.includes(marker)).length
}

/** None is left, or one still is ten seconds later. */
export async function expectNoProcess(marker: string): Promise<void> {
  await until(async () => (await countProcesses(marker)) === 0)
  expect(await countProcesses(marker)).toBe(0)
}

export async function connectScript(
  name: string,
  options: McpOptions = {},
): Promise<McpConnection & { readonly marker: string }> {
  const { marker, ...server } = serverScript(name)
  const connection = await connectMcp(server, options)
  onTestFinished(() => connection.close())
  return Object.assign(connection, { marker })
}

export interface Call {
  readonly toolName: string
  readonly input?: Readonly<Record<string, unknown>>
}

export interface Played {
  readonly events: readonly LoopEvent[]
  readonly outputs: readonly ToolOutput[]
  readonly progress: readonly Extract<LoopEvent, { type: 'tool-progress' }>[]
}

/** A run whose model makes these calls, each list of them in a turn of its own. */
export async function play(
  tools: ToolSet,
  turns: readonly (readonly Call[])[],
  options: RunOptions = {},
): Promise<Played> {
  const { abortSignal, ...rest } = options
  const script = turns.map((calls) =>
    calls.map(({ toolName, input = {} }) => ({ type: 'call', toolName, input }) as const),
  )
  const loop = new StepLoop({ model: scriptedAdapter([...script, 'done']), tools, ...rest })
  const events: LoopEvent[] = []
  for await (const event of loop.stream('Go.', { abortSignal })) events.push(event)
  const results = events.flatMap((event) => (event.type === 'tool-result' ? [event] : []))
  const steps = events.flatMap((event) => (event.type === 'step-end' ? event.step.toolResults : []))
  return {
    events,
    outputs: steps.length > 0 ? steps.map(({ output }) => output) : results.map(({ output }) => output),
    progress: events.flatMap((event) => (event.type === 'tool-progress' ? [event] : [])),
  }
}

/** Until it holds, or ten seconds later. */
export async function until(holds: () => boolean | Promise<boolean>, ms = 10_000): Promise<void> {
  const end = performance.now() + ms
  while (!(await holds()) && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 20))
}

type Message = Parameters<Transport['send']>[0]

export interface FakeServer {
  /** One page, or a function of the cursor. */
  readonly tools:
    | readonly unknown[]
    | ((cursor: string | undefined) => { readonly tools: readonly unknown[]; readonly nextCursor?: string })
  readonly call?: (name: string, input: unknown, meta: unknown) => unknown
  /** Told of each message that reaches the server. */
  readonly onMessage?: (message: Message) => void
}

/** A transport with a server of before 2026-07-28 behind it, which says whatever a test wants. */
export function fakeTransport({ tools, call, onMessage }: FakeServer): Transport {
  const transport: Transport = {
    start: async () => undefined,
    close: async () => transport.onclose?.(),
    async send(message) {
      onMessage?.(message)
      if (!('method' in message) || !('id' in message)) return
      const { method, id, params = {} } = message
      const reply = (result: unknown): void =>
        queueMicrotask(() => transport.onmessage?.({ jsonrpc: '2.0', id, result } as Message))
      if (method === 'initialize')
        reply({
          protocolVersion: '2025-06-18',
          capabilities: { tools: {} },
          serverInfo: { name: 'fake', version: '1' },
        })
      else if (method === 'tools/list')
        reply(typeof tools === 'function' ? tools(params['cursor'] as string | undefined) : { tools })
      else if (method === 'tools/call')
        reply((await call?.(String(params['name']), params['arguments'], params['_meta'])) ?? { content: [] })
      else
        queueMicrotask(() =>
          transport.onmessage?.({ jsonrpc: '2.0', id, error: { code: -32_601, message: 'Method not found' } }),
        )
    },
  }
  return transport
}

export async function connectFake(server: FakeServer, options: McpOptions = {}): Promise<McpConnection> {
  const connection = await connectMcp({ transport: () => fakeTransport(server) }, options)
  onTestFinished(() => connection.close())
  return connection
}
