import { describe, expect, test } from 'vitest'
import type { TurnEvent } from '../events.ts'
import { StepLoop, tool, type Adapter, type LoopEvent } from '../index.ts'
import { scriptedAdapter } from '../testing/index.ts'

// What the property test, or a reviewer, found: each was red before its fix.

const anything = { type: 'object' }
const echo = tool({ inputSchema: anything, execute: () => 'said' })
const call = (toolName: string, id?: string) => ({ type: 'call', toolName, input: {}, id }) as const

/** A model that never stops calling, each time something else; it gives up after 200 turns. */
function tireless(): Adapter & { readonly asked: number } {
  let asked = 0
  async function* turn(): AsyncGenerator<readonly TurnEvent[], undefined> {
    asked++
    if (asked > 200) throw new Error('asked 200 times')
    const inputText = JSON.stringify({ asked })
    const common = { part: 0, toolCallId: `c${asked}`, toolName: 'ghost', owner: 'client' } as const
    yield [{ type: 'turn-start' }, { type: 'tool-call', ...common, input: { asked }, inputText }]
    yield [{ type: 'turn-end', finishReason: 'stop' }]
  }
  return {
    ...{ provider: 'scripted', model: 'tireless', capabilities: {}, turn },
    get asked() {
      return asked
    },
  }
}

async function eventsOf(stream: AsyncIterable<LoopEvent>): Promise<readonly LoopEvent[]> {
  const events: LoopEvent[] = []
  for await (const event of stream) events.push(event)
  return events
}

describe('limits', () => {
  test('also end a run without tools whose model calls all the same', async () => {
    const model = tireless()
    const result = await new StepLoop({ model, maxSteps: 3 }).generate('x')
    expect([result.stopReason, result.steps.length, model.asked]).toEqual(['max-steps', 4, 4])
  })

  test('are not named by a run without tools that answered', async () => {
    const result = await new StepLoop({ model: scriptedAdapter(['hi']), maxSteps: 0 }).generate('x')
    expect(result.stopReason).toBe('answer')
  })
})

describe('the events of a stream', () => {
  test('open no step that a hook stopped before its request', async () => {
    const model = scriptedAdapter([[call('echo')], 'done'])
    const loop = new StepLoop({
      model,
      tools: { echo },
      onStepStart: ({ step }) => (step === 1 ? { type: 'stop', reason: 'enough' } : undefined),
    })
    const types = (await eventsOf(loop.stream('x'))).map((event) => event.type)
    expect(types.filter((type) => type.startsWith('step-'))).toEqual(['step-start', 'step-end'])
  })
})
