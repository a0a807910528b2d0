import { textsOf } from '../src/wires/simulate/body-bytes.ts'
import { expect, test } from 'vitest'

import { simulatedWire, type AnswerContext, type JsonObject } from '@steploop/conformance/simulator'

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
} as const

type Wire = keyof typeof requests
const names = Object.keys(requests) as Wire[]
const contextOf = (wire: Wire): AnswerContext => ({ turn: 1, request: requests[wire] })

function eventsOf(wire: Wire, index: number): readonly JsonObject[] {
  const { frames } = simulatedWire(wire).answerStream(answers[index]!, contextOf(wire))
  return textsOf(frames).flatMap((frame) => {
    const data = /^data: (.*)$/m.exec(frame)?.[1] ?? ''
    return data.startsWith('{') ? [JSON.parse(data) as JsonObject] : []
  })
}

const every = answers.map((_, index) => index)

test.each(names)('%s: each frame is one event, and the terminal one comes after content', (wire) => {
  for (const answer of answers) {
    const { frames, terminal } = simulatedWire(wire).answerStream(answer, contextOf(wire))
    expect(terminal).toBeGreaterThanOrEqual(1)
    expect(terminal).toBeLessThan(frames.length)
    for (const frame of frames) expect(frame).toMatch(/^(event: [a-z_.]+\n)?data: [^\n]+\n\n$/)
  }
})

test.each(every)(
  'openai-responses: the items that are done are the output of the last response (script %i)',
  (index) => {
    const events = eventsOf('openai-responses', index)
    const done = events.filter((event) => event['type'] === 'response.output_item.done').map((event) => event['item'])
    const last = events.at(-1)?.['response'] as JsonObject
    expect(done).toEqual(last['output'])
    expect(last).toEqual(simulatedWire('openai-responses').answerJson(answers[index]!, contextOf('openai-responses')))
    expect(events.map((event) => event['sequence_number'])).toEqual(events.map((_, position) => position))
  },
)

test.each(every)('openai-chat: the deltas joined are the message (script %i)', (index) => {
  const json = simulatedWire('openai-chat').answerJson(answers[index]!, contextOf('openai-chat'))
  const [choice] = json['choices'] as { readonly message: JsonObject; readonly finish_reason: string }[]
  const chunks = eventsOf('openai-chat', index).flatMap((event) => event['choices'] as ChatChoice[])
  const calls: { id: string; name: string; text: string }[] = []
  for (const part of chunks.flatMap(({ delta }) => delta.tool_calls ?? [])) {
    if (part.id !== undefined) calls.push({ id: part.id, name: part.function.name ?? '', text: '' })
    calls[part.index]!.text += part.function.arguments
  }
  const whole = (choice!.message['tool_calls'] ?? []) as ChatCall[]
  expect(calls).toEqual(whole.map((call) => ({ id: call.id, name: call.function.name, text: call.function.arguments })))
  expect(chunks.map(({ delta }) => delta.content ?? '').join('')).toBe(choice!.message['content'] ?? '')
  expect(chunks.map(({ delta }) => delta.reasoning_content ?? '').join('')).toBe(
    choice!.message['reasoning_content'] ?? '',
  )
  expect(chunks.at(-1)!.finish_reason).toBe(choice!.finish_reason)
  expect(eventsOf('openai-chat', index).at(-1)?.['usage']).toEqual(json['usage'])
})

interface ChatCall {
  readonly id: string
  readonly function: { readonly name: string; readonly arguments: string }
}

interface ChatChoice {
  readonly delta: {
    readonly content?: string | null
    readonly reasoning_content?: string
    readonly tool_calls?: readonly {
      readonly index: number
      readonly id?: string
      readonly function: { readonly name?: string; readonly arguments: string }
    }[]
  }
  readonly finish_reason: string | null
}

test.each(every)('anthropic-messages: the deltas joined are the content (script %i)', (index) => {
  const json = simulatedWire('anthropic-messages').answerJson(answers[index]!, contextOf('anthropic-messages'))
  const joined: Record<string, string>[] = []
  for (const event of eventsOf('anthropic-messages', index)) {
    if (event['type'] === 'content_block_start') joined.push({})
    if (event['type'] !== 'content_block_delta') continue
    const { type, ...delta } = event['delta'] as Record<string, unknown>
    expect(type).toMatch(/_delta$/)
    const block = joined[Number(event['index'])]!
    for (const [key, piece] of Object.entries(delta)) {
      block[key] = (block[key] ?? '') + (typeof piece === 'string' ? piece : JSON.stringify(piece))
    }
  }
  const content = json['content'] as JsonObject[]
  const anyText: unknown = expect.any(String)
  const expected = content.map((block) => {
    const sources = (block['citations'] ?? []) as readonly unknown[]
    if (block['type'] === 'text' && sources.length > 0) {
      return { text: block['text'], citation: sources.map((source) => JSON.stringify(source)).join('') }
    }
    if (block['type'] === 'text') return { text: block['text'] }
    if (block['type'] === 'thinking') return { thinking: block['thinking'], signature: block['signature'] }
    const cut = json['stop_reason'] === 'max_tokens'
    const text = JSON.stringify(block['input'])
    return { partial_json: cut ? anyText : text === '{}' ? '' : text }
  })
  expect(joined).toEqual(expected)
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
