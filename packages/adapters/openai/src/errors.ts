import {
  jsonOf,
  AdapterError,
  isObject,
  numberOf,
  objectOf,
  parseDelay,
  providerErrorFacts,
  textOf,
  type ErrorFacts,
  type JsonObject,
  type Origin,
} from '@steploop/core/adapter'
import type { ResponseError } from 'openai/resources/responses/responses'

/** A response that is not 2xx, whatever its body is: an envelope of any known shape, a bare message, HTML, nothing. */
export function decodeError(status: number, headers: Headers, text: string): ErrorFacts {
  return errorFacts(bodyOf(text), status, headers)
}

/**
 * An error inside a 200: an `error` event (flat or nested, docs/wire.md#errors-inside-a-200), `response.failed`, or a body with `error`.
 */
export function inBandError(envelope: JsonObject, origin: Origin): AdapterError {
  return new AdapterError({ ...origin, ...errorFacts(envelope, inBandStatus(envelope)) })
}

/** xAI gives it as a text, or beside the error. */
function inBandStatus(envelope: JsonObject): number | undefined {
  const error = objectOf(envelope['error'])
  const given = [error['status_code'], error['code'], error['status'], envelope['status'], envelope['code']]
  return given.map((value) => numberOf(typeof value === 'string' ? Number(value) : value)).find(isErrorStatus)
}

function isErrorStatus(status: number | undefined): boolean {
  return status !== undefined && status >= 400 && status < 600
}

/** Codes of failed responses (`response.error.code`) by words that every provider's errors are told by. */
const knownWords: Readonly<Record<string, string>> = {
  bio_policy: 'content_policy_violation',
  misalignment_policy_violation: 'content_policy_violation',
  image_content_policy_violation: 'content_policy_violation',
  vector_store_timeout: 'server_error',
  invalid_prompt: 'invalid_request_error',
  data_residency_mismatch: 'invalid_request_error',
  invalid_image: 'invalid_request_error',
  invalid_image_format: 'invalid_request_error',
  invalid_base64_image: 'invalid_request_error',
  invalid_image_url: 'invalid_request_error',
  image_too_large: 'invalid_request_error',
  image_too_small: 'invalid_request_error',
  image_parse_error: 'invalid_request_error',
  invalid_image_mode: 'invalid_request_error',
  image_file_too_large: 'invalid_request_error',
  unsupported_image_media_type: 'invalid_request_error',
  empty_image_file: 'invalid_request_error',
  failed_to_download_image: 'invalid_request_error',
  image_file_not_found: 'invalid_request_error',
} satisfies { readonly [Code in ResponseError['code']]?: string }

function errorFacts(body: JsonObject, status: number | undefined, headers?: Headers): ErrorFacts {
  const error = objectOf(body['error'])
  const message = messageOf(body, error)
  const facts = providerErrorFacts({
    status,
    headers,
    words: [
      knownWords[String(error['code'])],
      error['code'],
      error['type'],
      error['status'],
      body['code'],
      body['type'],
      objectOf(error['innererror'])['code'],
    ],
    message,
    retryAfterMs: retryHint(message),
    requestId: textOf(body['request_id']) ?? textOf(error['request_id']),
  })
  return concernsContinuation(error, message) ? { ...facts, code: 'continuation-not-found' } : facts
}

/** `{error:{message}}`, `{error:"text"}` (xAI), `{message}` (Bedrock, Azure's gateway), `{detail}` (FastAPI servers). */
function messageOf(body: JsonObject, error: JsonObject): string | undefined {
  const message = textOf(error['message']) ?? textOf(body['error']) ?? textOf(body['message']) ?? textOf(body['detail'])
  // A gateway's own message says little; the provider's behind it stands in `metadata.raw` (OpenRouter).
  const raw = textOf(objectOf(error['metadata'])['raw'])
  return message !== undefined && raw !== undefined ? `${message}: ${raw}` : message
}

/**
 * The response that `previous_response_id` names is gone, was never stored, may not be used (zero data retention), or cannot be named at
 * all: llama.cpp `does not support 'previous_response_id'`.
 */
function concernsContinuation({ param }: JsonObject, message: string | undefined): boolean {
  if (param === 'previous_response_id') return true
  const said = String(message)
  return follows(said, earlierResponse, refusal) || follows(said, unsupported, earlierResponse)
}

const earlierResponse = /previous[ _]response/i
const refusal = /not found|cannot be used|not supported|unsupported|not permitted|not allowed|unknown|unrecogni[sz]ed/i
const unsupported = /not support|unsupported|unknown|unrecogni[sz]ed|unexpected|extra (?:field|input|argument)/i

/** What one pattern with `.*` between the two would say, in time that grows with the text and not with its square. */
function follows(text: string, first: RegExp, then: RegExp): boolean {
  const at = text.search(first)
  return at >= 0 && then.test(text.slice(at))
}

/** OpenAI's 429s say when in words: `Please try again in 20ms.`, `in 6m0s.`; the headers often do not. */
function retryHint(message: string | undefined): number | undefined {
  const hint =
    message === undefined ? undefined : /try again in ([\d.]{1,20}(?:ms|s|m|h)[\dmsh.]{0,20})/i.exec(message)?.[1]
  return hint === undefined ? undefined : parseDelay(hint.replace(/\.$/, ''))
}

function bodyOf(text: string): JsonObject {
  const body = jsonOf(text)
  return objectOf(Array.isArray(body) ? body[0] : body)
}

/** True for a frame or body that reports an error. Some servers write every field into every body, an empty error too. */
export function isErrorEnvelope({ error }: JsonObject): boolean {
  if (!isObject(error)) return textOf(error) !== undefined
  return Boolean(error['message']) || Boolean(error['code']) || Boolean(error['type'])
}
