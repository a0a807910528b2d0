import { expect, test } from 'vitest'
import { readStream, readWhole, requestOf, origin } from './testing.ts'

/** Groq's compound systems: `executed_tools` of a message. */
test('tools that the provider ran are told of one after the other, each with its own entry', () => {
  const entries = [
    'odd',
    { index: 4, name: 'browser.open', type: 'function', arguments: '{"url":"a"}', output: 'A' },
    { type: 'python', arguments: '{}', output: 'B' },
  ]
  const { turn } = readWhole({ content: 'Done.', executed_tools: entries }, { request: requestOf({ turn: 3 }) })
  const providerMetadata = (executed: unknown) => ({ ...origin, data: { executed } })
  expect(turn.message.content).toMatchObject([
    {
      toolCallId: 'call_3_4',
      toolName: 'browser.open',
      input: { url: 'a' },
      providerMetadata: providerMetadata(entries[1]),
    },
    { toolCallId: 'call_3_4', output: { value: 'A' }, providerMetadata: providerMetadata(entries[1]) },
    { toolCallId: 'call_3_2', toolName: 'python', providerMetadata: providerMetadata(entries[2]) },
    { toolCallId: 'call_3_2', output: { value: 'B' } },
    { type: 'text' },
  ])
})

test('tools that the provider ran end the text and the thought before them', () => {
  const { events } = readStream([
    { content: 'Wait' },
    { executed_tools: [{ type: 'search' }] },
    { content: 'Done.' },
    '[DONE]',
  ])
  expect(events.map(({ type }) => type)).toEqual([
    'turn-start',
    'text-start',
    'text-delta',
    'text-end',
    'tool-call-start',
    'tool-call',
    'text-start',
    'text-delta',
    'text-end',
    'turn-end',
  ])
})

test('tools that the provider ran are told of once, though every chunk repeats them', () => {
  const call = { index: 0, name: 'search', type: 'function', arguments: '{}' }
  const told = [call, { ...call, output: 'A' }, { ...call, output: 'A' }].map((entry) => ({ executed_tools: [entry] }))
  const { turn } = readStream([...told, { content: 'Done.' }, '[DONE]'])
  expect(turn.message.content.map(({ type }) => type)).toEqual(['tool-call', 'tool-result', 'text'])
})
