import { typeName, type ShapeFault } from '../../../simulate/shape-fault.ts'
import type { AnswerContext, FailureKind, JsonObject, Refusal } from '../../../simulate/wire-simulation.ts'

/** Without `param`, and without a code where there is none. */
export function errorBody({ message, type, code, members }: Refusal): JsonObject {
  return { error: { message, type, ...(code == null ? {} : { code }), ...members } }
}

export function badRequest(message: string, code?: string): Refusal {
  return { status: 400, type: 'invalid_request_error', code, message }
}

export function shapeRefusal(fault: ShapeFault): Refusal {
  const name = String(fault.path.at(-1) ?? '')
  const place = fault.type === 'unknown-field' || fault.type === 'missing-field' ? fault.path.slice(0, -1) : fault.path
  const where = place.length === 0 ? '' : `'${place.join('.')}' : `
  return badRequest(where + reason(fault, name))
}

function reason(fault: ShapeFault, name: string): string {
  switch (fault.type) {
    case 'unknown-field':
      return `property '${name}' is unsupported`
    case 'missing-field':
      return `property '${name}' is missing`
    case 'wrong-type':
      return `value must be ${fault.expected.join(' or ')}, but got ${typeName(fault.value)}`
    case 'wrong-value':
      return `value must be one of ${fault.allowed.map((value) => `"${value}"`).join(', ')}`
    case 'pattern':
      return `value must match the pattern '${fault.pattern}'`
    case 'limit':
      return `${fault.bound} ${fault.of === 'number' ? 'value' : 'length'} is ${fault.limit}`
    default:
      return fault satisfies never
  }
}

export const invalidKey: Refusal = {
  status: 401,
  type: 'invalid_request_error',
  code: 'invalid_api_key',
  message: 'Invalid API Key',
}

/** https://console.groq.com/docs/errors */
export function failure(kind: FailureKind, context: AnswerContext): Refusal {
  const model = String(context.request['model'])
  switch (kind) {
    case 'bad-key':
      return invalidKey
    case 'forbidden':
      return {
        status: 403,
        type: 'permissions_error',
        code: 'model_permission_blocked_org',
        message: `The model \`${model}\` is blocked at the organization level.`,
      }
    case 'unknown-model':
      return {
        status: 404,
        type: 'invalid_request_error',
        code: 'model_not_found',
        message: `The model \`${model}\` does not exist or you do not have access to it.`,
      }
    case 'bad-request':
      return badRequest('the request could not be processed as it stands')
    case 'context-overflow':
      return badRequest('Please reduce the length of the messages or completion.', 'context_length_exceeded')
    case 'rate-limited':
      return {
        status: 429,
        type: 'tokens',
        code: 'rate_limit_exceeded',
        message: `Rate limit reached for model \`${model}\` in organization \`org_sim\` service tier \`on_demand\` on tokens per minute (TPM): Limit 12000, Used 11900, Requested 300. Please try again in 1s.`,
        headers: { 'retry-after': '1' },
      }
    case 'insufficient-credit':
      return {
        status: 400,
        type: 'billing_error',
        code: 'blocked_api_access',
        message: 'API access is blocked: your organization has reached its spend limit.',
      }
    case 'overloaded':
      return {
        status: 503,
        type: 'internal_server_error',
        code: 'over_capacity',
        message: `${model} is currently over capacity. Please try again and back off exponentially.`,
      }
    case 'server-error':
      return { status: 500, type: 'internal_server_error', message: 'Internal Server Error' }
    default:
      return kind satisfies never
  }
}
