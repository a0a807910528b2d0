import type { AssistantMessage, AssistantPart, Message, Settings, ToolMessage } from '@steploop/core/adapter'
import { expect, it } from 'vitest'
import { encoded, origin } from './testing.ts'

function warned(settings: Settings, model?: string): string[] {
  return encoded({ settings }, model).warnings.map((warning) => `${warning.type} ${warning.path}`)
}

/** An assistant message with one call, and its result. */
function answeredCall(maker: Partial<AssistantMessage>, ...before: AssistantPart[]): [AssistantMessage, ToolMessage] {
  const call = { toolCallId: 'call_1', toolName: 'now' }
  const part: AssistantPart = { type: 'tool-call', ...call, input: {}, inputText: '', owner: 'loop' }
  const result = { type: 'tool-result', ...call, output: { type: 'text', value: 'ok' } } as const
  return [
    { role: 'assistant', ...maker, content: [...before, part] },
    { role: 'tool', content: [result] },
  ]
}

it('sampling settings stand in the body of the request', () => {
  const settings = { temperature: 0.2, topK: 40, stopSequences: ['END'] }
  expect(encoded({ settings }).body).toMatchObject({ temperature: 0.2, top_k: 40, stop_sequences: ['END'] })
})

it('sampling settings beyond the bounds of the API are moved into them, with warnings', () => {
  const { body, warnings } = encoded({ settings: { temperature: 1.7, stopSequences: [' '] } })
  expect(body['temperature']).toBe(1)
  expect(body).not.toHaveProperty('stop_sequences')
  expect(warnings.map((warning) => warning.type)).toEqual(['coerced', 'dropped'])
})

it('sampling settings are dropped with thinking, but for the values that the API takes', () => {
  const settings: Settings = { reasoning: 'low', temperature: 0.3, topK: 3, topP: 0.5 }
  const { body } = encoded({ settings })
  for (const name of ['temperature', 'top_k', 'top_p']) expect(body).not.toHaveProperty(name)
  expect(warned(settings)).toEqual(['dropped settings.temperature', 'dropped settings.topP', 'dropped settings.topK'])
  expect(encoded({ settings: { reasoning: 'low', topP: 0.95 } }).body['top_p']).toBe(0.95)
  expect(encoded({ settings: { reasoning: 'low', temperature: 1 } }).body['temperature']).toBe(1)
})

it('sampling settings are dropped for models that refuse them', () => {
  expect(warned({ temperature: 0.3 }, 'claude-opus-4-8')).toEqual(['dropped settings.temperature'])
})

it.each([
  ['low', 2048],
  ['medium', 8192],
  ['high', 24_576],
] as const)('reasoning is a token budget until Claude 4.5, for %s of %d tokens', (reasoning, budget_tokens) => {
  const { body, warnings } = encoded({ settings: { reasoning, maxOutputTokens: 64_000 } }, 'claude-haiku-4-5')
  expect(body['thinking']).toEqual({ type: 'enabled', budget_tokens })
  expect(warnings).toEqual([])
})

it('reasoning leaves room for the answer, with a warning', () => {
  const settings: Settings = { reasoning: 'high', maxOutputTokens: 4000 }
  expect(encoded({ settings }).body['thinking']).toEqual({ type: 'enabled', budget_tokens: 3000 })
  expect(warned(settings)).toEqual(['coerced settings.reasoning'])
})

it('reasoning is dropped where there is no room for it, or where the model cannot think', () => {
  expect(encoded({ settings: { reasoning: 'low', maxOutputTokens: 1000 } }).body).not.toHaveProperty('thinking')
  expect(warned({ reasoning: 'low', maxOutputTokens: 1000 })).toEqual(['dropped settings.reasoning'])
  expect(warned({ reasoning: 'low' }, 'claude-3-5-haiku-latest')).toEqual(['dropped settings.reasoning'])
  const why = (maxOutputTokens: number, model?: string) =>
    encoded({ settings: { reasoning: 'low', maxOutputTokens } }, model).warnings[0]?.message
  expect(why(1000)).toContain('it needs 1024 of max_tokens and more')
  expect(why(9000, 'claude-3-5-haiku-latest')).toContain('the model cannot think')
})

it('reasoning of the least budget that the API takes is asked for', () => {
  const settings: Settings = { reasoning: 'low', maxOutputTokens: 1366 }
  expect(encoded({ settings }).body['thinking']).toEqual({ type: 'enabled', budget_tokens: 1024 })
})

it('reasoning is adaptive with an effort from Claude 4.6, with its text asked for', () => {
  const { body } = encoded({ settings: { reasoning: 'low' } }, 'claude-opus-4-6')
  expect(body).toMatchObject({
    thinking: { type: 'adaptive', display: 'summarized' },
    output_config: { effort: 'low' },
  })
})

it.each([
  ['claude-sonnet-4-5', undefined],
  ['claude-opus-4-8', undefined],
  ['claude-opus-5', { type: 'disabled' }],
  ['claude-haiku-5-5', { type: 'disabled' }],
  ['claude-fable-5', undefined],
  ['claude-mythos-preview', undefined],
  ['someone-elses-model', undefined],
])('reasoning: none is for %s %j', (model, thinking) => {
  expect(encoded({ settings: { reasoning: 'none' } }, model).body['thinking']).toEqual(thinking)
})

it('reasoning: none is thinking between calls alone, with a warning, for the newest Sonnet', () => {
  const { body, warnings } = encoded({ settings: { reasoning: 'none' } }, 'claude-sonnet-5-5')
  expect(body['thinking']).toEqual({ type: 'between_tools' })
  expect(warnings).toMatchObject([{ type: 'coerced', path: 'settings.reasoning' }])
})

it.each(['claude-opus-5-5', 'claude-mythos-preview'])(
  'reasoning: none is the least effort, with a warning, where the model always thinks: %s',
  (model) => {
    expect(encoded({ settings: { reasoning: 'none' } }, model).body['output_config']).toEqual({ effort: 'low' })
    expect(warned({ reasoning: 'none' }, model)).toEqual(['coerced settings.reasoning'])
  },
)

it('reasoning with a budget is left out while calls are answered that were made without thinking, with a warning', () => {
  const [called, results] = answeredCall({ provider: 'elsewhere' })
  const messages: Message[] = [{ role: 'user', content: 'Hello' }, called, results]
  const thinking = { type: 'enabled', budget_tokens: 5000 }
  const before = { ...origin, data: { signature: 'sig' } }
  const answer: Message = { role: 'assistant', content: [{ type: 'reasoning', text: 'Hm', providerMetadata: before }] }
  const [own, found] = answeredCall(origin)
  for (const request of [
    { settings: { reasoning: 'low' } },
    { providerOptions: { anthropic: { thinking } } },
    // A thought of the turn before is none of this one.
    { settings: { reasoning: 'low' }, messages: [answer, { role: 'user', content: 'More' }, own, found] },
    { settings: { reasoning: 'low' }, messages: [own, found] },
  ] as const) {
    const { body, warnings } = encoded({ messages, ...request })
    expect(body).not.toHaveProperty('thinking')
    expect(warnings).toMatchObject([{ type: 'dropped', path: 'settings.reasoning' }])
  }
  const later: Message[] = [...messages, { role: 'assistant', content: [] }, { role: 'user', content: 'More' }]
  expect(encoded({ messages: later, settings: { reasoning: 'low' } }).body).toHaveProperty('thinking')
})

it.each<[string, AssistantPart]>([
  ['signed', { type: 'reasoning', text: 'Hm', providerMetadata: { ...origin, data: { signature: 'sig' } } }],
  [
    'redacted by Bedrock',
    { type: 'reasoning', text: '', providerMetadata: { ...origin, data: { redactedContent: 'r' } } },
  ],
  ['redacted', { type: 'opaque', providerMetadata: { ...origin, data: { type: 'redacted_thinking', data: 's' } } }],
])(
  'reasoning with a budget stays while calls are answered that came after thinking, %s, in an earlier step too',
  (_, part) => {
    const [thought, first] = answeredCall(origin, part)
    const [called, second] = answeredCall(origin)
    const messages: Message[] = [{ role: 'user', content: 'Hello' }, thought, first, called, second]
    expect(encoded({ messages, settings: { reasoning: 'low' } }).body).toHaveProperty('thinking')
  },
)

it('reasoning that decides for itself leaves no room for a temperature, with a warning', () => {
  const { body, warnings } = encoded({ settings: { reasoning: 'low', temperature: 0.3 } }, 'claude-opus-4-6')
  expect(body).not.toHaveProperty('temperature')
  expect(warnings).toMatchObject([{ path: 'settings.temperature' }])
})

it('reasoning of the caller wins over the setting', () => {
  const thinking = { type: 'enabled', budget_tokens: 5000 }
  const { body } = encoded({ settings: { reasoning: 'low' }, providerOptions: { anthropic: { thinking } } })
  expect(body['thinking']).toEqual(thinking)
})
