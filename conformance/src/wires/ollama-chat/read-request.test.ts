import { expect, test } from 'vitest'
import { readRequest } from './read-request.ts'

const weather = { function: { name: 'get_weather', arguments: { city: 'Zürich' } } }
const time = { function: { name: 'get_time', arguments: {} } }

function itemsOf(...messages: readonly object[]) {
  return readRequest({ model: 'm', messages }).items
}

test('a result answers the call at its position', () => {
  const items = itemsOf(
    { role: 'assistant', content: '', tool_calls: [weather, time] },
    { role: 'tool', tool_name: 'get_weather', content: 'sunny' },
    { role: 'tool', tool_name: 'get_time', content: '12:34' },
  )
  const [, , first, second] = items
  expect([first, second]).toMatchObject([{ id: 'messages[0].tool_calls[0]' }, { id: 'messages[0].tool_calls[1]' }])
})

const withId = { id: 'call_1', ...weather }

test.each<readonly [string, object, object]>([
  ['in another order', { tool_calls: [time, weather] }, { tool_name: 'get_weather' }],
  ['to no call', {}, { tool_name: 'get_weather' }],
  ['without the id that the server gave', { tool_calls: [withId] }, { tool_name: 'get_weather' }],
  ['with an id that nobody gave', { tool_calls: [weather] }, { tool_name: 'get_weather', tool_call_id: 'call_1' }],
])('a result %s answers none', (_, call, result) => {
  const items = itemsOf({ role: 'assistant', content: '', ...call }, { role: 'tool', content: 'x', ...result })
  expect(items.at(-1)).toMatchObject({ type: 'result', id: 'messages[1], which answers no call' })
})

test('a result with the id that the server gave answers its call', () => {
  const call = { role: 'assistant', content: '', tool_calls: [withId] }
  const result = { role: 'tool', tool_name: 'get_weather', tool_call_id: 'call_1', content: 'x' }
  expect(itemsOf(call, result).at(-1)).toMatchObject({ id: 'messages[0].tool_calls[0]' })
})

test('unknown roles keep their position', () => {
  expect(itemsOf({ role: 'developer', content: 'x' })).toEqual([
    { type: 'other', kind: 'developer', path: 'messages[0]' },
  ])
})
