import {
  jsonOf,
  AdapterError,
  objectOf,
  providerErrorFacts,
  textOf,
  type ErrorFacts,
  type JsonObject,
  type Origin,
} from '@steploop/core/adapter'

/** The facts of a response that is not 2xx: `{ id, message, error_type? }`, and whatever a proxy before it may answer. */
export function decodeErrorBody(status: number, headers: Headers, text: string): ErrorFacts {
  const body = objectOf(jsonOf(text))
  const message = textOf(body['message'])
  return providerErrorFacts({ status, headers, message, words: wordsOf(body, status), requestId: textOf(body['id']) })
}

/** What the status does not say (https://docs.cohere.com/reference/errors). */
function wordsOf(body: JsonObject, status: number): readonly string[] {
  const message = textOf(body['message']) ?? ''
  if (body['error_type'] === 'TOO_MANY_TOKENS' || /^too many tokens: (?!max tokens)/.test(message)) {
    return ['context_length_exceeded']
  }
  // "Custom" statuses: a blocked input or output, and an unknown model, which some deployments tell by a 400.
  if (status === 498) return ['content_filter']
  return status === 400 && /^model '.*' not found/.test(message) ? ['model_not_found'] : []
}

/** An answer that stands for an error: no message but a text, which some errors are in a stream that began with 200. */
export function throwIfError(body: JsonObject, origin: Origin): void {
  const message = textOf(body['message'])
  if (message === undefined) return
  const words = wordsOf(body, 0)
  throw new AdapterError({ ...origin, ...providerErrorFacts({ status: 500, message, words }) })
}

/** `ERROR` and `TIMEOUT` are no ends of an answer: the generation failed, and what came of it is a piece. */
export function throwIfFailed(rawFinish: string | undefined, delta: JsonObject, origin: Origin): void {
  if (rawFinish !== 'ERROR' && rawFinish !== 'TIMEOUT') return
  const code = rawFinish === 'TIMEOUT' ? 'timeout' : 'server-error'
  const said = textOf(delta['error'])
  const message = `Cohere ended the answer with \`finish_reason: ${rawFinish}\``
  throw new AdapterError({ ...origin, code, message, ...(said !== undefined && { providerMessage: said }) })
}
