/**
 * When to ask again, in milliseconds, from the headers of a failed response: `retry-after-ms`, `retry-after` (seconds or an HTTP date,
 * RFC 9110 section 10.2.3), else the longest of the `x-ratelimit-reset-*` headers whose budget is used up. A `retry-after` that says
 * nothing readable, or names a time that has passed, counts for nothing.
 * Only meaningful on failures: providers also send `retry-after` with successes (docs/wire.md#retry-after).
 *
 * @param now milliseconds since the epoch, for dates
 */
export function retryAfterOf(headers: Headers, now: number = Date.now()): number | undefined {
  const milliseconds = `${headers.get('retry-after-ms') ?? ''}ms`
  return parseDelay(milliseconds, now) ?? parseDelay(headers.get('retry-after') ?? '', now) ?? resetOf(headers, now)
}

/**
 * Reads a delay in any form that providers use: `2` and `1.5` (seconds), `20ms`, `7.66s`, `6m0s`, `1h2m`, an HTTP date, an ISO date.
 * `undefined` when it is none of them, and for a date that has passed: neither says how long to wait.
 */
export function parseDelay(text: string, now: number = Date.now()): number | undefined {
  if (text.length > longestDelay) return undefined
  const value = text.trim()
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value) * 1000
  const units = [...value.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)]
  if (units.length > 0 && units.map((unit) => unit[0]).join('') === value) {
    return units.reduce((sum, unit) => sum + Number(unit[1]) * (unitMs[unit[2] ?? ''] ?? 0), 0)
  }
  // `Date.parse` finds a date in nearly everything: `-5` is the year 2001.
  if (!date.test(value)) return undefined
  const delay = Date.parse(value) - now
  return delay >= 0 ? delay : undefined
}

/** Far more than any delay or date has; what is longer is not looked at. */
const longestDelay = 100

/** The three forms of RFC 9110, section 5.6.7, and ISO 8601. */
const date =
  /^([a-z]{3,9}, \d\d[ -][a-z]{3}[ -]\d{2,4} [\d:]+ gmt|[a-z]{3} [a-z]{3} [ \d]\d [\d:]+ \d{4}|\d{4}-\d\d-\d\dt[\d:.]+(z|[+-]\d\d:?\d\d))$/i

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

function resetOf(headers: Headers, now: number): number | undefined {
  let longest: number | undefined
  for (const kind of ['requests', 'tokens']) {
    const reset = headers.get(`x-ratelimit-reset-${kind}`)
    if (reset === null || headers.get(`x-ratelimit-remaining-${kind}`) !== '0') continue
    const delay = parseDelay(reset, now)
    if (delay !== undefined) longest = Math.max(longest ?? 0, delay)
  }
  return longest
}
