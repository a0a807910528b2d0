import { failureTable } from '../../simulate/failure-table.ts'
import type { JsonObject, Rejection } from '../../simulate/wire-simulation.ts'

/** Refusals have an id and words; one class of error has a name of its own. */
export function refused(message: string, status = 400, type = ''): Rejection {
  return { status, type, message }
}

export function authorise(headers: Readonly<Record<string, string>>, apiKey?: string): Rejection | undefined {
  const given = /^Bearer (.+)$/i.exec(headers['authorization'] ?? '')?.[1]
  if (given !== undefined && (apiKey === undefined || given === apiKey)) return undefined
  if (given === undefined) return refused('no api key supplied', 401)
  return refused(
    'Incorrect API key provided: ***********. You can find your API key at https://dashboard.cohere.com/api-keys.',
    401,
  )
}

export function errorBody({ message, type }: Rejection, requestNumber: number): JsonObject {
  const id = `00000000-0000-4000-8000-${String(requestNumber).padStart(12, '0')}`
  return { id, message, ...(type !== '' && { error_type: type }) }
}

/** https://docs.cohere.com/reference/errors */
export const failure = failureTable({
  'bad-key': refused(
    'Incorrect API key provided: ***********. You can find your API key at https://dashboard.cohere.com/api-keys.',
    401,
  ),
  forbidden: refused('your API key has no access to this model', 403),
  'unknown-model': refused(
    "model '{model}' not found, make sure the correct model ID was used and that you have access to the model.",
    404,
  ),
  'bad-request': refused('invalid request: response_format is not supported with RAG.'),
  'context-overflow': refused(
    'too many tokens: size limit exceeded by 25836 tokens. Try using shorter or fewer inputs. The limit for this model is 288000 tokens.',
    400,
    'TOO_MANY_TOKENS',
  ),
  'rate-limited': refused('You are using a Trial key, which is limited to 20 API calls / minute.', 429),
  'insufficient-credit': refused(
    'Please add or update your payment method at https://dashboard.cohere.com/billing',
    402,
  ),
  overloaded: refused('the service is temporarily unavailable', 503),
  'server-error': refused('internal server error', 500),
})
