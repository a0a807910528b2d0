import { describe, expect, test } from 'vitest'
import type { JsonObject, Turn } from '@steploop/core/adapter'
import type { ChatDialect } from './dialect.ts'
import { addDetail } from './reasoning-details.ts'
import { assistant, question, readStream, readWhole, send, sendBack, origin } from './testing.ts'

function partsOf({ message }: Turn): unknown[] {
  return message.content.map((part) => [part.type, part.type === 'text' || part.type === 'reasoning' ? part.text : ''])
}

test('reasoning in thinking chunks is one text in whatever pieces it comes; what is no item is skipped', () => {
  const thinking = [{ type: 'text', text: 'As ' }, null, { type: 'text', text: 'in' }]
  const { turn } = readWhole({ content: [{ type: 'thinking', thinking }] })
  expect(partsOf(turn)).toEqual([['reasoning', 'As in']])
  expect(sendBack(turn.message)).toEqual({
    role: 'assistant',
    content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'As in' }] }],
  })
})

test('reasoning in thinking chunks goes back as an application changed it', () => {
  const { turn } = readWhole({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Two and two.' }] }] })
  const changed = turn.message.content.map((part) => (part.type === 'reasoning' ? { ...part, text: 'Two.' } : part))
  const thinking = [{ type: 'text', text: 'Two.' }]
  expect(sendBack(assistant(changed))).toMatchObject({ content: [{ type: 'thinking', thinking }] })
})

test('reasoning stands as an empty text beside calls that have none, where the dialect wants the field', () => {
  const call = {
    type: 'tool-call',
    toolCallId: 'c1',
    toolName: 'f',
    input: {},
    inputText: '{}',
    owner: 'loop',
  } as const
  const dialect: ChatDialect = { reasoningWithCalls: 'reasoning_content' }
  expect(sendBack(assistant([call]), dialect)).toMatchObject({ reasoning_content: '' })
  expect(sendBack(assistant([{ type: 'text', text: 'Hi' }]), dialect)).toEqual({ role: 'assistant', content: 'Hi' })
  const providerMetadata = { ...origin, data: { field: 'reasoning_content' } }
  const thought = { type: 'reasoning', text: 'Hm.', providerMetadata } as const
  expect(sendBack(assistant([thought, call]), dialect)).toMatchObject({ reasoning_content: 'Hm.' })
})

test('reasoning: an assistant message of reasoning alone is left out', () => {
  const { turn } = readWhole({ content: '', reasoning: 'Hm.' }, { finish: 'length' })
  expect(send({ messages: [question, turn.message, question] }).messages).toHaveLength(2)
})

function merged(fragments: readonly JsonObject[]): readonly JsonObject[] {
  const details: Record<string, unknown>[] = []
  for (const fragment of fragments) addDetail(details, fragment)
  return details
}

describe('reasoning_details', () => {
  const signature = 'c2lnbmF0dXJl'
  const text = { type: 'reasoning.text', text: 'Two and two.', signature, format: 'anthropic-claude-v1', index: 0 }
  const encrypted = { type: 'reasoning.encrypted', data: 'ZW5jcnlwdGVk', id: 'rs_1', format: 'openai', index: 1 }

  test('reasoning_details that a stream sends in fragments are put together, also when the signature comes after the text', () => {
    const piece = (fields: object) => ({ type: 'reasoning.text', index: 0, format: 'anthropic-claude-v1', ...fields })
    const begin = [
      { content: '', reasoning: null, reasoning_details: [piece({ text: '', signature: '' })] },
      { reasoning: 'Two ', reasoning_details: [piece({ text: 'Two ' })] },
      { reasoning: 'and two.', reasoning_details: [piece({ text: 'and two.' })] },
    ]
    const signed = { reasoning: null, reasoning_details: [piece({ text: '', signature })] }
    const answer = { content: 'Four.' }
    for (const pieces of [
      [...begin, signed, answer],
      [...begin, answer, signed],
    ]) {
      const { turn } = readStream([...pieces, { reasoning_details: [encrypted] }, '[DONE]'])
      expect(turn.message.content.map((part) => (part.type === 'reasoning' ? part.text : '')).join('')).toBe(
        'Two and two.',
      )
      expect(sendBack(turn.message)?.['reasoning_details']).toEqual([text, encrypted])
    }
  })

  test('reasoning_details of a history that holds anything but objects go back without it', () => {
    const providerMetadata = { ...origin, data: { field: 'reasoning_details', details: ['odd', null, text] } }
    const parts = [
      { type: 'reasoning', text: 'Two.', providerMetadata },
      { type: 'text', text: 'Four.' },
    ] as const
    expect(sendBack(assistant(parts))?.['reasoning_details']).toEqual([text])
  })

  const part = { type: 'reasoning.text', index: 0 }
  const long = 'A thought that is long enough to be told from a repetition.'
  test.each<[string, readonly JsonObject[], readonly JsonObject[]]>([
    [
      'of one index',
      [
        { ...part, id: '', text: 'A' },
        { ...part, id: 'r', text: 'B' },
      ],
      [{ ...part, id: 'r', text: 'AB' }],
    ],
    [
      'with one signature',
      [
        { ...part, text: long, signature },
        { ...part, text: long, signature },
      ],
      [{ ...part, text: long, signature }],
    ],
    [
      'of one data, told of later',
      [encrypted, encrypted, { ...encrypted, data: '', format: 'f' }],
      [{ ...encrypted, format: 'f' }],
    ],
  ])('%s are one entry', (_, fragments, expected) => {
    expect(merged(fragments)).toEqual(expected)
  })

  test.each<[string, readonly JsonObject[]]>([
    ['another signature', [text, { ...text, text: 'Once more.', signature: 'b3RoZXI=' }]],
    ['more text behind the signature', [text, { ...part, text: 'Once more.' }]],
    [
      'a summary behind the signature',
      [
        { ...text, type: 'reasoning.summary' },
        { ...part, type: 'reasoning.summary', summary: 'So.' },
      ],
    ],
    ['other data', [encrypted, { ...encrypted, data: 'b3RoZXI=' }]],
    [
      'another id',
      [
        { ...part, id: 'a', text: 'A' },
        { ...part, id: 'b', text: 'B' },
      ],
    ],
  ])('reasoning_details with %s are two entries, although of one index', (_, entries) => {
    expect(merged(entries)).toEqual(entries)
  })

  test.each([
    ['ha', 'haha', 'hahaha'],
    ['a'.repeat(32), 'b', `${'a'.repeat(32)}b`],
    ['a'.repeat(31), 'a'.repeat(32), 'a'.repeat(63)],
    ['a'.repeat(32), 'a'.repeat(33), 'a'.repeat(33)],
  ])('reasoning_details of %j and then %j are %j: short repetitions are pieces', (first, second, whole) => {
    const entry = (said: string) => ({ reasoning_details: [{ type: 'reasoning.text', index: 0, text: said }] })
    const { turn } = readStream([entry(first), entry(second), { content: 'Four.' }, '[DONE]'])
    expect(sendBack(turn.message)?.['reasoning_details']).toMatchObject([{ text: whole }])
  })

  test('reasoning_details of Anthropic without a signature are left out, and that is reported', () => {
    const { signature: _, ...unsigned } = text
    const { turn } = readWhole({ content: 'Four.', reasoning_details: [unsigned] })
    const { messages, warnings } = send({ messages: [turn.message] })
    expect(messages).toEqual([{ role: 'assistant', content: 'Four.' }])
    expect(warnings).toMatchObject([{ type: 'dropped' }])
  })

  test('reasoning_details go back even when nothing else was said', () => {
    const { turn } = readWhole({ content: '', reasoning_details: [encrypted] })
    expect(sendBack(turn.message)).toEqual({ role: 'assistant', content: '', reasoning_details: [encrypted] })
    expect(turn.message.content).toMatchObject([
      { type: 'reasoning', text: '', providerMetadata: { provider: origin.provider } },
    ])
  })

  test('reasoning_details need no signature where they are no text of Anthropic', () => {
    const redacted = { type: 'reasoning.encrypted', data: 'ZW5j', format: 'anthropic-claude-v1', index: 0 }
    const { signature: _, ...unsigned } = { ...text, format: 'google-gemini-v1', index: 1 }
    const reasoning_details = [redacted, unsigned]
    const { messages, warnings } = send({ messages: [readWhole({ content: 'Four.', reasoning_details }).turn.message] })
    expect(messages).toMatchObject([{ reasoning_details }])
    expect(warnings).toEqual([])
  })
})
