import { scanCassette, type Cassette, type ScanOptions } from '@steploop/cassette'
import { isObject } from '@steploop/core/adapter'
import { canary } from '../play/play-scenario.ts'
import type { CaseDetails } from '../details-schema.ts'
import type { Report } from '../report-schema.ts'

/**
 * The details, or why they are kept back: a report shows nothing that a cassette would refuse to hold. The key of the run is no secret,
 * and is replaced.
 */
export function withhold(details: CaseDetails, options: ScanOptions = {}): CaseDetails {
  const safe = withoutKey(details)
  const found = secretsIn(safe, eventLines(safe), options)
  if (found === undefined) return safe
  return {
    ...(safe.cassette !== undefined && { cassette: safe.cassette }),
    runs: [],
    unused: [],
    withheld: `The rule '${found.rule}' finds a secret in ${found.location}, so nothing of the runs is shown. Keep it out of the conversation.`,
  }
}

/** The report with each text replaced in which something looks secret. */
export function withoutSecrets(report: Report, options: ScanOptions = {}): Report {
  const safe = withoutKey(report)
  if (secretsIn(safe, '', options) === undefined) return safe
  const cover = (value: unknown): unknown => {
    if (typeof value === 'string') {
      const found = secretsIn(value, '', options)
      return found === undefined ? value : `[withheld: the rule '${found.rule}' finds a secret here]`
    }
    if (Array.isArray(value)) return value.map(cover)
    if (!isObject(value)) return value
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, cover(member)]))
  }
  // Texts become texts, so the type stays.
  return cover(safe) as Report
}

function withoutKey<Value>(value: Value): Value {
  const text = JSON.stringify(value)
  // Plain data: what comes back has the type of what went in.
  return text.includes(canary) ? (JSON.parse(text.replaceAll(canary, '[redacted]')) as Value) : value
}

/** Line by line, so that a secret that arrives in pieces is found in the joined ones, as in a recorded stream. */
function eventLines({ runs }: CaseDetails): string {
  const attempts = runs.flatMap(({ steps }) => steps.flatMap((step) => step.attempts))
  return attempts.flatMap(({ events }) => events.map(({ content }) => JSON.stringify(content))).join('\n')
}

/** The first finding of the rules for cassettes. */
function secretsIn(
  value: unknown,
  lines: string,
  options: ScanOptions,
): { rule: string; location: string } | undefined {
  const encoder = new TextEncoder()
  const cassette: Cassette = {
    header: {
      scenario: '',
      mode: 'generate',
      provider: '',
      wire: '',
      model: '',
      origin: { kind: 'derived', by: '', date: '' },
    },
    exchanges: [
      {
        request: { method: 'POST', url: 'http://localhost/', headers: {}, body: encoder.encode(JSON.stringify(value)) },
        response: { status: 200, headers: {}, body: encoder.encode(lines), chunks: [], ending: 'eof' },
      },
    ],
  }
  const [finding] = scanCassette(cassette, options)
  return finding
}
