import { invalidRequest } from './openai-errors.ts'
import { pathText, typeName, type LimitFault, type ShapeFault } from '../simulate/shape-fault.ts'
import type { Rejection } from '../simulate/wire-simulation.ts'

/** What OpenAI says to a body that is no JSON object. */
export const unparsableBody: Rejection = invalidRequest({
  message:
    'We could not parse the JSON body of your request. (HINT: This likely means you aren’t using your HTTP library correctly. The OpenAI API expects a JSON payload, but what was sent was not valid JSON.)',
})

/** Gives a fault of shape the words and codes of OpenAI: https://platform.openai.com/docs/guides/error-codes */
export function openaiShapeRejection(fault: ShapeFault): Rejection {
  const param = pathText(fault.path)
  switch (fault.type) {
    case 'unknown-field':
      return invalidRequest({ message: `Unknown parameter: '${param}'.`, param, code: 'unknown_parameter' })
    case 'missing-field':
      return invalidRequest({
        message: `Missing required parameter: '${param}'.`,
        param,
        code: 'missing_required_parameter',
      })
    case 'wrong-type': {
      const expected = fault.expected.map(withArticle).join(' or ')
      const message = `Invalid type for '${param}': expected ${fault.expected.length > 1 ? 'one of ' : ''}${expected}, but got ${withArticle(typeName(fault.value))} instead.`
      return invalidRequest({ message, param, code: 'invalid_type' })
    }
    case 'wrong-value': {
      const allowed = fault.allowed.map((value) => `'${value}'`).join(', ')
      const message = `Invalid value: '${String(fault.value)}'. Supported values are: ${allowed}.`
      return invalidRequest({ message, param, code: 'invalid_value' })
    }
    case 'pattern': {
      const message = `Invalid '${param}': string does not match pattern. Expected a string that matches the pattern '${fault.pattern}'.`
      return invalidRequest({ message, param, code: 'invalid_value' })
    }
    case 'limit':
      return limitRejection(fault, param)
    default:
      return fault satisfies never
  }
}

const decimals = new Set(['temperature', 'top_p', 'frequency_penalty', 'presence_penalty'])

function limitRejection(fault: LimitFault, param: string): Rejection {
  const below = fault.bound === 'minimum'
  switch (fault.of) {
    case 'number': {
      const kind = decimals.has(String(fault.path.at(-1))) ? 'decimal' : 'integer'
      const message = `Invalid '${param}': ${kind} ${below ? 'below minimum' : 'above maximum'} value. Expected a value ${below ? '>=' : '<='} ${fault.limit}, but got ${String(fault.value)} instead.`
      return invalidRequest({ message, param, code: `${kind}_${below ? 'below_min' : 'above_max'}_value` })
    }
    case 'string': {
      const length = String(fault.value).length
      const message = `Invalid '${param}': ${below ? 'empty string' : 'string too long'}. Expected a string with ${fault.bound} length ${fault.limit}, but got ${below ? 'an empty string' : `a string with length ${length}`} instead.`
      return invalidRequest({ message, param, code: below ? 'empty_string' : 'string_above_max_length' })
    }
    case 'array': {
      const length = Array.isArray(fault.value) ? fault.value.length : 0
      const message = `Invalid '${param}': ${below ? 'empty array' : 'array too long'}. Expected an array with ${fault.bound} length ${fault.limit}, but got ${below ? 'an empty array' : `an array with length ${length}`} instead.`
      return invalidRequest({ message, param, code: below ? 'empty_array' : 'array_above_max_length' })
    }
    default:
      return fault.of satisfies never
  }
}

const names: Readonly<Record<string, string>> = { int: 'integer', number: 'decimal', record: 'object' }

function withArticle(type: string): string {
  const name = names[type] ?? type
  if (name === 'null') return 'null'
  return /^[aeiou]/.test(name) ? `an ${name}` : `a ${name}`
}
