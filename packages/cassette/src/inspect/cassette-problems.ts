import type { Cassette } from '../cassette.ts'
import { CassetteError } from '../errors.ts'
import { parseCassette } from '../format/parse-cassette.ts'
import { scanCassette } from '../redaction/scan-cassette.ts'

/**
 * What can be wrong with one file by itself.
 *
 * - `format` it cannot be read · `hash` it was edited · `secret` something in it looks secret · `size` larger than the budget
 * - `origin` what it says of its origin contradicts itself · `age` older than allowed, or from the future
 * - `rebased` request halves were rewritten without recording anew
 */
export type CassetteRule = 'format' | 'hash' | 'secret' | 'size' | 'origin' | 'age' | 'rebased'

export interface CassetteProblem {
  readonly rule: CassetteRule
  /** What is wrong, with which value, and how to fix it. */
  readonly message: string
}

export interface CassetteBudget {
  /** Largest file, in bytes; imported cassettes are exempt. Default: 65,536. */
  readonly maxBytes?: number | undefined
  /** Oldest recording of a real server (`live`, `local`), in days. Default: no limit. */
  readonly maxAge?: number | undefined
  /** Default: now. */
  readonly today?: Date | undefined
  /** Variables whose values count as secrets; see `scanCassette`. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
}

export interface InspectedCassette {
  /** Undefined when it cannot be read. */
  readonly cassette: Cassette | undefined
  readonly problems: readonly CassetteProblem[]
}

/** Reads the bytes of a cassette file and says all that is wrong with them. Never throws for what the file holds. */
export function inspectCassette(bytes: Uint8Array, file: string, budget: CassetteBudget = {}): InspectedCassette {
  let cassette: Cassette
  try {
    cassette = parseCassette(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes), file)
  } catch (error) {
    return { cassette: undefined, problems: [unreadable(error)] }
  }
  const secrets = scanCassette(cassette, { fileName: baseName(file), env: budget.env }).map(({ rule, location }) => ({
    rule: 'secret' as const,
    message: `${rule} in ${location}. Record it anew without, or declare the field in "mask".`,
  }))
  const problems = [
    ...secrets,
    ...sizeProblems(cassette, bytes.length, budget),
    ...originProblems(cassette),
    ...ageProblems(cassette, budget),
    ...rebasedProblems(cassette),
  ]
  return { cassette, problems }
}

// The folders above are this machine's, and none of the cassette's.
const baseName = (file: string): string => file.slice(Math.max(file.lastIndexOf('/'), file.lastIndexOf('\\')) + 1)

function unreadable(error: unknown): CassetteProblem {
  if (!CassetteError.isInstance(error)) {
    return {
      rule: 'format',
      message: 'The file is not valid UTF-8. Restore it from version control or record it anew.',
    }
  }
  const name = `${error.file}, `
  const message = error.message.startsWith(name) ? error.message.slice(name.length) : error.message
  return { rule: error.code === 'hash' ? 'hash' : 'format', message: message.replace(`${error.file}: `, '') }
}

const defaultMaxBytes = 65_536

function sizeProblems({ header }: Cassette, bytes: number, budget: CassetteBudget): CassetteProblem[] {
  const limit = budget.maxBytes ?? defaultMaxBytes
  if (bytes <= limit || header.origin.kind === 'imported') return []
  const message = `The file has ${bytes} bytes, the budget is ${limit}. Record a shorter conversation, or list it as an exception.`
  return [{ rule: 'size', message }]
}

function originProblems({ header, exchanges }: Cassette): CassetteProblem[] {
  const { origin } = header
  const problem = (message: string): CassetteProblem[] => [{ rule: 'origin', message }]
  switch (origin.kind) {
    case 'live': {
      const hosts = new Set(exchanges.map(({ request }) => new URL(request.url).host))
      if (origin.host === undefined) return problem('A live recording says no host. Record it anew.')
      if (hosts.has(origin.host) || hosts.size === 0) return []
      return problem(`It says live, but was recorded from ${origin.host} for ${[...hosts].join(', ')}. Record it anew.`)
    }
    case 'local':
      return origin.host === undefined ? problem('A local recording says no host. Record it anew.') : []
    case 'derived':
      return origin.recipe === undefined ? problem('A derived cassette says no recipe. Derive it anew.') : []
    case 'imported':
    case 'simulated':
      return []
    default:
      return origin.kind satisfies never
  }
}

const dayMs = 86_400_000

function ageProblems({ header: { origin } }: Cassette, budget: CassetteBudget): CassetteProblem[] {
  const days = Math.floor(((budget.today ?? new Date()).getTime() - Date.parse(origin.date)) / dayMs)
  // A day of tolerance: the recording's day may be that of another time zone.
  if (days < -1) return [{ rule: 'age', message: `It is dated ${origin.date}, in the future. Record it anew.` }]
  const isReal = origin.kind === 'live' || origin.kind === 'local'
  if (budget.maxAge === undefined || !isReal || days <= budget.maxAge) return []
  const message = `It was recorded ${days} days ago, on ${origin.date}; at most ${budget.maxAge} are allowed. Record it anew.`
  return [{ rule: 'age', message }]
}

function rebasedProblems({ exchanges }: Cassette): CassetteProblem[] {
  const days = exchanges.flatMap(({ request }) => request.rebased ?? [])
  const [day] = days.toSorted()
  if (day === undefined) return []
  const message = `${days.length} of ${exchanges.length} requests were rewritten since ${day} and never sent. Record it anew.`
  return [{ rule: 'rebased', message }]
}
