import type { ScriptedAnswer } from '../src/script.ts'

const text = { type: 'text', text: 'In Zürich 21 °C, in 東京 27 °C. 🌦️👩‍🚀' } as const
const reasoning = { type: 'reasoning', text: 'Two cities, two calls: erst Zürich, dann 東京.' } as const
const call = { type: 'call', toolName: 'get_weather', input: { city: 'Zürich', days: [1, 2] } } as const
const other = { type: 'call', toolName: 'get_time', input: { tz: 'Asia/Tokyo' }, id: 'given_id' } as const
const bare = { type: 'call', toolName: 'list_alerts', input: {} } as const
const broken = { type: 'call', toolName: 'get_weather', input: {}, inputText: '{"city":"Zür' } as const
const source = {
  url: 'https://example.com/z%C3%BCrich',
  title: 'Zürich 🌦️',
  supports: 'in 東京 27 °C',
  quote: '東京: 27 °C',
}
const search = { type: 'provider-call', tool: 'search', text: 'Türme 東京', output: 'Drei Türme 🗼' } as const
const code = { type: 'provider-call', tool: 'code', text: 'print("Zürich")', output: 'Zürich\n' } as const
const refusal = { type: 'refusal', text: 'I cannot help with that.' } as const
const usage = { inputTokens: 900, outputTokens: 70, cachedInputTokens: 512, reasoningTokens: 33 }

/** Answers of every kind that a script can have. */
export const answers: readonly ScriptedAnswer[] = [
  { type: 'answer', parts: [text] },
  { type: 'answer', parts: [] },
  { type: 'answer', parts: [text, text], usage },
  { type: 'answer', parts: [reasoning, text] },
  { type: 'answer', parts: [reasoning, text, call, other, bare], usage },
  { type: 'answer', parts: [text, { ...text, citations: [source, source] }] },
  { type: 'answer', parts: [text], usage: { inputTokens: 900, outputTokens: 70, cacheWriteTokens: 512 } },
  { type: 'answer', parts: [call] },
  { type: 'answer', parts: [bare] },
  { type: 'answer', parts: [call, text] },
  { type: 'answer', parts: [refusal] },
  { type: 'answer', parts: [search, text, code, text] },
  { type: 'answer', parts: [text], finish: 'length' },
  { type: 'answer', parts: [text, broken], finish: 'length' },
  { type: 'answer', parts: [text], finish: 'content-filter' },
  { type: 'answer', parts: [text], finish: 'pause' },
  { type: 'answer', parts: [call], finish: 'stop' },
]
