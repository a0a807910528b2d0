import type { SimulatedDialect } from '../../../simulate/wire-simulation.ts'
import { openrouterErrors } from '../errors.ts'
import { bearerKey } from '../../simulate/bearer.ts'
import { shapedAnswers } from '../../simulate/answer-shape.ts'
import { openrouterShape } from './answer.ts'
import { checkOpenRouter } from './check.ts'
import { failure, noCredentials } from './failures.ts'

/** OpenRouter's POST /api/v1/chat/completions. */
export const openrouter: SimulatedDialect = {
  name: 'openrouter',
  hosts: ['openrouter.ai'],
  check: checkOpenRouter,
  noWords: { 'file-from-model': undefined },
  ...shapedAnswers(openrouterShape),
  failure,
  errors: openrouterErrors,
  errorTypes: { notFound: 'not_found', server: 'server_error' },
  authorise: bearerKey(noCredentials),
  headers: () => ({}),
}
