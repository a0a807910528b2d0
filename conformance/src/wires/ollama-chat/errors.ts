import type { WireError } from '../simulate/wire-error.ts'

/** https://docs.ollama.com/api/errors: a text, whatever it is; the status tells, where there is one. */
export const ollamaErrors: readonly WireError[] = [
  { id: '400', why: 'the page on errors', status: 400, code: 'bad-request', body: { error: 'invalid options' } },
  { id: '401', why: 'Ollama’s cloud', status: 401, code: 'authentication', body: { error: 'unauthorized' } },
  { id: '404', why: 'the page on errors', status: 404, code: 'not-found', body: { error: "model 'x' not found" } },
  { id: '429', why: 'the page on errors', status: 429, code: 'rate-limit', body: { error: 'too many requests' } },
  { id: '500', why: 'the page on errors', status: 500, code: 'server-error', body: { error: 'runner has stopped' } },
  { id: '503', why: 'a full queue', status: 503, code: 'overloaded', body: { error: 'server busy, please try again' } },
  { id: 'inside', why: 'the page on errors', code: 'server-error', body: { error: 'an error was encountered' } },
  {
    id: 'page',
    why: 'a proxy answers with a page',
    status: 502,
    code: 'server-error',
    body: '<html>Bad Gateway</html>',
  },
]
