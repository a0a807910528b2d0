import { errorBody as googleErrorBody } from '../../simulate/google-status.ts'
import { vertexDoor } from '../../simulate/vertex-door.ts'
import type { SimulatedDialect } from '../../simulate/wire-simulation.ts'
import type { WireError } from '../../simulate/wire-error.ts'
import { anthropicErrors } from '../errors.ts'
import { checkEnvelope } from './envelope.ts'
import { errorBody, failure } from './failures.ts'

const door = vertexDoor({ publisher: 'anthropic', generate: 'rawPredict', stream: 'streamRawPredict' })

/** What the model refuses, and not the door. */
const saidByModel: ReadonlySet<string> = new Set(['bad-request', 'context-overflow', 'overloaded'])

/** https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/api-errors */
const doorErrors: readonly WireError[] = (
  [
    [401, 'UNAUTHENTICATED', 'authentication'],
    [403, 'PERMISSION_DENIED', 'permission'],
    [404, 'NOT_FOUND', 'not-found'],
    [429, 'RESOURCE_EXHAUSTED', 'rate-limit'],
    [500, 'INTERNAL', 'server-error'],
    [503, 'UNAVAILABLE', 'overloaded'],
  ] as const
).map(([status, word, code]) => {
  const body = { error: { code: status, message: 'Sorry about that.', status: word } }
  return { id: `vertex-${word.toLowerCase()}`, why: 'the errors of Vertex AI', status, code, body }
})

/** https://docs.claude.com/en/api/claude-on-vertex-ai */
export const onVertex: SimulatedDialect = {
  ...door,
  name: 'vertex',
  errors: [...anthropicErrors, ...doorErrors],
  check: checkEnvelope({ version: 'vertex-2023-10-16', saysStream: true }),
  failure: (kind, context) => (saidByModel.has(kind) ? failure : door.failure)(kind, context),
  // Google's kinds of error are in capitals.
  errorBody: (refusal, requestNumber) =>
    /^[A-Z]/.test(refusal.type) ? googleErrorBody(refusal) : errorBody(refusal, requestNumber),
}
