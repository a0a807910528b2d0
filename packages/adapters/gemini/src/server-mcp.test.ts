import { expect, test } from 'vitest'
import { answer, readStream, readWhole, requestOf, sentBack, weather } from './testing.ts'

const response = { functionResponse: { name: 'srv_forecast', response: { result: 'Dry.' } } }
const text = { text: 'It stays dry.' }
const open = {}

test('the result of a server’s MCP tool answers the call by id, and calls beside it stay with the caller', () => {
  const parts = [
    { functionCall: { id: 'a', name: 'srv', args: { n: 1 } } },
    { functionCall: { id: 'b', name: 'srv', args: { n: 2 } } },
    { functionCall: { name: 'weather', args: { city: 'Graz' } } },
    { functionResponse: { id: 'b', name: 'srv', response: { result: 2 } } },
  ]
  for (const { turn } of [
    readWhole(answer(parts), requestOf({ tools: [weather] })),
    readStream(parts.map((part) => answer([part], open)).concat(answer([])), requestOf({ tools: [weather] })),
  ]) {
    expect(turn.message.content).toMatchObject([
      { toolCallId: 'a', owner: 'client' },
      { toolCallId: 'b', owner: 'provider' },
      { toolName: 'weather', owner: 'client' },
      { type: 'tool-result', toolCallId: 'b' },
    ])
    expect(turn.finishReason).toBe('tool-calls')
  }
})

test('a response without a call keeps its slot', () => {
  const { turn } = readWhole(answer([response, text]))
  expect(turn.message.content).toMatchObject([{ type: 'opaque' }, { type: 'text' }])
  expect(sentBack(turn)).toMatchObject([{ parts: [response, text] }])
})

test('a call of a tool of the request does not wait for what may follow', () => {
  const { events } = readStream(
    [answer([{ functionCall: { name: 'weather', args: {} } }], open), answer([text])],
    requestOf({ tools: [weather] }),
  )
  const types = events.map(({ type }) => type)
  expect(types.indexOf('tool-call')).toBeLessThan(types.indexOf('text-start'))
})
