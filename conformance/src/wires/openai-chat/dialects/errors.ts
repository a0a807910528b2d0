import type { AdapterErrorCode } from '@steploop/core/adapter'
import type { WireError } from '../../simulate/wire-error.ts'
import { openaiChatErrors } from '../errors.ts'

type Row = readonly [status: number, message: string, code: AdapterErrorCode]

/** What every server of the format says, and what one says besides in words of its own. */
function withWords(why: string, rows: readonly Row[]): readonly WireError[] {
  return [
    ...openaiChatErrors,
    ...rows.map(([status, message, code], index): WireError => ({
      id: `words-${index + 1}`,
      why,
      status,
      code,
      body: { error: { message, type: 'error', code: status } },
    })),
  ]
}

export const groqErrors = withWords('https://console.groq.com/docs/errors', [
  [498, 'Flex tier capacity exceeded', 'overloaded'],
  [413, 'Request too large for model: Limit 6000, Requested 9000', 'context-overflow'],
  [400, 'Your organisation reached its spend limit', 'insufficient-credit'],
])

export const deepseekErrors = withWords('https://api-docs.deepseek.com/quick_start/error_codes', [
  [402, 'Insufficient Balance', 'insufficient-credit'],
  [400, 'Content Exists Risk', 'content-filter'],
])

export const openrouterErrors = withWords('https://openrouter.ai/docs/api-reference/errors', [
  [402, 'Insufficient credits', 'insufficient-credit'],
  [403, 'Key limit exceeded (total limit)', 'insufficient-credit'],
  [403, 'The model requires moderation and your input was flagged', 'content-filter'],
])
