import { errorBody as googleErrorBody } from '../../simulate/google-status.ts'
import { vertexDoor } from '../../simulate/vertex-door.ts'
import type { SimulatedDialect } from '../../simulate/wire-simulation.ts'
import { checkEnvelope } from './envelope.ts'
import { errorBody, failure } from './failures.ts'

const door = vertexDoor({ publisher: 'anthropic', generate: 'rawPredict', stream: 'streamRawPredict' })

/** What the model refuses, and not the door. */
const saidByModel: ReadonlySet<string> = new Set(['bad-request', 'context-overflow', 'overloaded'])

/** https://docs.claude.com/en/api/claude-on-vertex-ai */
export const onVertex: SimulatedDialect = {
  ...door,
  name: 'vertex',
  check: checkEnvelope({ version: 'vertex-2023-10-16', saysStream: true }),
  failure: (kind, context) => (saidByModel.has(kind) ? failure : door.failure)(kind, context),
  // Google's kinds of error are in capitals.
  errorBody: (refusal, requestNumber) =>
    /^[A-Z]/.test(refusal.type) ? googleErrorBody(refusal) : errorBody(refusal, requestNumber),
}
