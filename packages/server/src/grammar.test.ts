import { AdapterError } from '@steploop/core'
import { expect, test } from 'vitest'
import { webSearch } from './executors/web-search.ts'
import { callWeather, eventsOf, testServer, weather } from './testing.ts'

type Events = Awaited<ReturnType<typeof eventsOf>>

/** What each type of item is told with between its `added` and its `done`. */
const bodies: Readonly<Record<string, RegExp>> = {
  message:
    /^(content_part\.added ((output_text\.delta |output_text\.annotation\.added )*output_text\.done |(refusal\.delta )*refusal\.done )content_part\.done )*$/,
  reasoning:
    /^(reasoning_summary_part\.added (reasoning_summary_text\.delta )+reasoning_summary_text\.done reasoning_summary_part\.done )?$/,
  function_call: /^(function_call_arguments\.delta )*function_call_arguments\.done $/,
  custom_tool_call: /^(custom_tool_call_input\.delta )*custom_tool_call_input\.done $/,
  web_search_call: /^web_search_call\.in_progress web_search_call\.searching (web_search_call\.completed )?$/,
}

/** What is wrong with a stream, by the grammar of the API. */
function faultsOf(events: Events): readonly string[] {
  const types = events.map(({ type }) => type.replace('response.', ''))
  const shape = types
    .map((type) => (/^(created|in_progress|completed|incomplete|failed)$/.test(type) ? type : '.'))
    .join(' ')
  const faults = /^created in_progress (\. )*(completed|incomplete|failed)$/.test(shape)
    ? []
    : [`the stream is ${shape}`]
  const numbers = events.map((event) => event.sequence_number)
  if (numbers.some((number, index) => number !== index)) faults.push(`the numbers are ${numbers.join()}`)
  const items = Map.groupBy(events, (event) => ('output_index' in event ? event.output_index : -1))
  items.delete(-1)
  if ([...items.keys()].toSorted((one, other) => one - other).some((key, index) => key !== index))
    faults.push(`the items are ${[...items.keys()].join()}`)
  for (const [index, list] of items) {
    const [first, ...rest] = list
    const last = rest.pop()
    if (first?.type !== 'response.output_item.added' || last?.type !== 'response.output_item.done') {
      faults.push(`item ${index} goes from ${first?.type} to ${last?.type}`)
      continue
    }
    const sequence = rest.map(({ type }) => `${type.replace('response.', '')} `).join('')
    if (bodies[first.item.type]?.test(sequence) !== true)
      faults.push(`item ${index}, a ${first.item.type}: ${sequence}`)
    const ids = new Set(
      list.map((event) => ('item_id' in event ? event.item_id : 'item' in event ? event.item.id : '')),
    )
    if (ids.size !== 1) faults.push(`item ${index} has the ids ${[...ids].join()}`)
  }
  return faults
}

const search = webSearch({ search: async () => [{ url: 'https://example.com', text: 'Rome is warm' }] })
const think = { type: 'reasoning', text: 'Let me see.' } as const
const say = { type: 'text', text: 'I look.' } as const
const find = { type: 'call', toolName: 'web_search', input: { query: 'rome' } } as const
const write = { type: 'call', toolName: 'note', input: { input: 'warm' } } as const
const broken = new AdapterError({ provider: 'p', model: 'm', code: 'overloaded', message: 'no' })
const tools = [weather, { type: 'custom', name: 'note' } as const, { type: 'web_search' } as const]

test.each([
  ['texts and thoughts', [[think, say]], 'completed'],
  ['a refusal', [[{ type: 'refusal', text: 'No.' } as const]], 'completed'],
  ['calls of all kinds beside each other', [[think, say, callWeather('Rome', 'c1'), find, write]], 'completed'],
  [
    'two steps',
    [
      [think, find],
      [think, say],
    ],
    'completed',
  ],
  ['a cut', [{ parts: [think, say], finishReason: 'length' } as const], 'incomplete'],
  ['nothing', [[]], 'completed'],
  ['a break', [{ parts: [think, say, callWeather('Rome', 'c1')], error: broken }], 'failed'],
] as const)('a stream of %s is a sentence of the grammar, sealed or not', async (_what, script, status) => {
  for (const include of [[], ['reasoning.encrypted_content'] as const]) {
    const { client } = await testServer(script, { executors: [search], loop: { maxRetries: 0 } })
    const stream = await client.responses.create({ model: 'm', input: 'x', tools, include: [...include], stream: true })
    const events = await eventsOf(stream)
    expect(faultsOf(events)).toEqual([])
    const end = events.at(-1)
    expect(end?.type).toBe(`response.${status}`)
    const done = events.flatMap((event) => (event.type === 'response.output_item.done' ? [event] : []))
    const shown = done.toSorted((one, other) => one.output_index - other.output_index).map(({ item }) => item)
    expect(end).toMatchObject({ response: { output: shown } })
  }
})

test('the checker sees what is wrong', async () => {
  const { client } = await testServer([[think, say]])
  const events = await eventsOf(await client.responses.create({ model: 'm', input: 'x', stream: true }))
  for (const [index, { type }] of events.entries()) {
    // One delta of two may be missing.
    if (type.endsWith('.delta')) continue
    const rest = events.toSpliced(index, 1).map((event, sequence_number) => ({ ...event, sequence_number }))
    expect([type, faultsOf(rest)]).not.toEqual([type, []])
  }
  expect(faultsOf(events.map((event) => ({ ...event, sequence_number: 0 })))).not.toEqual([])
})
