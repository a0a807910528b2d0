import { StepLoop, tool } from '@steploop/core'
import { createOpenAICompatible } from '@steploop/openai-compatible'
import { toolLoopFetch, type ScriptedFetch } from './chat-server.ts'
import { floorLoop, weather } from './floor.ts'

/** Median milliseconds per step around an early and a late step of one long run. */
export interface Growth {
  readonly contestant: string
  readonly earlyMs: number
  readonly lateMs: number
  readonly factor: number
}

const steps = 400
/** Windows of 20 steps around step 20 and before step 400. */
const early = [10, 30] as const
const late = [380, 400] as const

type Contestant = (server: ScriptedFetch, onStep: () => void) => Promise<unknown>

const weatherTool = tool({
  description: 'Weather of a city',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  execute: (input) => weather(String(input['city'])),
})

async function steploop(server: ScriptedFetch, onStep: () => void): Promise<void> {
  const provider = createOpenAICompatible({
    baseURL: 'https://chat.example.com/v1',
    apiKey: 'bench',
    fetch: server.fetch,
  })
  // The hard guard of the loop is 128 steps per run: a longer conversation goes on from its transcript, as an application would.
  const loop = new StepLoop({ model: provider('bench-1'), tools: { weather: weatherTool }, maxSteps: 128 })
  let messages: Parameters<typeof loop.generate>[0] = 'Weather?'
  for (let done = 0; done < steps;) {
    const stopAt = Math.min(128, steps - done)
    const run = loop.steps(messages, { stopWhen: (all) => all.length === stopAt })
    for (;;) {
      const next = await run.next()
      if (next.done) {
        messages = next.value.transcript
        break
      }
      done++
      onStep()
    }
  }
}

const contestants: Readonly<Record<string, Contestant>> = { floor: floorLoop, steploop }

/** What a step costs late in a run, against early. Body bytes are left out: the scripted `fetch` does not look at the body. */
export async function measureGrowth(rounds: number): Promise<readonly Growth[]> {
  const samples = new Map<string, { early: number[]; late: number[] }>()
  for (let round = 0; round < rounds; round++) {
    for (const [name, run] of Object.entries(contestants)) {
      const times = await stepTimes(run)
      const sample = samples.get(name) ?? { early: [], late: [] }
      samples.set(name, sample)
      // The first round warms up.
      if (round === 0) continue
      sample.early.push(...times.slice(...early))
      sample.late.push(...times.slice(...late))
    }
  }
  return [...samples].map(([contestant, sample]) => {
    const earlyMs = median(sample.early)
    const lateMs = median(sample.late)
    return { contestant, earlyMs, lateMs, factor: lateMs / earlyMs }
  })
}

async function stepTimes(run: Contestant): Promise<readonly number[]> {
  const times: number[] = []
  let last = performance.now()
  await run(toolLoopFetch(steps), () => {
    const now = performance.now()
    times.push(now - last)
    last = performance.now()
  })
  return times
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
