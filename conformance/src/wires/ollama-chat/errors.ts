import type { AdapterErrorCode } from '@steploop/core/adapter'
import type { WireError } from '../simulate/wire-error.ts'

/** What the server says inside a stream that began with 200, where no status can tell. */
const inside: readonly (readonly [code: AdapterErrorCode, error: unknown, status?: number])[] = [
  ['authentication', 'unauthorized'],
  ['not-found', "model 'x' not found"],
  ['rate-limit', 'too many requests'],
  ['overloaded', 'server busy, please try again.  maximum pending requests exceeded'],
  ['permission', 'this model requires a subscription', 403],
  ['rate-limit', { code: 429, message: 'slow down' }],
]

const tooLong = 'request (2622 tokens) exceeds the available context size'
const ofRunner = { code: 400, message: tooLong, type: 'exceed_context_size_error' }

/** https://docs.ollama.com/api/errors: a text, whatever it is; the status tells, where there is one. */
export const ollamaErrors: readonly WireError[] = [
  { id: '400', why: 'the page on errors', status: 400, code: 'bad-request', body: { error: 'invalid options' } },
  { id: '401', why: 'Ollama’s cloud', status: 401, code: 'authentication', body: { error: 'unauthorized' } },
  { id: '404', why: 'the page on errors', status: 404, code: 'not-found', body: { error: "model 'x' not found" } },
  { id: '429', why: 'the page on errors', status: 429, code: 'rate-limit', body: { error: 'too many requests' } },
  { id: '500', why: 'the page on errors', status: 500, code: 'server-error', body: { error: 'runner has stopped' } },
  { id: '503', why: 'a full queue', status: 503, code: 'overloaded', body: { error: 'server busy, please try again' } },
  ...inside.map(([code, error, status], index): WireError => ({
    id: `inside-${index + 1}`,
    why: 'an error in a stream, by its words or the status beside them',
    code,
    body: { error, ...(status !== undefined && { status }) },
  })),
  ...[ofRunner, { error: ofRunner }].map((error, index): WireError => ({
    id: `runner-${index + 1}`,
    why: 'the error of a runner, llama.cpp, as the object that it was',
    status: 400,
    code: 'context-overflow',
    body: { error },
    says: tooLong,
  })),
  {
    id: 'coded',
    why: 'proxies that use the words of OpenAI, https://platform.openai.com/docs/guides/error-codes',
    status: 400,
    code: 'context-overflow',
    body: { error: { message: 'Too much.', code: 'context_length_exceeded' } },
    says: 'Too much.',
  },
  { id: 'inside', why: 'the page on errors', code: 'server-error', body: { error: 'an error was encountered' } },
  {
    id: 'page',
    why: 'a proxy answers with a page',
    status: 502,
    code: 'server-error',
    body: '<html>Bad Gateway</html>',
  },
]
