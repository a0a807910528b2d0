import type { SimulatedDialect, Withheld } from '../../../simulate/wire-simulation.ts'
import { noNameForFilters, refusalIsText, statusAlone } from '../../../no-words.ts'
import { groqErrors } from '../errors.ts'
import { bearerKey } from '../../simulate/bearer.ts'
import { shapedAnswers } from '../../simulate/answer-shape.ts'
import { groqShape } from './answer.ts'
import { checkGroq } from './check.ts'
import { failure, invalidKey } from './failures.ts'
import { isObject } from '@steploop/core/adapter'
import type { ScriptedAnswer } from '../../../../script.ts'
import { argumentsText, callsOf } from '../../../simulate/scripted-answer.ts'

/** Groq's POST /openai/v1/chat/completions. */
export const groq: SimulatedDialect = {
  name: 'groq',
  hosts: ['api.groq.com'],
  check: checkGroq,
  noWords: {
    citations: 'Answers of Groq’s models name no sources: https://console.groq.com/docs/api-reference#chat',
    'content-filter': noNameForFilters,
    'error-in-200/generate': statusAlone,
    refusal: refusalIsText,
    'unparsable-arguments':
      'Groq answers such a call with 400 `tool_use_failed` itself (docs/wire.md#errors-inside-a-200).',
  },
  ...shapedAnswers(groqShape),
  withhold,
  failure,
  errors: groqErrors,
  errorTypes: { notFound: 'invalid_request_error', server: 'internal_server_error' },
  authorise: bearerKey(invalidKey),
  headers: (requestNumber) => ({
    'x-ratelimit-limit-requests': '14400',
    'x-ratelimit-limit-tokens': '12000',
    'x-ratelimit-remaining-requests': String(14_400 - requestNumber),
    'x-ratelimit-remaining-tokens': String(12_000 - 100 * requestNumber),
    'x-ratelimit-reset-requests': '6s',
    'x-ratelimit-reset-tokens': '7.66s',
    'x-request-id': `req_sim${String(requestNumber).padStart(3, '0')}`,
  }),
}

/** Calls whose arguments are no JSON object are a fault of the model that Groq does not let out (docs/wire.md#errors-inside-a-200). */
function withhold(answer: ScriptedAnswer): Withheld | undefined {
  const broken = callsOf(answer).find((call) => !isJsonObject(argumentsText(call)))
  // What ran out of tokens is delivered as far as it goes.
  if (broken === undefined || answer.finish === 'length') return undefined
  const generation = `{"name": ${JSON.stringify(broken.toolName)}, "arguments": ${argumentsText(broken)}}`
  return {
    rejection: {
      status: 400,
      type: 'invalid_request_error',
      code: 'tool_use_failed',
      message:
        "Failed to parse tool call arguments as JSON. Please adjust your prompt. See 'failed_generation' for more details.",
      members: { failed_generation: generation },
    },
    before: { ...answer, parts: answer.parts.filter(({ type }) => type !== 'call') },
  }
}

function isJsonObject(text: string): boolean {
  try {
    return isObject(JSON.parse(text))
  } catch {
    return false
  }
}
