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
    requestId: 'b0b1',
  })),
  {
    id: 'too-many-tokens',
    why: 'the page on errors, by its type',
    status: 400,
    code: 'context-overflow',
    body: { id: 'b0b1', message: 'sorry about that', error_type: 'TOO_MANY_TOKENS' },
  },
  ...(
    [
      ['ERROR', 'server-error'],
      ['TIMEOUT', 'timeout'],
    ] as const
  ).flatMap(([reason, code]): readonly WireError[] => {
    const rest = { id: `finished-${reason}`, why: 'the reference: reasons why a generation ends', code }
    const end = { finish_reason: reason, usage: { tokens: { input_tokens: 9, output_tokens: 1 } } }
    return [
      { ...rest, mode: 'generate', body: { id: 'b0b1', message: { role: 'assistant', content: [] }, ...end } },
      { ...rest, mode: 'stream', body: { type: 'message-end', delta: { ...end, error: 'no luck' } } },
    ]
  }),
  pageOfProxy,
]
