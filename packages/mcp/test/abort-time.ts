/**
 * How long a run takes to end once it is aborted in a tool that hangs: one behind a server over stdio, and a local one that
 * minds its signal, in turns. Run it with
 * `node --conditions=@steploop/source packages/mcp/test/abort-time.ts`.
 */
import { fileURLToPath } from 'node:url'
import { StepLoop, tool, type ToolSet } from '@steploop/core'
import { scriptedAdapter } from '@steploop/core/testing'
import { connectMcp } from '@steploop/mcp/stdio'

const rounds = 200

const args = [fileURLToPath(new URL('servers/faulty-server.ts', import.meta.url))]
await using server = await connectMcp({ command: process.execPath, args })
const hang = tool({
  inputSchema: { type: 'object' },
  execute: (_input, { signal }) =>
    new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('not wanted any more')))),
})
const local = { hang }
const remote = await server.tools()

async function abortTime(tools: ToolSet): Promise<number> {
  const controller = new AbortController()
  const model = scriptedAdapter([[{ type: 'call', toolName: 'hang', input: {} }]])
  let aborted = Number.NaN
  for await (const event of new StepLoop({ model, tools }).stream('Go.', { abortSignal: controller.signal })) {
    if (event.type !== 'tool-state' || event.state !== 'running') continue
    setTimeout(() => {
      aborted = performance.now()
      controller.abort()
    }, 5)
  }
  return performance.now() - aborted
}

const samples = { local: [] as number[], remote: [] as number[] }
for (let round = -20; round < rounds; round++) {
  const pairs = [['local', local] as const, ['remote', remote] as const]
  for (const [name, tools] of round % 2 === 0 ? pairs : pairs.toReversed()) {
    const ms = await abortTime(tools)
    if (round >= 0) samples[name].push(ms)
  }
}
const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[values.length >> 1] ?? Number.NaN
const [here, there] = [median(samples.local), median(samples.remote)]
process.stdout.write(`local ${here.toFixed(3)} ms, server ${there.toFixed(3)} ms: ${(there / here).toFixed(2)}x\n`)
