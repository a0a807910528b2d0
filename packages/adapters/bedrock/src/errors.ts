import {
  AdapterError,
  jsonOf,
  objectOf,
  providerErrorFacts,
  textOf,
  type ErrorFacts,
  type Frame,
  type JsonObject,
  type Origin,
  type ProviderErrorParts,
} from '@steploop/core/adapter'

/** The facts of a response that is not 2xx: `{ message }`, and the class of the error in `x-amzn-errortype`. */
export function decodeErrorBody(status: number, headers: Headers, text: string): ErrorFacts {
  const body = objectOf(jsonOf(text))
  const type = headers.get('x-amzn-errortype') ?? textOf(body['__type']) ?? textOf(body['code'])
  const requestId = textOf(headers.get('x-amzn-requestid'))
  return factsOf(body, type, { status, headers, requestId })
}

/** An exception ends the stream; it stands in a message of its own. */
export function throwIfException({ event, data }: Frame, origin: Origin): void {
  const type = event?.match(/^(?:exception|error):(.*)$/)?.[1]
  if (type === undefined) return
  throw new AdapterError({ ...origin, ...factsOf(objectOf(jsonOf(data)), type, { status: 500 }) })
}

/** A gateway may answer with an error where the status says 200. */
export function throwIfErrorBody(body: JsonObject, origin: Origin): void {
  if (textOf(body['message']) === undefined && textOf(body['Message']) === undefined) return
  throw new AdapterError({ ...origin, ...factsOf(body, textOf(body['__type']), { status: 500 }) })
}

function factsOf(
  body: JsonObject,
  type: string | undefined,
  response: Pick<ProviderErrorParts, 'status' | 'headers' | 'requestId'>,
): ErrorFacts {
  // `ThrottlingException:http://...`, `com.amazon.coral.service#UnrecognizedClientException`; in a stream `throttlingException`.
  const name = (type ?? '').replace(/:.*$/s, '').replace(/^.*#/s, '').toLowerCase()
  const message = textOf(body['message']) ?? textOf(body['Message'])
  const word = wordIn(message) ?? wordByType[name]
  const facts = providerErrorFacts({ ...response, message, words: [word], wordsWin: true })
  if (name === 'modeltimeoutexception') return { ...facts, code: 'timeout' }
  return name === 'validationexception' && word === undefined ? { ...facts, code: 'bad-request' } : facts
}

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/CommonErrors.html and the errors of the operations. */
const wordByType: Readonly<Record<string, string | undefined>> = {
  accessdeniedexception: 'permission_error',
  expiredtokenexception: 'authentication_error',
  incompletesignature: 'authentication_error',
  incompletesignatureexception: 'authentication_error',
  invalidsignatureexception: 'authentication_error',
  missingauthenticationtokenexception: 'authentication_error',
  unrecognizedclientexception: 'authentication_error',
  resourcenotfoundexception: 'not_found_error',
  throttlingexception: 'rate_limit_error',
  servicequotaexceededexception: 'rate_limit_error',
  modelnotreadyexception: 'overloaded_error',
  serviceunavailableexception: 'overloaded_error',
  modelerrorexception: 'server_error',
  modelstreamerrorexception: 'server_error',
}

/** What the class of the error does not tell, or is left out. */
function wordIn(message = ''): string | undefined {
  if (/input is too long|exceeds? (the )?maximum length|too many input tokens|prompt is too long/i.test(message)) {
    return 'context_length_exceeded'
  }
  if (/security token included in the request is (invalid|expired)|signature (we calculated|expired)/i.test(message)) {
    return 'authentication_error'
  }
  return /provided model identifier is invalid/i.test(message) ? 'model_not_found' : undefined
}
