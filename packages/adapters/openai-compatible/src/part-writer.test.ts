import { expect, test } from 'vitest'
import { origin, readStream, sendBack } from './testing.ts'

const own = (data: object) => ({ ...origin, data })

test('a text and a thought end each other, and each piece goes on in the part that is open', () => {
  const { events } = readStream([
    { reasoning: 'Hm' },
    { content: 'Wa' },
    { content: 'it' },
    { reasoning: 'So' },
    { refusal: 'N' },
    { refusal: 'o.' },
    { content: 'But' },
    '[DONE]',
  ])
  expect(events.flatMap((event) => ('part' in event ? [`${event.type} ${event.part}`] : []))).toEqual([
    'reasoning-start 0',
    'reasoning-delta 0',
    'reasoning-end 0',
    'text-start 1',
    'text-delta 1',
    'text-delta 1',
    'text-end 1',
    'reasoning-start 2',
    'reasoning-delta 2',
    'reasoning-end 2',
    'refusal-delta 3',
    'refusal-delta 3',
    'text-start 4',
    'text-delta 4',
    'text-end 4',
  ])
})

/** Mistral: https://docs.mistral.ai/capabilities/reasoning, docs/wire.md#chat-content. */
test('the items of a thought in a content array are kept as they came, texts that follow each other as one', () => {
  const thinking = (...items: readonly object[]) => ({
    content: [{ type: 'thinking', thinking: items, closed: true, later: 1 }],
  })
  const text = (said: string) => ({ type: 'text', text: said })
  const reference = { type: 'tool_reference', tool: 'search' }
  const { turn } = readStream([
    thinking(text('a')),
    thinking(text('b'), reference),
    thinking(text('c')),
    thinking(text('d')),
    { content: 'So.' },
    '[DONE]',
  ])
  const items = [text('ab'), reference, text('cd')]
  expect(turn.message.content).toEqual([
    {
      type: 'reasoning',
      text: 'abcd',
      providerMetadata: own({ field: 'content', thinking: items, chunk: { closed: true, later: 1 } }),
    },
    { type: 'text', text: 'So.' },
  ])
  expect(sendBack(turn.message)?.['content']).toEqual([
    { type: 'thinking', closed: true, later: 1, thinking: items },
    { type: 'text', text: 'So.' },
  ])
})
