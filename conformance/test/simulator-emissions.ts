import { textsOf } from '../src/wires/simulate/body-bytes.ts'
import type { AnswerContext, FailureKind, JsonObject, WireSimulation } from '@steploop/conformance/simulator'

import { freedomOf } from '../src/wires/index.ts'
import { typesOfPayloads } from '../src/wires/read/payload-types.ts'
import type { TypeMap } from '../src/type-map.ts'
import type { RecordedExchange } from './simulator-recorded.ts'
import { answers } from './simulator-scripts.ts'

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

/** Everything that a simulator can say to these requests: answers and failures, in both modes. */
export function emittedTypes(simulation: WireSimulation, requests: readonly JsonObject[]): TypeMap {
  const contexts = requests.map((request, index): AnswerContext => ({ turn: index + 1, request }))
  const said = contexts.flatMap((context) => answers.map((answer) => ({ answer, context })))
  const withheld = said.flatMap(({ answer, context }) => {
    const found = simulation.withhold?.(answer, context)
    return found === undefined ? [] : [{ ...found, context }]
  })
  const delivered = said.filter(({ answer, context }) => simulation.withhold?.(answer, context) === undefined)
  const faults = contexts.flatMap((context) =>
    failures.map((kind) => ({ rejection: simulation.failure(kind, context), context })),
  )
  const json = [
    ...delivered.map(({ answer, context }) => simulation.answerJson(answer, context)),
    ...faults.map(({ rejection, context }) => simulation.failureJson(rejection, context)),
  ]
  const before = { type: 'answer', parts: [{ type: 'text', text: 'Zürich' }] } as const
  const frames = [
    ...delivered.flatMap(({ answer, context }) => textsOf(simulation.answerStream(answer, context).frames)),
    ...[...faults.map((fault) => ({ before, ...fault })), ...withheld].flatMap((fault) =>
      textsOf(simulation.failureStream(fault.rejection, fault.before, fault.context)),
    ),
  ]
  const errors = [...faults, ...withheld].map(({ rejection }) => simulation.errorBody(rejection, 1))
  return typesOf({ json, frames, errors, wire: simulation.wire })
}

/** Everything that was recorded in answers, hand-edited ones aside. */
export function recordedTypes(recorded: readonly RecordedExchange[], wire: string): TypeMap {
  const responses = recorded.filter(({ handEdited }) => !handEdited).map(({ response }) => response)
  const bodies = responses.filter(({ body }) => body !== undefined)
  const json = bodies.filter(({ status }) => status < 300).map(({ body }) => body)
  const errors = bodies.filter(({ status }) => status >= 400).map(({ body }) => body)
  return typesOf({ json, frames: responses.map(({ sse }) => sse ?? ''), errors, wire })
}

interface Emissions {
  readonly json: readonly unknown[]
  readonly frames: readonly string[]
  readonly errors: readonly unknown[]
  readonly wire: string
}

function typesOf({ json, frames, errors, wire }: Emissions): TypeMap {
  return typesOfPayloads({ json, stream: frames.flatMap(eventsOf), errors }, freedomOf(wire))
}

/** Payloads of an event stream; what is no JSON object (`[DONE]`) is left out. */
function eventsOf(stream: string): readonly unknown[] {
  return stream.split(/\r?\n\r?\n/).flatMap((block) => {
    const data = block.split(/\r?\n/).flatMap((line) => (line.startsWith('data:') ? [line.slice(5).trimStart()] : []))
    const joined = data.join('\n')
    return joined.startsWith('{') ? [JSON.parse(joined) as unknown] : []
  })
}
