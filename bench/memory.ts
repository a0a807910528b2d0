import { setTimeout as sleep } from 'node:timers/promises'
import { StepLoop, tool, type RunInput, type RunResult } from '@steploop/core'
import { createOpenAICompatible } from '@steploop/openai-compatible'
import { workloads } from './answers.ts'
import { baseURL, parameters, prompt, weather } from './contestants/contestant.ts'
import { scriptedFetch } from './scripted-fetch.ts'

export interface Memory {
  /** Kilobytes that stay for each step of one conversation: over its first 100 steps, and over the last 100 of 1,000. */
  readonly earlyStepKb: number
  readonly lateStepKb: number
  /** Network chunks that a run has taken when its reader has taken ten events and then nothing for a while. */
  readonly chunksAhead: number
}

export async function measureMemory(): Promise<Memory> {
  const heap = await heapBySteps(1000)
  return {
    earlyStepKb: ((heap[100] ?? 0) - (heap[0] ?? 0)) / 100 / 1024,
    lateStepKb: ((heap[1000] ?? 0) - (heap[900] ?? 0)) / 100 / 1024,
    chunksAhead: await chunksAhead(),
  }
}

/** Bytes of the heap after so many steps, every 100 of them. */
async function heapBySteps(length: number): Promise<Readonly<Record<number, number>>> {
  const callTurn = workloads.find(({ id }) => id === 'W3')?.answers[0] ?? []
  const fetch = scriptedFetch([callTurn], { readBody: false })
  const look = tool({ inputSchema: parameters, execute: (input) => weather(String(input['city'])) })
  const model = createOpenAICompatible({ baseURL, apiKey: 'bench', fetch })('bench-1')
  const loop = new StepLoop({ model, tools: { weather: look }, maxSteps: 128, maxRepeatedCalls: 0 })
  const heap: Record<number, number> = {}
  let input: RunInput = prompt
  // A run has at most 128 steps, so a longer conversation goes on from its transcript.
  for (let steps = 0; steps <= length; steps += 100) {
    global.gc?.()
    heap[steps] = process.memoryUsage().heapUsed
    const run: Promise<RunResult> = loop.generate(input, { stopWhen: (done) => done.length === 100 })
    input = (await run).transcript
  }
  return heap
}

async function chunksAhead(): Promise<number> {
  const chunks = workloads.find(({ id }) => id === 'W5')?.answers[0] ?? []
  let pulled = 0
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const chunk = chunks[pulled++]
        if (chunk === undefined) controller.close()
        else controller.enqueue(chunk)
      },
    },
    { highWaterMark: 0 },
  )
  const fetch = async (): Promise<Response> => new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  const model = createOpenAICompatible({ baseURL, apiKey: 'bench', fetch })('bench-1')
  let events = 0
  for await (const event of new StepLoop({ model }).stream(prompt)) {
    if (event.type !== 'text-delta' || ++events < 10) continue
    await sleep(200)
    break
  }
  return pulled
}
