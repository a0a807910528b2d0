import { textOf } from '@steploop/core/adapter'
import { expect, test } from 'vitest'

import { simulatedWire, type AnswerContext, type JsonObject } from '@steploop/conformance/simulator'

import { wireKit } from '../src/wires/index.ts'
import { textsOf } from '../src/wires/simulate/body-bytes.ts'
import { answers } from './simulator-scripts.ts'

const requests = {
  'openai-responses': {
    model: 'gpt-sim',
    input: 'x',
    include: ['reasoning.encrypted_content'],
    reasoning: { summary: 'auto' },
  },
  'openai-chat': { model: 'chat-sim', messages: [], stream_options: { include_usage: true } },
  'anthropic-messages': {
    model: 'claude-sim',
    messages: [],
    max_tokens: 4096,
    thinking: { type: 'enabled', budget_tokens: 1024 },
  },
  'gemini-generate': {
    model: 'gemini-3-flash-preview',
    generationConfig: { thinkingConfig: { includeThoughts: true } },
  },
  'ollama-chat': { model: 'qwen3', messages: [] },
  'cohere-chat': { model: 'command-a', messages: [] },
} as const

type Wire = keyof typeof requests
const names = Object.keys(requests) as Wire[]
const contextOf = (wire: Wire): AnswerContext => ({ turn: 1, request: requests[wire] })

const cases = names.flatMap((wire) => answers.map((answer, index) => ({ wire, answer, index })))

/** One event, or one line. */
const frameForm = /^(?:event: [\w.-]+\n)?data: ([^\n]+?)(?:\r?\n){2}$|^(\{[^\n]*\})\n$/

function eventIn(frame: string) {
  expect(frame).toMatch(frameForm)
  const [, data, line = data ?? ''] = frameForm.exec(frame) ?? []
  const payload = (line.startsWith('{') ? JSON.parse(line) : {}) as JsonObject
  return { type: textOf(payload['type']) ?? '', data: line, payload }
}

test.each(cases)('$wire: the events of a stream read like the whole answer (script $index)', ({ wire, answer }) => {
  const { readResponse: read, isTerminal } = wireKit(wire)!
  const { frames, terminal } = simulatedWire(wire).answerStream(answer, contextOf(wire))
  const events = textsOf(frames).map(eventIn)
  const whole = read!([simulatedWire(wire).answerJson(answer, contextOf(wire))])
  const streamed = read!(events.map(({ payload }) => payload))
  // Anthropic leaves nothing of a cut input in an answer that is not streamed.
  const isCut = wire === 'anthropic-messages' && answer.finish === 'length'
  const parts = streamed.parts.map((part) => (isCut && part.type === 'call' ? { ...part, input: {} } : part))
  expect({ ...streamed, parts }).toEqual(whole)
  expect(events.findIndex((event) => isTerminal!(event))).toBe(terminal)
})

test.each(names)('%s: an answer reads as what the script says', (wire) => {
  const parts = [
    { type: 'reasoning', text: 'Hm.' },
    { type: 'text', text: 'Moment.' },
    { type: 'call', toolName: 'get_weather', input: { city: 'Zürich' } },
  ] as const
  const answer = { type: 'answer', parts, usage: { inputTokens: 3, outputTokens: 4 } } as const
  const view = wireKit(wire)!.readResponse!([simulatedWire(wire).answerJson(answer, contextOf(wire))])
  expect(view).toMatchObject({ parts, usage: { input: 3, output: 4 }, error: undefined })
})

test('anthropic-messages: thinking is shown only where the request turned it on', () => {
  const answer = {
    type: 'answer',
    parts: [
      { type: 'reasoning', text: 'Hm.' },
      { type: 'text', text: 'Yes.' },
    ],
  } as const
  const { thinking: _, ...plain } = requests['anthropic-messages']
  const types = (request: JsonObject) =>
    (simulatedWire('anthropic-messages').answerJson(answer, { turn: 1, request })['content'] as JsonObject[]).map(
      (block) => block['type'],
    )
  expect(types(plain)).toEqual(['text'])
  expect(types(requests['anthropic-messages'])).toEqual(['thinking', 'text'])
})

test('openai-responses: a summary and encrypted content are given only where the request asks for them', () => {
  const answer = { type: 'answer', parts: [{ type: 'reasoning', text: 'Hm.' }] } as const
  const item = (request: JsonObject) =>
    (simulatedWire('openai-responses').answerJson(answer, { turn: 1, request })['output'] as JsonObject[])[0]
  expect(item({ model: 'gpt-sim', input: 'x' })).toEqual({ id: 'rs_sim1n1', type: 'reasoning', summary: [] })
  expect(item(requests['openai-responses'])).toMatchObject({
    summary: [{ type: 'summary_text', text: 'Hm.' }],
    encrypted_content: expect.stringMatching(/^gAAAAA/) as string,
  })
})
