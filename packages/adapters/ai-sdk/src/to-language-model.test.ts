import { APICallError, type LanguageModelV4Prompt } from '@ai-sdk/provider'
import { StepLoop, tool } from '@steploop/core'
import { AdapterError, type Adapter, type TurnEvent } from '@steploop/core/adapter'
import { scriptedAdapter, type ScriptedTurn } from '@steploop/core/testing'
import { generateText, isStepCount, streamText, tool as aiTool } from 'ai'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { fromLanguageModel } from './from-language-model.ts'
import { fold } from './testing.ts'
import { toLanguageModel } from './to-language-model.ts'

const wire = (data: unknown) => ({ provider: 'scripted', model: 'scripted-1', data })
const weather = aiTool({
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => ({ city, sky: 'Föhn' }),
})
const prompt: LanguageModelV4Prompt = [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }]

const twoTurns: readonly ScriptedTurn[] = [
  {
    parts: [
      { type: 'reasoning', text: 'Hm.', providerMetadata: wire({ signature: 's' }) },
      { type: 'call', toolName: 'weather', input: { city: 'Chur' }, id: 'c1' },
    ],
    usage: { inputTokens: 10, cachedInputTokens: 4, outputTokens: 3 },
  },
  { parts: [{ type: 'text', text: 'Föhn.' }], usage: { inputTokens: 20, outputTokens: 4 } },
]

/** An adapter that yields the events as they are. */
function eventAdapter(events: readonly TurnEvent[], error?: AdapterError): Adapter {
  return {
    provider: 'scripted',
    model: 'scripted-1',
    capabilities: {},
    async *turn() {
      if (events.length > 0) yield events
      if (error !== undefined) throw error
    },
  }
}

async function partsOf(adapter: Adapter) {
  const { stream } = await toLanguageModel(adapter).doStream({ prompt })
  const parts = []
  for await (const part of stream) parts.push(part)
  return parts
}

test('inside the AI SDK: generateText runs its tools behind an adapter, and what is opaque returns in place', async () => {
  const adapter = scriptedAdapter(twoTurns)
  const model = toLanguageModel(adapter)
  const result = await generateText({ model, prompt: 'Weather?', tools: { weather }, stopWhen: isStepCount(3) })
  expect(result.text).toBe('Föhn.')
  expect(result.usage).toMatchObject({
    inputTokens: 30,
    outputTokens: 7,
    inputTokenDetails: { cacheReadTokens: 4 },
  })
  expect(adapter.requests[1]?.request).toMatchObject({
    turn: 1,
    messages: [
      { role: 'user' },
      {
        role: 'assistant',
        provider: 'scripted',
        model: 'scripted-1',
        content: [
          { type: 'reasoning', text: 'Hm.', providerMetadata: wire({ signature: 's' }) },
          { type: 'tool-call', toolCallId: 'c1', input: { city: 'Chur' } },
        ],
      },
      {
        role: 'tool',
        content: [{ toolCallId: 'c1', output: { type: 'json', value: { city: 'Chur', sky: 'Föhn' } } }],
      },
    ],
  })
})

test('inside the AI SDK: streamText gives the same answer and sends the same requests', async () => {
  const [whole, streamed] = [scriptedAdapter(twoTurns), scriptedAdapter(twoTurns)]
  const options = { prompt: 'Weather?', tools: { weather }, stopWhen: isStepCount(3) }
  const generated = await generateText({ ...options, model: toLanguageModel(whole) })
  const stream = streamText({ ...options, model: toLanguageModel(streamed) })
  expect(await stream.text).toBe(generated.text)
  expect(streamed.requests.map(({ request }) => request.messages)).toEqual(
    whole.requests.map(({ request }) => request.messages),
  )
})

test('inside the AI SDK: a retryable failure is tried again by the AI SDK, another is not', async () => {
  const failure = (code: 'overloaded' | 'bad-request') =>
    new AdapterError({ provider: 'scripted', model: 'scripted-1', code, retryAfterMs: 1, status: 529 })
  const again = scriptedAdapter([failure('overloaded'), 'Fine.'])
  expect((await generateText({ model: toLanguageModel(again), prompt: 'Hi' })).text).toBe('Fine.')
  const once = scriptedAdapter([failure('bad-request'), 'Fine.'])
  await expect(generateText({ model: toLanguageModel(once), prompt: 'Hi' })).rejects.toThrow('refused the request')
  expect(once.remaining).toBe(1)
})

test('inside the AI SDK: a truncated call is not run, whatever its text looks like', async () => {
  const call = { part: 0, toolCallId: 'c', toolName: 'weather', owner: 'client' } as const
  const model = toLanguageModel(
    eventAdapter([
      { type: 'turn-start' },
      { type: 'tool-call-start', ...call },
      { type: 'tool-call-delta', part: 0, toolCallId: 'c', inputText: '{"city":"C"}' },
      { type: 'tool-call', ...call, input: undefined, inputText: '{"city":"C"}', invalid: 'truncated' },
      { type: 'turn-end', finishReason: 'length' },
    ]),
  )
  const result = await generateText({ model, prompt: 'Hi', tools: { weather } })
  expect([result.toolCalls, result.finishReason]).toEqual([[], 'length'])
})

test('the model there and back again gives the turn of the adapter', async () => {
  const parts = [
    { type: 'text', text: 'So: ', providerMetadata: wire({ a: 1 }) },
    { type: 'call', toolName: 'weather', input: '{"city":', id: 'c' },
  ] as const
  const adapter = () => scriptedAdapter([{ parts, responseId: 'r1', usage: { inputTokens: 1, outputTokens: 2 } }])
  for (const mode of ['generate', 'stream'] as const) {
    const there = await fold(adapter(), mode)
    const back = await fold(fromLanguageModel(toLanguageModel(adapter())), mode)
    expect(back).toMatchObject({ finishReason: there.finishReason, responseId: 'r1', usage: { inputTokens: 1 } })
    expect(back.message.content.map((part) => ({ ...part, providerMetadata: undefined }))).toEqual(
      there.message.content.map((part) => ({ ...part, providerMetadata: undefined })),
    )
  }
})

test('the model: an error before the first part fails the call as the AI SDK’s own, with its wait', async () => {
  const error = new AdapterError({ provider: 'p', model: 'm', code: 'rate-limit', status: 429, retryAfterMs: 1500 })
  const thrown: unknown = await partsOf(eventAdapter([], error)).catch((reason: unknown) => reason)
  expect(APICallError.isInstance(thrown)).toBe(true)
  const responseHeaders = { 'retry-after-ms': '1500' }
  expect(thrown).toMatchObject({ statusCode: 429, isRetryable: true, responseHeaders, cause: error })
})

test('the model: a stream that broke off has an error part and ends as interrupted', async () => {
  const error = new AdapterError({ provider: 'p', model: 'm', code: 'incomplete-stream' })
  const parts = await partsOf(eventAdapter([{ type: 'turn-start' }, { type: 'text-start', part: 0 }], error))
  expect(parts.slice(-2)).toMatchObject([
    { type: 'error', error: { cause: error } },
    { type: 'finish', finishReason: { unified: 'interrupted' } },
  ])
})

test.each([
  [{ responseId: 'r1' }, { id: 'r1' }],
  [{ model: 'scripted-1-b' }, { modelId: 'scripted-1-b' }],
])('the model: a stream names what is known of the response: %o', async (known, metadata) => {
  const parts = await partsOf(
    eventAdapter([{ type: 'turn-start' }, { type: 'turn-end', finishReason: 'stop', ...known }]),
  )
  expect(parts).toContainEqual({ type: 'response-metadata', ...metadata })
})

test('the model: an abort is thrown as what the caller aborted with', async () => {
  const reason = new DOMException('enough', 'AbortError')
  const error = new AdapterError({ provider: 'p', model: 'm', code: 'aborted', cause: reason })
  const model = toLanguageModel(eventAdapter([], error))
  await expect(model.doGenerate({ prompt, abortSignal: AbortSignal.abort(reason) })).rejects.toBe(reason)
})

test('the model: refusals, opaque parts and the payload of a message come back as they were', async () => {
  const adapter = eventAdapter([
    { type: 'turn-start', responseId: 'r' },
    { type: 'opaque', part: 0, providerMetadata: wire('o') },
    { type: 'refusal-delta', part: 1, text: 'No', providerMetadata: wire('n') },
    { type: 'turn-end', finishReason: 'content-filter', responseId: 'r', providerMetadata: wire('m') },
  ])
  const first = await toLanguageModel(adapter).doGenerate({ prompt })
  type Assistant = Extract<LanguageModelV4Prompt[number], { role: 'assistant' }>['content']
  const content = first.content.flatMap((part): Assistant => {
    const { providerMetadata: providerOptions = {} } = part
    if (part.type === 'text') return [{ type: part.type, text: part.text, providerOptions }]
    return part.type === 'custom' ? [{ type: part.type, kind: part.kind, providerOptions }] : []
  })
  const next = scriptedAdapter(['Ok.'])
  await toLanguageModel(next).doGenerate({ prompt: [...prompt, { role: 'assistant', content }] })
  expect(next.requests[0]?.request.messages[1]).toEqual({
    role: 'assistant',
    provider: 'scripted',
    model: 'scripted-1',
    responseId: 'r',
    providerMetadata: wire('m'),
    content: [
      { type: 'opaque', providerMetadata: wire('o') },
      { type: 'refusal', text: 'No', providerMetadata: wire('n') },
    ],
  })
})

test('the model: citations go with their text, and each page is one source', async () => {
  const citation = { url: 'https://a.example', title: 'A', startIndex: 0, endIndex: 2 }
  const parts = await partsOf(
    eventAdapter([
      { type: 'turn-start' },
      { type: 'text-start', part: 0 },
      { type: 'text-delta', part: 0, text: 'So' },
      { type: 'citation', part: 0, citation },
      { type: 'citation', part: 0, citation: { ...citation, startIndex: 1 } },
      { type: 'text-end', part: 0 },
      { type: 'turn-end', finishReason: 'stop' },
    ]),
  )
  expect(parts.filter(({ type }) => type === 'source')).toHaveLength(1)
  const source = { type: 'source', sourceType: 'url', url: 'https://a.example', title: 'A' }
  expect(parts.find(({ type }) => type === 'text-end')).toMatchObject({
    citations: [
      { source, startIndex: 0, endIndex: 2 },
      { source, startIndex: 1 },
    ],
  })
})

test('the model: what an adapter does not claim is left out with a warning', async () => {
  const adapter = scriptedAdapter(['Ok.'], { capabilities: {} })
  const { warnings } = await toLanguageModel(adapter).doGenerate({
    prompt,
    reasoning: 'xhigh',
    responseFormat: { type: 'json', schema: { type: 'object' } },
    tools: [{ type: 'provider', id: 'openai.web_search', name: 'web_search', args: {} }],
  })
  expect(adapter.requests[0]?.request).toMatchObject({ settings: { reasoning: 'high' }, responseFormat: undefined })
  expect(adapter.requests[0]?.request.tools).toBeUndefined()
  expect(warnings.map(({ type }) => type).toSorted()).toEqual(['compatibility', 'unsupported', 'unsupported'])
})

test('the model: results, files and system messages of the AI SDK become ours', async () => {
  const adapter = scriptedAdapter(['Ok.'])
  const result = (value: unknown) => ({ type: 'tool-result', toolCallId: 'c', toolName: 'a', output: value }) as never
  await toLanguageModel(adapter).doGenerate({
    prompt: [
      { role: 'system', content: 'A' },
      { role: 'system', content: 'B' },
      {
        role: 'user',
        content: [
          {
            type: 'file',
            mediaType: 'image',
            data: { type: 'data', data: new Uint8Array([137, 80, 78, 71, 13, 10, 26, 10]) },
          },
        ],
      },
      { role: 'tool', content: [result({ type: 'error-text', value: 'no' }), result({ type: 'execution-denied' })] },
    ],
  })
  expect(adapter.requests[0]?.request).toMatchObject({
    instructions: 'A\n\nB',
    messages: [
      { role: 'user', content: [{ type: 'file', mediaType: 'image/png', data: 'iVBORw0KGgo=' }] },
      {
        role: 'tool',
        content: [
          { output: { type: 'error', value: { code: 'tool-failed', message: 'no' } } },
          { output: { type: 'error', value: { code: 'denied' } } },
        ],
      },
    ],
  })
})

test('the loop works through both bridges as it does without them', async () => {
  const tools = {
    weather: tool({ description: 'w', inputSchema: z.object({ city: z.string() }), execute: ({ city }) => ({ city }) }),
  }
  const [plain, bridged] = [scriptedAdapter(twoTurns), scriptedAdapter(twoTurns)]
  const result = await new StepLoop({ model: plain, tools }).generate('Weather?')
  const model = fromLanguageModel(toLanguageModel(bridged))
  const through = await new StepLoop({ model, tools }).generate('Weather?')
  expect([through.text, through.stopReason, through.usage?.inputTokens]).toEqual([result.text, result.stopReason, 30])
  const sentBack = bridged.requests[1]?.request.messages[1]
  expect(sentBack?.role === 'assistant' && sentBack.content[0]).toMatchObject({
    providerMetadata: wire({ signature: 's' }),
  })
})
