/**
 * What a call costs through the package and through the SDK alone: milliseconds of CPU per 1,000 calls over stdio, in rounds one after the
 * other. Run it with `node --conditions=@steploop/source packages/mcp/test/call-cost.ts`; it fails above 1.15.
 */
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import type { FunctionTool, ToolContext } from '@steploop/core'
import { connectMcp } from '@steploop/mcp/stdio'

const rounds = 40
const quiet = 5
const calls = 1000
const most = 1.15

const args = [fileURLToPath(new URL('servers/faulty-server.ts', import.meta.url))]
const command = process.execPath

const client = new Client({ name: 'bare', version: '1.0.0' })
await client.connect(new StdioClientTransport({ command, args }))
await client.listTools()
await using server = await connectMcp({ command, args })
const { execute } = (await server.tools())['fine'] as FunctionTool<Record<string, unknown>>

/** Milliseconds of CPU. */
async function cost(call: () => Promise<unknown>, times: number): Promise<number> {
  const before = process.cpuUsage()
  for (let done = 0; done < times; done++) await call()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

const bare = (): Promise<unknown> => client.callTool({ name: 'fine', arguments: { a: 1 } })
// What the loop makes for each call of any tool is no part of it.
const { signal } = new AbortController()
const ours = async (): Promise<unknown> => {
  const context: ToolContext = {
    toolCallId: 'a',
    transcriptId: 'b',
    idempotencyKey: 'c',
    messages: [],
    signal,
    report: () => undefined,
  }
  return execute?.({ a: 1 }, context)
}

const samples = { bare: [] as number[], ours: [] as number[] }
for (let round = -3; round < rounds; round++) {
  const pairs = [['bare', bare] as const, ['ours', ours] as const]
  for (const [name, call] of round % 2 === 0 ? pairs : pairs.toReversed()) {
    const ms = await cost(call, calls)
    if (round >= 0) samples[name].push(ms)
  }
}
await client.close()

/** Of the rounds in which the machine had least else to do. */
const lowest = (values: readonly number[]): number =>
  values
    .toSorted((one, other) => one - other)
    .slice(0, quiet)
    .reduce((sum, value) => sum + value / quiet, 0)
const [sdk, own] = [lowest(samples.bare), lowest(samples.ours)]
process.stdout.write(
  `SDK ${sdk.toFixed(1)} ms, package ${own.toFixed(1)} ms of CPU for ${calls} calls: ${(own / sdk).toFixed(3)}x\n`,
)
process.exitCode = own / sdk <= most ? 0 : 1
