import { StepLoop, tool } from '@steploop/core'
import config from '../steploop.config.ts'
import type { Answer } from './judge.ts'
import { celsius, type Task } from './task.ts'

/** Runs the two-turn loop inside the runtime, with the runtime's own `fetch`. Never rejects. */
export async function drive(task: Task): Promise<Answer> {
  try {
    return await runLoop(task)
  } catch (error) {
    const message = String(error)
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : ''
    return { error: message.includes(cause) ? message : `${message} (${cause})` }
  }
}

async function runLoop({ adapter, mode, baseURL }: Task): Promise<Answer> {
  const subject = config.subjects.find(({ name }) => name === adapter)
  if (subject === undefined) throw new RangeError(`steploop.config.ts has no subject '${adapter}'.`)
  const executions: unknown[] = []
  const weather = tool({
    description: 'Temperature in a city',
    inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    execute(input) {
      executions.push(input)
      return { celsius }
    },
  })
  const model = subject.adapter({ baseURL, apiKey: 'simulated-key' })
  const loop = new StepLoop({ model, tools: { weather }, maxRetries: 0 })
  const prompt = 'Wie warm ist es in Zürich?'
  const stream = mode === 'stream' ? loop.stream(prompt) : undefined
  let events = 0
  let textDeltas = 0
  for await (const event of stream ?? []) {
    events += 1
    if (event.type === 'text-delta') textDeltas += 1
  }
  const { text, status, steps } = await (stream?.result ?? loop.generate(prompt))
  return { agent: navigator.userAgent, text, status, steps: steps.length, executions, events, textDeltas }
}
