import type { LanguageModelV4Content, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { collectTurn } from '@steploop/core/adapter'
import { fakeClock } from '@steploop/core/testing'
import { expect, test } from 'vitest'
import { fromLanguageModel } from './from-language-model.ts'
import { fakeModel, finish, fold, runTurn } from './testing.ts'

const metadata = (signature: string) => ({ fake: { signature } })

const source = { type: 'source', sourceType: 'url', id: 's', url: 'https://a.example' } as const
const weatherCall = { type: 'tool-call', toolCallId: 'c1', toolName: 'weather', input: '{"city":"Chur"}' } as const
const ran = {
  type: 'tool-call',
  toolCallId: 'p1',
  toolName: 'search',
  input: '{}',
  providerExecuted: true,
} as const
const found = { type: 'tool-result', toolCallId: 'p1', toolName: 'search', result: { hits: 2 } } as const
const content: LanguageModelV4Content[] = [
  { type: 'reasoning', text: 'Hm.', providerMetadata: metadata('r') },
  ran,
  found,
  { type: 'text', text: 'Föhn.', citations: [{ source, citedText: 'so' }], providerMetadata: metadata('t') },
  weatherCall,
]
const usage = {
  inputTokens: { total: 10, noCache: 4, cacheRead: 6, cacheWrite: undefined },
  outputTokens: { total: 5, text: 3, reasoning: 2 },
}
const calledTools = { unified: 'tool-calls', raw: 'tool_use' } as const
const streamedParts: LanguageModelV4StreamPart[] = [
  { type: 'stream-start', warnings: [] },
  { type: 'response-metadata', id: 'r1', modelId: 'fake-1-b' },
  { type: 'reasoning-start', id: '0' },
  { type: 'reasoning-delta', id: '0', delta: 'Hm.' },
  { type: 'reasoning-end', id: '0', providerMetadata: metadata('r') },
  ran,
  found,
  { type: 'text-start', id: '0' },
  { type: 'text-delta', id: '0', delta: 'Föhn.', providerMetadata: metadata('t') },
  { type: 'text-end', id: '0', citations: [{ source, citedText: 'so' }] },
  { type: 'tool-input-start', id: 'c1', toolName: 'weather' },
  { type: 'tool-input-delta', id: 'c1', delta: '{"city":' },
  { type: 'tool-input-delta', id: 'c1', delta: '"Chur"}' },
  { type: 'tool-input-end', id: 'c1' },
  weatherCall,
  { type: 'finish', finishReason: calledTools, usage },
]

test('parts of an answer: generate and stream give the same turn for the same answer', async () => {
  const response = { id: 'r1', modelId: 'fake-1-b' }
  const whole = fromLanguageModel(fakeModel({ result: { content, usage, finishReason: calledTools, response } }))
  const streamed = await fold(fromLanguageModel(fakeModel({ parts: streamedParts })))
  expect(await fold(whole, 'generate')).toEqual(streamed)
  expect(streamed).toMatchObject({
    finishReason: 'tool-calls',
    rawFinishReason: 'tool_use',
    responseId: 'r1',
    model: 'fake-1-b',
    usage: { inputTokens: 10, cachedInputTokens: 6, outputTokens: 5, reasoningTokens: 2 },
  })
  expect(streamed.message.content.map(({ type }) => type)).toEqual([
    'reasoning',
    'tool-call',
    'tool-result',
    'text',
    'tool-call',
  ])
  expect(streamed.message.content[3]).toMatchObject({ citations: [{ url: 'https://a.example', citedText: 'so' }] })
})

test('parts of an answer: sources stand for citations only where a model that is not Anthropic’s tells none', async () => {
  const parts: LanguageModelV4StreamPart[] = [
    { type: 'source', sourceType: 'url', id: '1', url: 'https://found.example' },
    { type: 'text-start', id: 'a' },
    { type: 'text-delta', id: 'a', delta: 'x' },
    { type: 'text-end', id: 'a' },
    finish(),
  ]
  const citations = async (provider: string) => {
    const { message } = await fold(fromLanguageModel(fakeModel({ parts, provider })))
    return message.content.flatMap((part) => (part.type === 'text' ? (part.citations ?? []) : []))
  }
  expect(await citations('fake.chat')).toEqual([{ url: 'https://found.example' }])
  expect(await citations('anthropic.messages')).toEqual([])
})

test('parts of an answer: bytes of a generated file become base64', async () => {
  const data = { type: 'data', data: new Uint8Array([1, 2, 255]) } as const
  const parts: LanguageModelV4StreamPart[] = [{ type: 'file', mediaType: 'image/png', data }, finish()]
  const { message } = await fold(fromLanguageModel(fakeModel({ parts })))
  expect(message.content).toEqual([{ type: 'file', mediaType: 'image/png', data: 'AQL/' }])
})

test('parts of an answer: parts that nobody knows yet are skipped', async () => {
  const parts = [{ type: 'hologram', id: 'h' } as unknown as LanguageModelV4StreamPart, finish()]
  expect((await runTurn(fromLanguageModel(fakeModel({ parts })))).error).toBeUndefined()
})

test('parts of an answer: an approval that a provider asks for is kept and reported', async () => {
  const parts: LanguageModelV4StreamPart[] = [
    { type: 'tool-approval-request', approvalId: 'a', toolCallId: 'c' },
    finish(),
  ]
  const turn = await fold(fromLanguageModel(fakeModel({ parts })))
  expect(turn.message.content).toMatchObject([{ type: 'opaque' }])
  expect(turn.warnings).toMatchObject([{ type: 'unsupported', path: 'content' }])
})

test('parts of an answer: warnings of the model keep their kind and get the paths of ours', async () => {
  const warnings = [
    { type: 'unsupported', feature: 'topK', details: 'no such setting' },
    { type: 'other', message: 'mind the gap' },
  ] as const
  const turn = await fold(fromLanguageModel(fakeModel({ result: { warnings: [...warnings] } })), 'generate')
  expect(turn.warnings).toEqual([
    { type: 'unsupported', path: 'settings.topK', message: 'no such setting' },
    { type: 'coerced', path: 'request', message: 'mind the gap' },
  ])
})

test('parts of an answer: usage is unknown when the model sends no count', async () => {
  expect((await fold(fromLanguageModel(fakeModel({})))).usage).toBeUndefined()
})

const begun: LanguageModelV4StreamPart[] = [
  { type: 'tool-input-start', id: 'c', toolName: 'pay' },
  { type: 'tool-input-delta', id: 'c', delta: '{}' },
]
const call = (input: string): LanguageModelV4StreamPart => ({
  type: 'tool-call',
  toolCallId: 'c',
  toolName: 'pay',
  input,
})

test('calls: a call that was never given as a whole is truncated, even if its text would parse', async () => {
  const turn = await fold(fromLanguageModel(fakeModel({ parts: [...begun, finish('length')] })))
  expect(turn.message.content).toMatchObject([{ type: 'tool-call', input: undefined, invalid: 'truncated' }])
  expect(turn.finishReason).toBe('length')
})

test('calls: a call that a package flushes when the stream breaks off is handed to nobody', async () => {
  const { events, error } = await runTurn(fromLanguageModel(fakeModel({ parts: [call(''), finish('interrupted')] })))
  expect(error).toMatchObject({ code: 'incomplete-stream' })
  expect(events.map(({ type }) => type)).not.toContain('tool-call')
})

test.each([
  ['', 'stop', {}, undefined],
  ['{"a":1}', 'length', undefined, 'truncated'],
  ['', 'length', undefined, 'truncated'],
  ['{}', 'length', undefined, 'truncated'],
  ['{}', 'tool-calls', {}, undefined],
  ['{"a":', 'length', undefined, 'truncated'],
  ['{"a":', 'stop', undefined, 'unparsable'],
] as const)(
  'a call with the input text %j in an answer that ended with `%s` has the input %j and is invalid as %s',
  async (text, unified, input, invalid) => {
    const turn = await fold(fromLanguageModel(fakeModel({ parts: [call(text), finish(unified)] })))
    const [part] = turn.message.content
    expect(part).toMatchObject({ type: 'tool-call', inputText: text })
    expect(part?.type === 'tool-call' && [part.input, part.invalid]).toEqual([input, invalid])
  },
)

test('calls previews of a result are replaced by the result', async () => {
  const result = { type: 'tool-result', toolCallId: 'p', toolName: 'draw' } as const
  const parts: LanguageModelV4StreamPart[] = [
    { ...result, result: 'half', preliminary: true },
    { ...result, result: 'whole' },
    finish(),
  ]
  const { message } = await fold(fromLanguageModel(fakeModel({ parts })))
  expect(message.content).toMatchObject([{ type: 'tool-result', output: { type: 'text', value: 'whole' } }])
})

test('the end of a stream: a stream without `finish` is incomplete', async () => {
  const parts: LanguageModelV4StreamPart[] = [{ type: 'text-delta', id: 'a', delta: 'x' }]
  const { events, error } = await runTurn(fromLanguageModel(fakeModel({ parts })))
  expect(error).toMatchObject({ code: 'incomplete-stream', retryable: true })
  expect(events).toContainEqual({ type: 'text-delta', part: 0, text: 'x' })
})

test('the end of a stream: a part that a package closes because its stream broke off is not reported as closed', async () => {
  const parts: LanguageModelV4StreamPart[] = [
    { type: 'text-delta', id: 'a', delta: 'x' },
    { type: 'text-end', id: 'a' },
    finish('interrupted'),
  ]
  const { events } = await runTurn(fromLanguageModel(fakeModel({ parts })))
  expect(events.map(({ type }) => type)).toEqual(['turn-start', 'text-start', 'text-delta'])
})

test('the end of a stream: the end of a text comes before the reasoning that follows it', async () => {
  const parts: LanguageModelV4StreamPart[] = [
    { type: 'text-delta', id: 'a', delta: 'x' },
    { type: 'text-end', id: 'a' },
    { type: 'reasoning-delta', id: 'b', delta: 'y' },
    finish(),
  ]
  const { events } = await runTurn(fromLanguageModel(fakeModel({ parts })))
  expect(events.map(({ type }) => type).slice(2, 5)).toEqual(['text-delta', 'text-end', 'reasoning-start'])
})

test('the end of a stream: an end as `other` without a word of the provider is incomplete, or a warning if that is wanted', async () => {
  const model = fakeModel({ parts: [finish('other')] })
  expect((await runTurn(fromLanguageModel(model))).error).toMatchObject({ code: 'incomplete-stream' })
  const turn = await fold(fromLanguageModel(model, { unprovenEnd: 'warning' }))
  expect(turn).toMatchObject({ finishReason: 'unknown', warnings: [{ type: 'unproven-end' }] })
})

test('the end of a stream: an end as `other` with the provider’s word is an end', async () => {
  const turn = await fold(fromLanguageModel(fakeModel({ parts: [finish('other', 'odd')] })))
  expect(turn).toMatchObject({ finishReason: 'unknown', rawFinishReason: 'odd', warnings: [] })
})

test('the end of a stream: an answer in one piece needs no proof', async () => {
  const finishReason = { unified: 'other', raw: undefined } as const
  const turn = await fold(fromLanguageModel(fakeModel({ result: { finishReason } })), 'generate')
  expect(turn.warnings).toEqual([])
})

test('a stream that stays open after its `finish` part does not hold the turn, and is closed a moment later', async () => {
  const clock = fakeClock()
  const model = fakeModel({ parts: [{ type: 'text-delta', id: 'a', delta: 'x' }, finish()], hangs: true })
  const turn = await collectTurn(fromLanguageModel(model).turn({ messages: [], turn: 0 }, { mode: 'stream', clock }))
  expect(turn).toMatchObject({ finishReason: 'stop', message: { content: [{ type: 'text', text: 'x' }] } })
  expect(model.cancelled()).toBe(false)
  clock.advance(100)
  expect(model.cancelled()).toBe(true)
  expect(model.calls[0]?.abortSignal?.aborted).toBe(false)
})

test('a stream that stays open after its `finish` part is left alone when it closes in time', async () => {
  const clock = fakeClock()
  const model = fakeModel({ parts: [finish()] })
  await collectTurn(fromLanguageModel(model).turn({ messages: [], turn: 0 }, { mode: 'stream', clock }))
  await new Promise((resolve) => {
    setTimeout(resolve, 1)
  })
  expect(clock.open).toBe(0)
  expect(model.cancelled()).toBe(false)
})

test('aborting: a model that ignores its signal does not hold the turn', async () => {
  const controller = new AbortController()
  const adapter = fromLanguageModel(fakeModel({ parts: [{ type: 'text-delta', id: 'a', delta: 'x' }], hangs: true }))
  const run = runTurn(adapter, { signal: controller.signal })
  controller.abort()
  expect((await run).error).toMatchObject({ code: 'aborted' })
})

test('aborting: a signal that is aborted before costs no request', async () => {
  const model = fakeModel({})
  const signal = AbortSignal.abort(new DOMException('late', 'TimeoutError'))
  expect((await runTurn(fromLanguageModel(model), { signal })).error).toMatchObject({ code: 'timeout' })
  expect(model.calls).toEqual([])
})

test('aborting: leaving a turn early aborts the request', async () => {
  const model = fakeModel({ parts: [{ type: 'text-delta', id: 'a', delta: 'x' }], hangs: true })
  for await (const _ of fromLanguageModel(model).turn({ messages: [], turn: 0 }, { mode: 'stream' })) break
  expect(model.calls[0]?.abortSignal?.aborted).toBe(true)
})
