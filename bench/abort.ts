import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { StepLoop, tool, type LoopEvent } from '@steploop/core'
import { createOpenAICompatible } from '@steploop/openai-compatible'
import { streamedSteps, workloads } from './answers.ts'
import { parameters, prompt } from './contestants/contestant.ts'
import { median } from './measure.ts'

export interface AbortTimes {
  /** Milliseconds from the abort to the end of the run, in the median. */
  readonly inStreamMs: number
  readonly inToolMs: number
}

/** An abort over loopback HTTP: in the middle of a stream that hangs, and in a tool that pays no attention to its signal. */
export async function measureAbort(rounds: number): Promise<AbortTimes> {
  const inStream: number[] = []
  const inTool: number[] = []
  for (let round = 0; round < rounds; round++) {
    inStream.push(
      await abortAt('text-delta', workloads.find(({ id }) => id === 'W5')?.answers[0]?.slice(0, 20) ?? [], true),
    )
    inTool.push(await abortAt('tool-state', streamedSteps(1)[0] ?? [], false))
  }
  return { inStreamMs: median(inStream), inToolMs: median(inTool) }
}

async function abortAt(type: LoopEvent['type'], chunks: readonly Uint8Array[], hangs: boolean): Promise<number> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const chunk of chunks) response.write(chunk)
    if (!hangs) response.end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const provider = createOpenAICompatible({ baseURL: `http://127.0.0.1:${port}`, apiKey: 'bench' })
  const never = tool({ inputSchema: parameters, execute: () => new Promise(() => undefined) })
  const loop = new StepLoop({ model: provider('bench-1'), tools: { weather: never } })
  const controller = new AbortController()
  let aborted = Number.NaN
  for await (const event of loop.stream(prompt, { abortSignal: controller.signal })) {
    const running = event.type !== 'tool-state' || event.state === 'running'
    if (event.type !== type || !running || controller.signal.aborted) continue
    aborted = performance.now()
    controller.abort()
  }
  const ms = performance.now() - aborted
  server.closeAllConnections()
  server.close()
  return ms
}
