import { expect, test } from 'vitest'
import { z } from 'zod'
import { AdapterError } from '@steploop/core/adapter'
import { LoopError, tool, type LoopEvent } from '@steploop/core'
import { scriptedAdapter } from '@steploop/core/testing'
import type { MakeWholeLoop } from '../loop.ts'
import { stored } from '../scenario.ts'
import { call, throws } from './parts.ts'

export function testSteps(makeLoop: MakeWholeLoop): void {
  const weather = tool({
    description: 'Weather of a city',
    inputSchema: z.object({ city: z.string() }),
    execute: ({ city }) => ({ city, degrees: city.length }),
  })
  const failing = tool({ inputSchema: z.object({}), execute: throws(new Error('no "quotes"\nsurvive?')) })
  const ask = tool({ inputSchema: z.object({ question: z.string() }) })

  async function eventsOf(stream: AsyncIterable<LoopEvent>): Promise<LoopEvent[]> {
    const events: LoopEvent[] = []
    for await (const event of stream) events.push(event)
    return events
  }

  test('a run runs the calls of a turn and goes on until the model answers', { tags: ['L04', 'T05'] }, async () => {
    const model = scriptedAdapter([[call('weather', { city: 'Zürich' }), call('weather', { city: '東京' })], 'Fine.'])
    const result = await makeLoop({ model, tools: { weather } }).generate('Weather?')
    expect(result.text).toBe('Fine.')
    expect(result.status).toBe('completed')
    expect(result.stopReason).toBe('answer')
    expect(result.steps).toHaveLength(2)
    expect(result.messages.map((message) => message.role)).toEqual(['assistant', 'tool', 'assistant'])
    expect(result.toolResults.map((part) => part.output)).toEqual([
      { type: 'json', value: { city: 'Zürich', degrees: 6 } },
      { type: 'json', value: { city: '東京', degrees: 2 } },
    ])
    expect(model.requests[1]?.request.messages.map((message) => message.role)).toEqual(['user', 'assistant', 'tool'])
    expect(model.requests[1]?.request.tools).toBe(model.requests[0]?.request.tools)
  })

  test('a run answers a tool that throws and keeps its siblings’ results', { tags: ['D01', 'D02'] }, async () => {
    const model = scriptedAdapter([[call('failing', {}), call('weather', { city: 'Rome' })], 'ok'])
    const result = await makeLoop({ model, tools: { weather, failing } }).generate('x')
    const [first, second] = result.toolResults
    expect(first?.output).toMatchObject({ type: 'error', value: { code: 'tool-failed' } })
    expect(second?.output.type).toBe('json')
  })

  test('a run suspends for a client’s tool and resumes from JSON', { tags: ['D11', 'D12', 'D16', 'H01'] }, async () => {
    const script = [[call('weather', { city: 'Rome' }), call('ask', { question: 'Sure?' })], 'Thanks.']
    const model = scriptedAdapter(script)
    const loop = makeLoop({ model, tools: { weather, ask } })
    const suspended = await loop.generate('x')
    expect(suspended.status).toBe('requires-action')
    expect(suspended.stopReason).toBe('client-tool')
    const [pending] = suspended.transcript.pendingCalls
    const transcript = stored(suspended.transcript)
    const result = await loop.generate({
      transcript,
      toolOutputs: { [pending?.toolCallId ?? '']: { output: 'yes' } },
    })
    expect(result.text).toBe('Thanks.')
    const results = model.requests[1]?.request.messages.at(-1)
    expect(results).toMatchObject({ role: 'tool', content: [{ toolName: 'weather' }, { toolName: 'ask' }] })
  })

  test('a run never runs a truncated or unparsable call and answers it with an error', { tags: ['D07'] }, async () => {
    const model = scriptedAdapter([[{ type: 'call', toolName: 'weather', input: '{"city":"Me' }], 'ok'])
    const result = await makeLoop({ model, tools: { weather } }).generate('x')
    expect(result.toolResults[0]?.output).toMatchObject({ type: 'error', value: { code: 'unparsable-input' } })
  })

  test('a run tells the model that the token limit cut its last call, though its arguments parse', async () => {
    const turn = {
      parts: [call('weather', { city: 'A' }, 'a'), call('weather', {}, 'b')],
      finishReason: 'length',
    } as const
    const result = await makeLoop({ model: scriptedAdapter([turn, 'ok']), tools: { weather } }).generate('x')
    expect(result.toolResults).toMatchObject([
      { toolCallId: 'a', output: { type: 'json' } },
      {
        toolCallId: 'b',
        output: { value: { code: 'truncated-call', message: expect.stringContaining('limit of output tokens') } },
      },
    ])
  })

  test('a run runs no call of a turn that was asked to call nothing: servers do not always listen', async () => {
    const model = scriptedAdapter([[call('weather', { city: 'A' })], 'ok'])
    const result = await makeLoop({ model, tools: { weather }, toolChoice: 'none' }).generate('x')
    expect(result.toolResults[0]?.output).toMatchObject({
      value: { code: 'not-executed', message: expect.stringContaining("'none'") },
    })
    expect(result.text).toBe('ok')
  })

  test('a run makes repeated call ids unique and pairs each result with its own call', { tags: ['E22'] }, async () => {
    const model = scriptedAdapter([[call('weather', { city: 'A' }, 'c')], [call('weather', { city: 'BB' }, 'c')], 'ok'])
    const result = await makeLoop({ model, tools: { weather } }).generate('x')
    expect(result.toolResults.map((part) => part.toolCallId)).toEqual(['c', 'c_2'])
  })

  test('a run finalizes at the step limit with exactly n batches and n + 1 requests', async () => {
    const turn = [call('weather', { city: 'A' })]
    const model = scriptedAdapter([turn, turn, 'last'])
    const result = await makeLoop({ model, tools: { weather }, maxSteps: 2 }).generate('x')
    expect(result.stopReason).toBe('max-steps')
    expect(result.status).toBe('completed')
    expect(model.requests.map((request) => request.request.toolChoice)).toEqual([undefined, undefined, 'none'])
  })

  test('a run applies a forced tool choice to the first step only', { tags: ['E10'] }, async () => {
    const model = scriptedAdapter([[call('weather', { city: 'A' })], 'ok'])
    await makeLoop({ model, tools: { weather }, toolChoice: 'required' }).generate('x')
    expect(model.requests.map((request) => request.request.toolChoice)).toEqual(['required', undefined])
  })

  test('a run rejects with the transcript when the model fails, after the retries', { tags: ['L10'] }, async () => {
    const error = new AdapterError({ provider: 'p', model: 'm', code: 'overloaded', retryAfterMs: 0 })
    const model = scriptedAdapter([[call('weather', { city: 'A' })], error, error])
    const failed = makeLoop({ model, tools: { weather }, maxRetries: 1 }).generate('x')
    const caught = await failed.catch((reason: unknown) => reason)
    expect(LoopError.isInstance(caught) && caught.code).toBe('turn-failed')
    expect(LoopError.isInstance(caught) && caught.transcript?.messages).toHaveLength(3)
    expect(model.requests).toHaveLength(3)
  })

  test('a stream yields events in order, with one terminal event', { tags: ['S13', 'H11', 'E15', 'S08'] }, async () => {
    const model = scriptedAdapter([[call('weather', { city: 'A' })], 'ok'])
    const stream = makeLoop({ model, tools: { weather } }).stream('x')
    const events = await eventsOf(stream)
    const owners = events.flatMap((event) => ('owner' in event ? [event.owner] : []))
    expect(owners).toEqual(['loop', 'loop', 'loop'])
    expect(events.map((event) => event.type)).toEqual([
      'run-start',
      'step-start',
      'tool-call-start',
      'tool-call-delta',
      'tool-call-delta',
      'tool-call',
      'tool-state',
      'tool-state',
      'tool-state',
      'tool-result',
      'step-end',
      'step-start',
      'text-start',
      'text-delta',
      'text-delta',
      'text-end',
      'step-end',
      'run-end',
    ])
    expect((await stream.result).text).toBe('ok')
  })

  test('a run adds up the counts of its turns, each of them', async () => {
    const usage = { inputTokens: 10, outputTokens: 20, cachedInputTokens: 3, cacheWriteTokens: 4, reasoningTokens: 5 }
    const model = scriptedAdapter([
      { parts: [call('weather', { city: 'A' })], usage },
      { parts: [], usage },
    ])
    const { usage: sum } = await makeLoop({ model, tools: { weather } }).generate('x')
    expect(sum).toEqual(Object.fromEntries(Object.entries(usage).map(([name, count]) => [name, 2 * count])))
  })

  test('a stream settles its result when nobody iterates', async () => {
    const stream = makeLoop({ model: scriptedAdapter(['ok']) }).stream('x')
    expect((await stream.result).text).toBe('ok')
  })

  test('a stream aborts at once although the model never settles', async () => {
    const model = scriptedAdapter([{ parts: [{ type: 'text', text: 'ab' }], hang: true }])
    const controller = new AbortController()
    const stream = makeLoop({ model }).stream('x', { abortSignal: controller.signal })
    const types: string[] = []
    for await (const event of stream) {
      types.push(event.type)
      if (event.type === 'text-end') controller.abort()
    }
    expect(types.at(-1)).toBe('run-error')
    await expect(stream.result).rejects.toMatchObject({ code: 'aborted' })
  })

  test('a stream can be read as text and as a web stream', { tags: ['E15', 'S12'] }, async () => {
    const loop = makeLoop({ model: scriptedAdapter(['hello', 'there']) })
    let text = ''
    for await (const piece of loop.stream('x').textStream) text += piece
    expect(text).toBe('hello')
    const reader = loop.stream('x').toReadableStream().getReader()
    expect((await reader.read()).value?.type).toBe('run-start')
    await reader.cancel()
  })

  test('steps pauses between steps and takes edits of the next request', { tags: ['E11', 'K06'] }, async () => {
    const model = scriptedAdapter([[call('weather', { city: 'A' })], 'ok'])
    const run = makeLoop({ model, tools: { weather } }).steps('x')
    const first = await run.next()
    expect(first.done).toBe(false)
    expect(model.requests).toHaveLength(1)
    const second = await run.next({ temperature: 0.5 })
    expect(second.done).toBe(false)
    const end = await run.next()
    expect(end.done && end.value.text).toBe('ok')
    expect(end.done && end.value.steps.map(({ responseModel }) => responseModel)).toEqual(['scripted-1', 'scripted-1'])
    expect(model.requests[1]?.request.settings).toEqual({ temperature: 0.5 })
  })
}
