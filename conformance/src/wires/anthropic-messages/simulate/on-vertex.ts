import { errorBody as googleErrorBody } from '../../simulate/google-status.ts'
import { vertexEndpoint } from '../../simulate/vertex-endpoint.ts'
import type { SimulatedDialect } from '../../simulate/wire-simulation.ts'
import type { WireError } from '../../simulate/wire-error.ts'
import { anthropicErrors } from '../errors.ts'
import { checkEnvelope } from './envelope.ts'
import { errorBody, failure } from './failures.ts'

const endpoint = vertexEndpoint({ publisher: 'anthropic', generate: 'rawPredict', stream: 'streamRawPredict' })

/** What the model refuses, and not the endpoint. */
const saidByModel: ReadonlySet<string> = new Set(['bad-request', 'context-overflow', 'overloaded'])

/** https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/api-errors */
const endpointErrors: readonly WireError[] = (
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
  ...endpoint,
  name: 'vertex',
  errors: [...anthropicErrors, ...endpointErrors],
  check: checkEnvelope({ version: 'vertex-2023-10-16', saysStream: true }),
  failure: (kind, context) => (saidByModel.has(kind) ? failure : endpoint.failure)(kind, context),
  // Google's kinds of error are in capitals.
  errorBody: (refusal, requestNumber) =>
    /^[A-Z]/.test(refusal.type) ? googleErrorBody(refusal) : errorBody(refusal, requestNumber),
}
