import { expect, test } from 'vitest'
import type { TurnEvent } from '../contract/adapter.ts'
import { AdapterError } from '../contract/errors.ts'
import type { Message } from '../contract/messages.ts'
import { decodeEvents } from './decode-events.ts'
import { wordFaults } from './event-faults.ts'

const origin = { provider: 'acme', model: 'm-1' }
const start = { type: 'turn-start' } as const
const end = { type: 'turn-end', finishReason: 'stop' } as const
const call = { toolCallId: 'c', toolName: 't', owner: 'client' } as const

test('events are folded into the turn that they make', () => {
  const { events, turn, error } = decodeEvents((out) => {
    out.push(start, { type: 'text-start', part: 0 }, { type: 'text-delta', part: 0, text: 'Hi' })
    out.push({ type: 'text-end', part: 0 }, end)
  }, origin)
  expect(events).toHaveLength(5)
  expect(error).toBeUndefined()
  expect(turn).toMatchObject({
    finishReason: 'stop',
    message: { role: 'assistant', content: [{ type: 'text', text: 'Hi' }], ...origin },
  })
})

test('what came before an error is kept beside it', () => {
  const broken = new AdapterError({ ...origin, code: 'incomplete-stream', message: 'the stream broke' })
  const { events, turn, error } = decodeEvents((out) => {
    out.push(start, { type: 'text-start', part: 0 }, { type: 'text-delta', part: 0, text: 'Hal' })
    throw broken
  }, origin)
  expect([events.length, error]).toEqual([3, broken])
  expect(turn.message.content).toEqual([{ type: 'text', text: 'Hal' }])
  expect(turn.finishReason).toBe('unknown')
})

test('an error that is none of an adapter is a mistake of the decoder, and thrown', () => {
  const decode = (): never => {
    throw new TypeError('no list')
  }
  expect(() => decodeEvents(decode, origin)).toThrow('no list')
})

/** The events of a call with these members, for members that a whole one has. */
const called = (given: object, begun: object = {}): readonly object[] => [
  { type: 'tool-call-start', part: 0, ...call, ...begun },
  { type: 'tool-call', part: 0, ...call, input: {}, inputText: '{}', ...given },
]
const result = { type: 'tool-result', part: 1, toolCallId: 'c', toolName: 't', output: { type: 'text', value: '' } }
const written = (type: string, text?: string, part = 0): readonly object[] => [
  { type: `${type}-start`, part },
  ...(text === undefined ? [] : [{ type: `${type}-delta`, part, text }]),
  { type: `${type}-end`, part },
]
const warned = (given: object): object => ({ type: 'dropped', path: 'messages', message: 'left out', ...given })
const file = { type: 'file', part: 0, mediaType: 'text/plain' }
const cited = { type: 'citation', part: 0, citation: { type: 'url', url: 'https://example.com' } }
const decoded = (events: readonly unknown[]) => () =>
  decodeEvents((out) => void out.push(...(events as TurnEvent[])), origin)

test('whatever the contract knows can be told', () => {
  const warnings = ['dropped', 'coerced', 'unsupported', 'repaired', 'unproven-end'].map((type) => warned({ type }))
  const outputs = ['text', 'json', 'error'].map((type) => ({ type, value: '' }))
  const events = [
    { ...start, warnings },
    ...written('reasoning', 'a', 2),
    ...written('text', 'b', 3),
    { ...cited, part: 3 },
    { ...cited, part: 15 },
    ...called({}),
    ...[...outputs, { type: 'content', value: [] }].map((output, index) => ({ ...result, part: 4 + index, output })),
    { ...result, part: 8, toolCallId: 'of an earlier turn', toolName: 'u' },
    { type: 'tool-call-start', part: 9, ...call, toolCallId: 'd', owner: 'provider' },
    { type: 'tool-call-delta', part: 9, toolCallId: 'd', inputText: '[' },
    {
      type: 'tool-call',
      part: 9,
      ...call,
      toolCallId: 'd',
      owner: 'provider',
      input: [],
      inputText: '[',
      invalid: 'truncated',
    },
    { type: 'tool-call-start', part: 10, ...call, toolCallId: 'e' },
    { type: 'tool-call', part: 10, ...call, toolCallId: 'e', input: undefined, inputText: '', invalid: 'unparsable' },
    { ...file, part: 11, data: 'YQ==' },
    { ...file, part: 12, url: 'https://example.com', providerMetadata: undefined },
    { type: 'opaque', part: 13, providerMetadata: { ...origin, payload: {} } },
    { type: 'refusal-delta', part: 14, text: '', providerMetadata: { ...origin, payload: {} } },
  ]
  for (const finishReason of ['stop', 'tool-calls', 'length', 'content-filter', 'pause', 'error', 'unknown']) {
    const last = {
      ...end,
      finishReason,
      rawFinishReason: 'r',
      usage: { inputTokens: 0, outputTokens: undefined },
      warnings,
    }
    expect(decoded([...events, last])().events).toHaveLength(events.length + 1)
  }
})

test.each<[string, readonly unknown[]]>([
  ["the first event is 'turn-end'", [end]],
  ['there are 2 `turn-start` events, not one', [start, start, end]],
  [
    "there are 0 `turn-end` events, not one; push it in `end()`, or at the end of `decode`; the last event is 'undefined', not `turn-end`",
    [],
  ],
  [
    "there are 0 `turn-end` events, not one; push it in `end()`, or at the end of `decode`; the last event is 'turn-start', not `turn-end`",
    [start],
  ],
  ['there are 2 `turn-end` events, not one; push it in `end()`, or at the end of `decode`', [start, end, end]],
  ["the last event is 'text-end', not `turn-end`", [start, end, ...written('text')]],
])('events out of order are a mistake of the decoder: %s', (fault, events) => {
  expect(decoded(events)).toThrow(new TypeError(`These events break the contract: ${fault}`))
})

test('what a start warns of is whole', () => {
  const fault = '\'turn-start\' has the `warning.path` "", which says nothing'
  expect(decoded([{ ...start, warnings: [warned({ path: '' })] }, end])).toThrow(fault)
})

test('a turn that failed has not ended before', () => {
  const broken = new AdapterError({ ...origin, code: 'incomplete-stream', message: 'the stream broke' })
  const decode = (out: TurnEvent[]): never => {
    out.push(start, end)
    throw broken
  }
  expect(() => decodeEvents(decode, origin)).toThrow(': the turn threw after its `turn-end`')
})

test.each<[string, ...unknown[]]>([
  ["'text-delta' for part 0, which is not open", { type: 'text-delta', part: 0, text: 'a' }],
  ["'reasoning-delta' for part 0, which is not open", { type: 'reasoning-delta', part: 0, text: 'a' }],
  [
    "'tool-call-delta' for part 0, which is not open; 'tool-call-delta' names the call \"d\", which was not told of",
    { type: 'tool-call-delta', part: 0, toolCallId: 'd', inputText: '{' },
  ],
  [
    "'reasoning-delta' for part 0, which is text; 'reasoning-end' closes part 0, which is text",
    { type: 'text-start', part: 0 },
    { type: 'reasoning-delta', part: 0, text: 'a' },
    { type: 'reasoning-end', part: 0 },
  ],
  ["'tool-call' closes part 0, which is not open", ...called({}).slice(1)],
  ["'text-end' closes part 0, which is not open", { type: 'text-end', part: 0 }],
  ["'text-start' opens part 0, which is text already", { type: 'text-start', part: 0 }, ...written('text')],
  ["'text-start' opens part 0, which is closed already", ...written('reasoning'), ...written('text')],
  ["'citation' for part 0, which is reasoning", ...written('reasoning', 'a'), cited],
  [
    "'citation' for part 1, which is reasoning",
    ...written('text', 'a'),
    ...written('reasoning', 'b', 1),
    cited,
    { ...cited, part: 1 },
  ],
  ['part 0 (text) is never closed', { type: 'text-start', part: 0 }],
  ["'text-delta' has the `part` null, which is no count", { type: 'text-delta', text: 'a' }],
  ["'refusal-delta' has the `part` null, which is no count", { type: 'refusal-delta', text: '' }],
  ["'refusal-delta' has the `part` -1, which is no count", { type: 'refusal-delta', part: -1, text: '' }],
  ["'refusal-delta' has the `part` 0.5, which is no count", { type: 'refusal-delta', part: 0.5, text: '' }],
  [`'text' is none of the contract's events: {"type":"text","part":0}`, { type: 'text', part: 0 }],
  [
    '\'tool-call-start\' has the `owner` "me", which is none of client, provider',
    ...called({ owner: 'me' }, { owner: 'me' }),
  ],
  [
    '\'tool-call-start\' has the `toolCallId` "", which says nothing',
    ...called({ toolCallId: '' }, { toolCallId: '' }),
  ],
  ['\'tool-call-start\' has the `toolName` "", which says nothing', ...called({ toolName: '' }, { toolName: '' })],
  ['\'tool-call\' has the `owner` "provider", which is none of client', ...called({ owner: 'provider' })],
  ['\'tool-call\' has the `toolCallId` "d", which is none of c', ...called({ toolCallId: 'd' })],
  ['\'tool-call\' has the `toolName` "u", which is none of t', ...called({ toolName: 'u' })],
  ["'tool-call' has the `inputText` 5, which is no text", ...called({ inputText: 5 })],
  [
    "'tool-call' has no `input`",
    { type: 'tool-call-start', part: 0, ...call },
    { type: 'tool-call', part: 0, ...call, inputText: '{}' },
  ],
  ["'tool-call' has the `input` [], which is no object, and is not `invalid`", ...called({ input: [] })],
  ['\'tool-call\' has the `invalid` "odd", which is none of unparsable, truncated', ...called({ invalid: 'odd' })],
  [
    '\'tool-call-delta\' has the `inputText` "", which says nothing',
    { type: 'tool-call-start', part: 0, ...call },
    { type: 'tool-call-delta', part: 0, toolCallId: 'c', inputText: '' },
    ...called({}).slice(1),
  ],
  ["'tool-result' has the `toolCallId` undefined, which says nothing", { ...result, toolCallId: undefined }],
  ['\'tool-result\' has the `toolName` "", which says nothing', { ...result, toolName: '' }],
  [`'tool-result' is of the tool "u", and its call of 't'`, ...called({}), { ...result, toolName: 'u' }],
  [
    '\'tool-result\' has the `output.type` "html", which is none of text, json, error, content',
    { ...result, output: { type: 'html' } },
  ],
  ['\'text-delta\' has the `text` "", which says nothing', ...written('text', '')],
  ['\'reasoning-delta\' has the `text` "", which says nothing', ...written('reasoning', '')],
  ["'refusal-delta' has the `text` undefined, which is no text", { type: 'refusal-delta', part: 0 }],
  ['\'file\' has the `mediaType` "", which says nothing', { ...file, mediaType: '', url: 'u' }],
  ['\'file\' has the `data` "", which says nothing', file],
  ["'file' is told twice", { ...file, data: 'YQ==' }, { ...file, part: 1, data: 'YQ==' }],
  ["'opaque' has no `providerMetadata`", { type: 'opaque', part: 0 }],
  [
    "'opaque' has the `providerMetadata.provider` \"other\", which is none of acme; 'opaque' has the `providerMetadata.model` undefined, which says nothing",
    { type: 'opaque', part: 0, providerMetadata: { provider: 'other' } },
  ],
])('events that break the contract are a mistake of the decoder: %s', (fault, ...events) => {
  expect(decoded([start, ...events, end])).toThrow(new TypeError(`These events break the contract: ${fault}`))
})

test.each<[string, object]>([
  [
    'the `finishReason` "done", which is none of stop, tool-calls, length, content-filter, pause, error, unknown',
    { finishReason: 'done' },
  ],
  ['the `rawFinishReason` "", which says nothing', { rawFinishReason: '' }],
  ['the `usage.inputTokens` -1, which is no count', { usage: { inputTokens: -1 } }],
  [
    'the `warning.type` "odd", which is none of dropped, coerced, unsupported, repaired, unproven-end',
    { warnings: [warned({ type: 'odd' })] },
  ],
  ['the `warning.path` "", which says nothing', { warnings: [warned({ path: '' })] }],
  ['the `warning.message` undefined, which says nothing', { warnings: [warned({ message: 'is [object Object]' })] }],
])('an end that breaks the contract is a mistake of the decoder: has %s', (fault, given) => {
  expect(decoded([start, { ...end, ...given }])).toThrow(`These events break the contract: 'turn-end' has ${fault}`)
})

test('a result is of a call of its turn, or of the history', () => {
  const parts = [{ type: 'text', text: 'a' }, { ...called({})[1] }]
  const messages = [
    { role: 'user', content: parts },
    { role: 'assistant', content: [{ ...called({})[1], toolCallId: 'd' }] },
  ] as unknown as readonly Message[]
  const faultsOf = (given: object) =>
    wordFaults([{ ...result, ...given }] as unknown as TurnEvent[], { provider: 'acme', messages })
  expect(faultsOf({ toolCallId: 'd' })).toEqual([])
  expect(faultsOf({})).toEqual(['\'tool-result\' names the call "c", which was not told of'])
  expect(faultsOf({ toolCallId: 'd', toolName: 'u' })).toEqual([
    `'tool-result' is of the tool "u", and its call of 't'`,
  ])
})
