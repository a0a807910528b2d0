import { createOpenAICompatible } from '@steploop/openai-compatible'
import { StepLoop, tool, type RunInput } from '@steploop/core'
import { workloads } from './answers.ts'
import { baseURL, parameters, prompt, weather } from './contestants/contestant.ts'
import { median } from './measure.ts'
import { scriptedFetch } from './scripted-fetch.ts'

/** What a step costs early and late in one conversation of 400 steps, in median milliseconds. */
export interface Growth {
  readonly earlyMs: number
  readonly lateMs: number
  readonly factor: number
}

const length = 400
/** Steps 10 to 30, and the last 20. */
const early = [10, 30] as const
const late = [length - 20, length] as const

export async function measureGrowth(rounds: number): Promise<Growth> {
  const samples: { early: number[]; late: number[] } = { early: [], late: [] }
  for (let round = 0; round <= rounds; round++) {
    const times = await stepTimes()
    // The first round warms up.
    if (round === 0) continue
    samples.early.push(...times.slice(...early))
    samples.late.push(...times.slice(...late))
  }
  const [earlyMs, lateMs] = [median(samples.early), median(samples.late)]
  return { earlyMs, lateMs, factor: lateMs / earlyMs }
}

async function stepTimes(): Promise<readonly number[]> {
  const callTurn = workloads.find(({ id }) => id === 'W3')?.answers[0] ?? []
  const provider = createOpenAICompatible({
    baseURL,
    apiKey: 'bench',
    fetch: scriptedFetch([callTurn], { readBody: false }),
  })
  const look = tool({ inputSchema: parameters, execute: (input) => weather(String(input['city'])) })
  const loop = new StepLoop({
    model: provider('bench-1'),
    tools: { weather: look },
    maxSteps: 128,
    maxRepeatedCalls: 0,
  })
  const times: number[] = []
  let input: RunInput = prompt
  let last = performance.now()
  // 128 steps are the most that one run has: a longer conversation goes on from its transcript, as in an application.
  while (times.length < length) {
    const stopAt = Math.min(128, length - times.length)
    const run: ReturnType<typeof loop.steps> = loop.steps(input, { stopWhen: (steps) => steps.length === stopAt })
    for (;;) {
      const next = await run.next()
      if (next.done) {
        input = next.value.transcript
        break
      }
      times.push(performance.now() - last)
      last = performance.now()
    }
  }
  return times
}
