import type { SimulatedDialect } from '../../../simulate/wire-simulation.ts'
import { refusalIsText, statusAlone } from '../../../no-words.ts'
import { xaiAuthorise, xaiFailure, xaiHeaders } from '../../../openai-common/xai-errors.ts'
import { shapedAnswers } from '../../simulate/answer-shape.ts'
import { xaiShape } from './answer.ts'
import { checkXai } from './check.ts'

/** xAI's POST /v1/chat/completions. */
export const xai: SimulatedDialect = {
  name: 'xai',
  hosts: ['api.x.ai'],
  check: checkXai,
  noWords: {
    'error-in-200': statusAlone,
    refusal: refusalIsText,
  },
  ...shapedAnswers(xaiShape),
  failure: xaiFailure,
  errorTypes: { notFound: 'Some requested entity was not found', server: 'Internal error' },
  authorise: xaiAuthorise,
  headers: xaiHeaders,
}
