import { expect, test } from 'vitest'

import { simulatedWire, type AnswerContext, type FailureKind } from '@steploop/conformance/simulator'

import { freedomOf } from '../src/wires/index.ts'
import { mergeTypeMaps, typeMapOf, typesBeyond, type TypeMap } from '../src/type-map.ts'
import { matches, type EmissionException } from './simulator-emits-exceptions.ts'
import { hasRecordedTraffic, recordedExchanges, trafficNote, type RecordedExchange } from './simulator-recorded.ts'
import { answers } from './simulator-scripts.ts'

const simulation = simulatedWire('gemini-generate')

/** Requests to the endpoint that were answered, with the dialect of their host. */
const accepted = recordedExchanges(['gemini', 'mixed']).flatMap((exchange) => {
  const url = new URL(exchange.request?.url ?? 'http://none.example')
  const isTurn = /:(stream)?GenerateContent$/i.test(url.pathname) && exchange.response.status < 300
  if (exchange.handEdited || !isTurn) return []
  const found = simulation.dialects.find(({ hosts }) => hosts.some((host) => url.host.endsWith(host)))
  // A gateway on the recorder's own machine stands before the cloud's endpoint.
  const dialect = found ?? simulation.dialects.find(({ name }) => name === 'vertex')
  return dialect === undefined ? [] : [{ exchange, dialect }]
})

test(`every recorded request that got a 2xx is accepted${trafficNote}`, () => {
  const refused = accepted.flatMap(({ exchange, dialect }) => {
    const refusal = dialect.check(exchange.request?.body)
    return refusal === undefined ? [] : [`${exchange.address}: ${refusal.message}`]
  })
  process.stdout.write(`gemini-generate: ${accepted.length - refused.length} of ${accepted.length} accepted\n`)
  expect(refused).toEqual([])
  expect(accepted.length > 0).toBe(hasRecordedTraffic)
})

test(`a member that no recorded request has is refused in every one of them${trafficNote}`, () => {
  const tolerated = accepted.filter(({ exchange, dialect }) => {
    return dialect.check({ ...(exchange.request?.body as object), neverHeardOf: 1 }) === undefined
  })
  expect(tolerated.map(({ exchange }) => exchange.address)).toEqual([])
})

const details =
  'One error is recorded, without details; google.rpc.Status documents them, and the API sends them with 429.'
const exceptions: readonly EmissionException[] = [
  { path: 'error.error.details', reason: details },
  {
    path: 'stream.candidates[].content.parts[].functionCall.id',
    reason:
      'No call with an id is recorded in a stream; the same models number theirs in answers that are not streamed.',
  },
  {
    path: 'stream.candidates[].content.parts[].codeExecutionResult',
    reason: 'Code that ran is recorded in answers that are not streamed; one stream has the code without its result.',
  },
  {
    path: 'stream.candidates[].content.parts[].executableCode.id',
    reason: 'An id of code is recorded in answers that are not streamed only.',
  },
  { path: 'stream.usageMetadata.cache*', reason: 'Cached tokens are recorded in answers that are not streamed only.' },
  { path: 'json.error', reason: 'No error inside a 200 is recorded; it has the shape of the recorded 404.' },
  { path: 'stream.error', reason: 'No error inside a stream is recorded; it has the shape of the recorded 404.' },
]

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

const requests = [
  { model: 'gemini-3-flash-preview', contents: [] },
  { model: 'gemini-2.5-flash', contents: [], generationConfig: { thinkingConfig: { includeThoughts: true } } },
  { model: 'gemini-2.0-flash', contents: [] },
]

const kinds = freedomOf('gemini-generate')

test(`fields and types of what is emitted were all recorded${trafficNote}`, () => {
  const differences = hasRecordedTraffic ? typesBeyond(emittedTypes(), recordedTypes()) : []
  const unexpected = differences.filter(({ path }) => !exceptions.some((exception) => matches(exception, path)))
  expect(unexpected).toEqual([])
  const idle = exceptions.filter((exception) => !differences.some(({ path }) => matches(exception, path)))
  expect(hasRecordedTraffic ? idle : []).toEqual([])
})

/** Everything that the simulator can say: answers and failures, in both modes. */
function emittedTypes(): TypeMap {
  const contexts = requests.map((request, index): AnswerContext => ({ turn: index + 1, request }))
  const json = contexts.flatMap((context) => [
    ...answers.map((answer) => simulation.answerJson(answer, context)),
    ...failures.map((kind) => simulation.failureJson(simulation.failure(kind, context), context)),
  ])
  const before = { type: 'answer', parts: [{ type: 'text', text: 'Zürich' }] } as const
  const frames = contexts.flatMap((context) => [
    ...answers.flatMap((answer) => simulation.answerStream(answer, context).frames),
    ...failures.flatMap((kind) => simulation.failureStream(simulation.failure(kind, context), before, context)),
  ])
  const errors = contexts.flatMap((context) =>
    failures.map((kind) => simulation.errorBody(simulation.failure(kind, context), 1)),
  )
  return mergeTypeMaps(
    typeMapOf(json, { root: 'json', ...kinds }),
    typeMapOf(eventsOf(frames.join('')), { root: 'stream', ...kinds }),
    typeMapOf(errors, { root: 'error', ...kinds }),
  )
}

function recordedTypes(): TypeMap {
  const exchanges = recordedExchanges(['gemini', 'mixed']).filter(
    (exchange) => !exchange.handEdited && isOurs(exchange),
  )
  const bodies = exchanges.flatMap(({ response }) => (response.body === undefined ? [] : [response]))
  return mergeTypeMaps(
    typeMapOf(
      bodies.filter(({ status }) => status < 300).map(({ body }) => body),
      { root: 'json', ...kinds },
    ),
    typeMapOf(
      exchanges.flatMap(({ response }) => eventsOf(response.sse ?? '')),
      { root: 'stream', ...kinds },
    ),
    typeMapOf(
      bodies.filter(({ status }) => status >= 400).map(({ body }) => body),
      { root: 'error', ...kinds },
    ),
  )
}

function isOurs({ address, request }: RecordedExchange): boolean {
  return request === null ? address.startsWith('gemini/') : request.url.toLowerCase().includes('generatecontent')
}

function eventsOf(stream: string): readonly unknown[] {
  return stream.split(/\r?\n\r?\n/).flatMap((block) => {
    const data = block.replace(/^data: ?/, '')
    return data.startsWith('{') ? [JSON.parse(data) as unknown] : []
  })
}
