import type { AdapterErrorCode } from '@steploop/core/adapter'
import { pageOfProxy, type WireError } from '../simulate/wire-error.ts'

/** https://docs.cohere.com/reference/errors */
const rows: readonly (readonly [status: number, code: AdapterErrorCode, message?: string])[] = [
  [400, 'bad-request'],
  [401, 'authentication'],
  [402, 'insufficient-credit'],
  [404, 'not-found'],
  [422, 'bad-request'],
  [429, 'rate-limit'],
  [498, 'content-filter'],
  [500, 'server-error'],
  [503, 'overloaded'],
  [400, 'context-overflow', 'too many tokens: size limit exceeded by 1253 tokens.'],
  [400, 'not-found', "model 'unheard-of' not found, make sure the correct model ID was used"],
]

export const cohereErrors: readonly WireError[] = [
  ...rows.map(([status, code, message]): WireError => ({
    id: `${status}-${code}`,
    why: 'the page on errors',
    status,
    code,
    body: { id: 'b0b1', message: message ?? 'sorry about that' },
  })),
  pageOfProxy,
]
