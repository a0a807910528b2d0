import { expect, test } from 'vitest'

import {
  simulatedWire,
  type AnswerContext,
  type FailureKind,
  type WireSimulation,
} from '@steploop/conformance/simulator'

import { mergeTypeMaps, typeMapOf, typesBeyond, type TypeMap } from '../src/type-map.ts'
import { emissionExceptions, matches } from './simulator-emits-exceptions.ts'
import { hasRecordedTraffic, recordedExchanges, trafficNote, type RecordedExchange } from './simulator-recorded.ts'
import { answers } from './simulator-scripts.ts'

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

const failures: readonly FailureKind[] = [
  'bad-key',
  'forbidden',
  'unknown-model',
  'bad-request',
  'context-overflow',
  'rate-limited',
  'insufficient-credit',
  'overloaded',
  'server-error',
]

/** What belongs to the application, not to the format: echoed tools and schemas, inputs of tools. */
const free = ['.tools', '.metadata', '.input', '.text.format', '.tool_choice']
const kinds = { open: free, plain: ['.error'] }

test.each(names)(`%s: events, fields and types of what is emitted were all recorded${trafficNote}`, (wire) => {
  const emitted = emittedTypes(wire)
  const recorded = recordedTypes(wire)
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

/** Everything that a simulator can say: answers and failures, in both modes. */
function emittedTypes(wire: Wire): TypeMap {
  const simulation = simulatedWire(wire)
  const contexts = wires[wire].requests.map((request, index): AnswerContext => ({ turn: index + 1, request }))
  const json = contexts.flatMap((context) => [
    ...answers.map((answer) => simulation.answerJson(answer, context)),
    ...failures.map((kind) => simulation.failureJson(simulation.failure(kind, context), context)),
  ])
  const streams = contexts.flatMap((context) => [
    ...answers.flatMap((answer) => simulation.answerStream(answer, context).frames),
    ...failures.flatMap((kind) => failureFrames(simulation, kind, context)),
  ])
  const errors = contexts.flatMap((context) =>
    failures.map((kind) => simulation.errorBody(simulation.failure(kind, context), 1)),
  )
  return mergeTypeMaps(
    typeMapOf(json, { root: 'json', ...kinds }),
    typeMapOf(eventsOf(streams.join('')), { root: 'stream', ...kinds }),
    typeMapOf(errors, { root: 'error', ...kinds }),
  )
}

function failureFrames(simulation: WireSimulation, kind: FailureKind, context: AnswerContext): readonly string[] {
  const before = { type: 'answer', parts: [{ type: 'text', text: 'Zürich' }] } as const
  return simulation.failureStream(simulation.failure(kind, context), before, context)
}

function recordedTypes(wire: Wire): TypeMap {
  const { folders, path } = wires[wire]
  const exchanges = recordedExchanges(folders).filter((exchange) => !exchange.handEdited && isOfWire(exchange, path))
  const bodies = exchanges.flatMap(({ response }) => (response.body === undefined ? [] : [response]))
  const json = bodies.filter(({ status }) => status < 300).map(({ body }) => body)
  const errors = bodies.filter(({ status }) => status >= 400).map(({ body }) => body)
  const events = exchanges.flatMap(({ response }) => eventsOf(response.sse ?? ''))
  return mergeTypeMaps(
    typeMapOf(json, { root: 'json', ...kinds }),
    typeMapOf(events, { root: 'stream', ...kinds }),
    typeMapOf(errors, { root: 'error', ...kinds }),
  )
}

/** Exchanges without a request stand in the folder of their wire format; in `mixed` the URL tells. */
function isOfWire({ address, request }: RecordedExchange, path: string): boolean {
  if (request === null) return !address.startsWith('mixed/')
  return new URL(request.url).pathname.endsWith(path) || !address.startsWith('mixed/')
}

/** Payloads of an event stream; what is no JSON object (`[DONE]`) is left out. */
function eventsOf(stream: string): readonly unknown[] {
  return stream.split(/\r?\n\r?\n/).flatMap((block) => {
    const data = block.split(/\r?\n/).flatMap((line) => (line.startsWith('data:') ? [line.slice(5).trimStart()] : []))
    const joined = data.join('\n')
    return joined.startsWith('{') ? [JSON.parse(joined) as unknown] : []
  })
}
