import type { SimulatedDialect } from '../../../simulate/wire-simulation.ts'
import { statusAlone } from '../../../no-words.ts'
import { xaiAuthorise, xaiErrorBody, xaiFailure, xaiHeaders } from '../../../openai-common/xai-errors.ts'
import { xaiAnswers } from './answer.ts'
import { checkXai } from './check.ts'

/** xAI's POST /v1/responses. */
export const xai: SimulatedDialect = {
  name: 'xai',
  hosts: ['api.x.ai'],
  check: checkXai,
  noWords: {
    'error-in-200/generate': statusAlone,
  },
  ...xaiAnswers,
  failure: xaiFailure,
  errorTypes: { notFound: 'Some requested entity was not found', server: 'Internal error' },
  errorBody: xaiErrorBody,
  authorise: xaiAuthorise,
  headers: xaiHeaders,
}
