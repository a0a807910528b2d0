import type { AdapterErrorCode, JsonObject } from '@steploop/core/adapter'
import { pageOfProxy, type WireError } from '../simulate/wire-error.ts'

/** https://ai.google.dev/gemini-api/docs/troubleshooting, and the canonical codes of google.rpc. */
const rows: readonly (readonly [status: number, word: string, code: AdapterErrorCode])[] = [
  [400, 'INVALID_ARGUMENT', 'bad-request'],
  [400, 'FAILED_PRECONDITION', 'bad-request'],
  [401, 'UNAUTHENTICATED', 'authentication'],
  [403, 'PERMISSION_DENIED', 'permission'],
  [404, 'NOT_FOUND', 'not-found'],
  [429, 'RESOURCE_EXHAUSTED', 'rate-limit'],
  [500, 'INTERNAL', 'server-error'],
  [503, 'UNAVAILABLE', 'overloaded'],
]

const bodyOf = (code: number, status: string, details: readonly JsonObject[] = [], message = 'Sorry about that.') => ({
  error: { code, message, status, details },
})

const reason = (word: string): JsonObject => ({
  '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
  reason: word,
  domain: 'googleapis.com',
})

export const geminiErrors: readonly WireError[] = [
  ...rows.flatMap(([status, word, code]): readonly WireError[] => [
    { id: `${status}-${word}`, why: 'the page on troubleshooting', status, code, body: bodyOf(status, word) },
    { id: `inside-${word}`, why: 'a stream that began with 200', code, body: bodyOf(status, word) },
  ]),
  {
    id: 'wrong-key',
    why: 'a wrong key is a plain 400, and the reason tells',
    status: 400,
    code: 'authentication',
    body: bodyOf(400, 'INVALID_ARGUMENT', [reason('API_KEY_INVALID')]),
  },
  {
    id: 'expired-key',
    why: 'an expired key is a plain 400, and the reason tells',
    status: 400,
    code: 'authentication',
    body: bodyOf(400, 'INVALID_ARGUMENT', [reason('API_KEY_EXPIRED')]),
  },
  {
    id: 'no-billing',
    why: 'the reason tells it apart from a missing permission',
    status: 403,
    code: 'insufficient-credit',
    body: bodyOf(403, 'PERMISSION_DENIED', [reason('BILLING_DISABLED')]),
  },
  {
    id: 'too-long',
    why: 'words alone tell it',
    status: 400,
    code: 'context-overflow',
    body: bodyOf(
      400,
      'INVALID_ARGUMENT',
      [],
      'The input token count (2000000) exceeds the maximum number of tokens allowed (1048576).',
    ),
  },
  {
    id: 'wait-in-details',
    why: 'google.rpc.RetryInfo',
    status: 429,
    code: 'rate-limit',
    body: bodyOf(429, 'RESOURCE_EXHAUSTED', [
      { '@type': 'type.googleapis.com/google.rpc.QuotaFailure', violations: [] },
      { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.5s' },
    ]),
    retryAfterMs: 34_500,
  },
  {
    id: 'listed',
    why: 'an error before a stream comes in a list (docs/wire.md#error-bodies)',
    status: 429,
    code: 'rate-limit',
    body: JSON.stringify([bodyOf(429, 'RESOURCE_EXHAUSTED')]),
  },
  pageOfProxy,
  { id: 'nothing', why: 'a proxy answers with nothing', status: 503, code: 'overloaded', body: '' },
]
