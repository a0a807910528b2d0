import { expect, test } from 'vitest'

import { simulatedWire } from '@steploop/conformance/simulator'

import { typesBeyond } from '../src/type-map.ts'
import { emittedTypes, recordedTypes } from './simulator-emissions.ts'
import { emissionExceptions, matches } from './simulator-emits-exceptions.ts'
import { hasRecordedTraffic, recordedExchanges, trafficNote, type RecordedExchange } from './simulator-recorded.ts'

const wires = {
  'openai-responses': {
    folders: ['openai-responses', 'mixed'],
    path: '/responses',
    requests: [
      { model: 'gpt-sim', input: 'x' },
      {
        model: 'gpt-sim',
        input: [{ role: 'user', content: 'x' }],
        instructions: 'Be brief.',
        store: false,
        include: ['reasoning.encrypted_content'],
        reasoning: { effort: 'low', summary: 'auto' },
        previous_response_id: 'resp_sim0',
        tools: [{ type: 'function', name: 'get_weather', parameters: { type: 'object' } }],
        tool_choice: { type: 'function', name: 'get_weather' },
        text: { format: { type: 'json_schema', name: 'x', schema: {}, strict: true }, verbosity: 'low' },
        metadata: { key: 'value' },
        parallel_tool_calls: false,
        stream_options: { include_obfuscation: false },
      },
    ],
  },
  'openai-chat': {
    folders: ['openai-chat', 'other-chat-compatible', 'mixed'],
    path: '/chat/completions',
    requests: [
      { model: 'chat-sim', messages: [] },
      { model: 'chat-sim', messages: [], stream_options: { include_usage: true, include_obfuscation: false } },
    ],
  },
  'anthropic-messages': {
    folders: ['anthropic', 'mixed'],
    path: '/messages',
    requests: [
      { model: 'claude-sim', messages: [], max_tokens: 100 },
      { model: 'claude-sim', messages: [], max_tokens: 4096, thinking: { type: 'enabled', budget_tokens: 1024 } },
    ],
  },
} as const

type Wire = keyof typeof wires
const names = Object.keys(wires) as Wire[]

test.each(names)(`%s: events, fields and types of what is emitted were all recorded${trafficNote}`, (wire) => {
  const { folders, path: endpoint, requests } = wires[wire]
  const emitted = emittedTypes(simulatedWire(wire), requests)
  const recorded = recordedTypes(
    recordedExchanges(folders).filter((exchange) => isOfWire(exchange, endpoint)),
    wire,
  )
  const differences = hasRecordedTraffic ? typesBeyond(emitted, recorded) : []
  const exceptions = emissionExceptions[wire] ?? []
  process.stdout.write(
    hasRecordedTraffic
      ? `${wire}: ${emitted.size} emitted paths, ${recorded.size} recorded paths, ${exceptions.length} exceptions\n`
      : `${wire}: no recorded traffic here\n`,
  )
  const unexpected = differences.filter(({ path }) => !exceptions.some((exception) => matches(exception, path)))
  expect(unexpected).toEqual([])
  const idle = exceptions.filter((exception) => !differences.some(({ path }) => matches(exception, path)))
  expect(hasRecordedTraffic ? idle : []).toEqual([])
})

test('an exception covers what it names and nothing else', () => {
  const exception = { path: 'stream<a.*>.part<x>', reason: '' }
  expect(matches(exception, 'stream<a.b>.part<x>')).toBe(true)
  expect(matches(exception, 'stream<a.b>.part<x>.text')).toBe(false)
  expect(matches(exception, 'streams<a.b>.part<x>')).toBe(false)
})

/** Exchanges without a request stand in the folder of their wire format; in `mixed` the URL tells. */
function isOfWire({ address, request }: RecordedExchange, path: string): boolean {
  if (request === null) return !address.startsWith('mixed/')
  return new URL(request.url).pathname.endsWith(path) || !address.startsWith('mixed/')
}
