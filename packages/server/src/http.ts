import { ApiError, badRequest, errorBody } from './api-error.ts'
import { depthOf } from './json.ts'
import type { Limits } from './server-options.ts'

export interface ReadBody {
  readonly text: string
  readonly value: unknown
}

/** Reads a JSON body. Throws `ApiError`: 413 for one that is too long, 400 for what is no JSON or too deep. Nothing at all is `undefined`. */
export async function readBody(request: Request, { bodyBytes, jsonDepth }: Limits): Promise<ReadBody> {
  const text = await readText(request, bodyBytes)
  if (text === '') return { text, value: undefined }
  const value = parse(text)
  if (depthOf(value, jsonDepth) > jsonDepth) {
    throw badRequest(`The body has more than ${jsonDepth} objects and lists within each other.`, {
      code: 'invalid_json',
    })
  }
  return { text, value }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch (cause) {
    throw badRequest('The body is no JSON.', { code: 'invalid_json', cause })
  }
}

async function readText(request: Request, most: number): Promise<string> {
  const tooLong = (): ApiError =>
    new ApiError({ status: 413, code: 'request_too_large', message: `The body has more than ${most} bytes.` })
  const contentLength = request.headers.get('content-length')
  if (Number(contentLength) > most) throw tooLong()
  // Nothing longer than what it says comes over HTTP, and the text costs much less than the stream.
  if (contentLength !== null) return request.text()
  const { body } = request
  if (body === null) return ''
  const decoder = new TextDecoder()
  let text = ''
  let length = 0
  for await (const chunk of body) {
    length += chunk.length
    if (length > most) throw tooLong()
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

export function errorResponse(error: ApiError): Response {
  const headers = { ...(error.retryAfter !== undefined && { 'retry-after': String(error.retryAfter) }) }
  return Response.json(errorBody(error), { status: error.status, headers })
}

/** Hash of a text, so that requests can be compared without being kept. */
export async function hashOf(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
