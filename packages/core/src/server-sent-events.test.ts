import { expect, test } from 'vitest'
import { z } from 'zod'
import { AdapterError, StepLoop, tool, toServerSentEvents, type StepLoopOptions } from './index.ts'
import { createSseFramer } from './framing.ts'
import { scriptedAdapter, type ScriptedTurn } from './testing/index.ts'

const look = tool({ inputSchema: z.object({}), execute: () => ({ seen: 'Zürich\n東京' }) })
const fail = tool({ inputSchema: z.object({}), execute: () => Promise.reject(new Error('no')) })
const call = (toolName: string) => ({ type: 'call', toolName, input: {} }) as const

async function page(script: readonly ScriptedTurn[], options: Partial<StepLoopOptions> = {}) {
  const loop = new StepLoop({ model: scriptedAdapter(script), tools: { look, fail }, maxRetries: 0, ...options })
  const framer = createSseFramer()
  const events: { name: string | undefined; data: Record<string, unknown> }[] = []
  const onFrame = (frame: { event?: string | undefined; data: string }) =>
    events.push({ name: frame.event, data: JSON.parse(frame.data) })
  for await (const bytes of toServerSentEvents(loop.stream('x'))) framer.push(bytes, onFrame)
  return events
}

test('a run reaches a chat page in the order that it expects', async () => {
  const events = await page([
    [{ type: 'reasoning', text: 'hm' }, { type: 'text', text: 'ok' }, call('look'), call('fail')],
    'done',
  ])
  const names = events.map(({ name }) => name)
  expect(names.slice(0, 4)).toEqual(['reasoning', 'reasoning', 'content', 'content'])
  expect(names.slice(4)).toEqual([
    'tool_calls',
    'tool_executing',
    'tool_executing',
    'tool_result',
    'tool_result',
    'content',
    'content',
    'done',
  ])
  expect(events.every(({ name, data }) => data['type'] === name)).toBe(true)
  expect(events[4]?.data['calls']).toMatchObject([{ name: 'look' }, { name: 'fail' }])
  const results = events.filter(({ name }) => name === 'tool_result').map(({ data }) => data['result'])
  expect(results).toContainEqual({ success: true, result: { seen: 'Zürich\n東京' } })
  expect(results).toContainEqual({ success: false, error: 'no', code: 'tool-failed' })
  expect(events.at(-1)?.data).toEqual({ type: 'done', status: 'completed', stopReason: 'answer' })
})

test('a run that fails says so, and is done once', async () => {
  const error = new AdapterError({ provider: 'p', model: 'm', code: 'bad-request', providerMessage: 'no such field' })
  const events = await page([error])
  expect(events.map(({ name }) => name)).toEqual(['error', 'done'])
  expect(events[0]?.data).toMatchObject({ code: 'turn-failed', message: expect.stringContaining('no such field') })
})

test('leaving the stream aborts the run', async () => {
  const model = scriptedAdapter([{ parts: [{ type: 'text', text: 'ab' }], hang: true }])
  const stream = new StepLoop({ model }).stream('x')
  const reader = toServerSentEvents(stream).getReader()
  await reader.read()
  await reader.cancel()
  await expect(stream.result).rejects.toMatchObject({ code: 'aborted' })
  expect(model.requests[0]?.signal?.aborted).toBe(true)
})

test('a run that a limit left without an answer warns and says why, before it is done', async () => {
  const turn = [call('look')]
  const events = await page([turn, turn], { maxSteps: 1, onLimit: 'incomplete' })
  const [warning, content, done] = events.slice(-3)
  expect(warning).toMatchObject({
    name: 'warning',
    data: { message: expect.stringContaining('max-steps reached (1/1)') },
  })
  expect(content?.data).toEqual({ type: 'content', content: 'Stopped after maximum tool calls.' })
  expect(done?.data).toEqual({ type: 'done', status: 'incomplete', stopReason: 'max-steps' })
  const answered = await page([turn, [{ type: 'text', text: 'so far' }, call('look')]], {
    maxSteps: 1,
    onLimit: 'incomplete',
  })
  expect(answered.slice(-2).map(({ name }) => name)).toEqual(['warning', 'done'])
})
