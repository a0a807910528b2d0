import type { Usage } from '@steploop/core'

/** What a provider bills for a model, per million tokens, in one currency. */
export interface Prices {
  /** Default: `USD`. */
  readonly currency?: string | undefined
  readonly inputPerMillion: number
  readonly outputPerMillion: number
  /** Input that was read from a cache. Default: as other input. */
  readonly cachedInputPerMillion?: number | undefined
}

/** An estimate: discounts, minimum charges and prices of single tools are not in it. */
export function costOf(usage: Usage, prices: Prices): number {
  const { inputTokens = 0, outputTokens = 0, cachedInputTokens = 0 } = usage
  const { inputPerMillion, outputPerMillion, cachedInputPerMillion = inputPerMillion } = prices
  const input = (inputTokens - cachedInputTokens) * inputPerMillion + cachedInputTokens * cachedInputPerMillion
  return (input + outputTokens * outputPerMillion) / 1_000_000
}
