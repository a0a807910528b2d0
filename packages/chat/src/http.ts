import { ChatRequestError } from './chat-request-error.ts'

/** The body as JSON. Throws `ChatRequestError`, as soon as there is more of it than `maxBytes`. */
export async function readJson(request: Request, maxBytes: number): Promise<unknown> {
  if (request.method !== 'POST' || !isJson(request.headers))
    throw new ChatRequestError('wrong-type', 'Send a POST with content type application/json.')
  if (request.bodyUsed)
    throw new TypeError('The body of the request was read already. Give the handlers the request as it came.')
  const text = await readText(request, maxBytes)
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw new ChatRequestError('bad-request', 'The body is no JSON.')
  }
}

async function readText(request: Request, maxBytes: number): Promise<string> {
  const tooLarge = new ChatRequestError('too-large', `The body has more than ${maxBytes} bytes.`)
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) throw tooLarge
  const decoder = new TextDecoder()
  let text = ''
  let size = 0
  try {
    for await (const bytes of request.body ?? []) {
      size += bytes.byteLength
      if (size > maxBytes) throw tooLarge
      text += decoder.decode(bytes, { stream: true })
    }
  } catch (error) {
    // A page that leaves while it sends is no failure of the server.
    if (ChatRequestError.isInstance(error)) throw error
    throw new ChatRequestError('bad-request', 'The body ended before it was complete.')
  }
  return text + decoder.decode()
}

/** Ids that mean the same in a path, in JSON and in a store. */
export function checkedChatId(id: unknown): string {
  if (typeof id === 'string' && /^[\w.:~-]{1,128}$/.test(id) && !/^\.+$/.test(id)) return id
  throw new ChatRequestError(
    'bad-request',
    'The `id` of the chat is no text of up to 128 letters, digits, `_`, `-`, `.`, `:` and `~`.',
  )
}

/** The last but one piece of the path, as in `/api/chat/ID/stream`. */
export function chatIdInPath({ url }: Request): string {
  const piece = new URL(url).pathname.split('/').at(-2) ?? ''
  try {
    return checkedChatId(decodeURIComponent(piece))
  } catch (error) {
    if (ChatRequestError.isInstance(error)) throw error
    return checkedChatId(undefined)
  }
}

/**
 * A page of another site can have browsers send a POST without asking first, with the cookies of whoever opened it. One with the content type
 * of JSON, or a DELETE, is asked for: the application's CORS headers say then whether it may.
 */
export function isUnasked({ method, headers }: Request): boolean {
  return method === 'POST' && headers.get('sec-fetch-site') === 'cross-site' && !isJson(headers)
}

function isJson(headers: Headers): boolean {
  return /^application\/json\s*(;|$)/i.test(headers.get('content-type') ?? '')
}

export function jsonResponse(status: number, body: unknown): Response {
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' }
  return new Response(JSON.stringify(body), { status, headers })
}
