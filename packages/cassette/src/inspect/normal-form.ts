/** How values that differ between two recordings of the same conversation are made equal. */
export interface NormalFormOptions {
  /** Names of members whose numbers vary, besides times and durations, such as token counts. Default: none. */
  readonly volatile?: RegExp | undefined
  /** Names of members whose content is compared as it stands: no alias by the name of a member inside. Default: none. */
  readonly literal?: readonly string[] | undefined
}

/** Turns the values of one cassette into their normal form; the aliases of ids last over all calls. */
export type Normaliser = (value: unknown, name?: string) => unknown

const idName = /(?:^|[_-])ids?$|[a-z]I[dD]s?$/
const volatileName =
  /(?:^|_)(?:created|created_at|completed_at|expires_at|updated_at|timestamp|created_time|system_fingerprint|obfuscation|fingerprint)$|(?:_at|_ms|_time|_duration|Time|Duration|Timestamp)$/
const isoTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/
const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i
const token = /^[\w+/=.:-]{20,}$/

/** A normaliser with aliases of its own: `id 1` stands for the first id that it meets, wherever that turns up again. */
export function createNormaliser(options: NormalFormOptions = {}): Normaliser {
  const aliases = new Map<string, string>()
  const alias = (text: string): string => {
    const known = aliases.get(text) ?? `(id ${aliases.size + 1})`
    aliases.set(text, known)
    return known
  }
  const text = (value: string, name: string, literal: boolean): unknown => {
    const known = aliases.get(value)
    if (known !== undefined) return known
    if (volatileName.test(name) && !literal) return '(varies)'
    if (value !== '' && ((idName.test(name) && !literal && !/\s/.test(value)) || isOpaque(value))) return alias(value)
    if (isoTime.test(value) && !literal) return '(time)'
    const json = /^\s*[[{]/.test(value) ? parsed(value) : undefined
    return json === undefined ? value : normal(json, name, true)
  }
  const normal = (value: unknown, name: string, literal: boolean): unknown => {
    if (typeof value === 'string') return text(value, name, literal)
    if (typeof value === 'number') return literal ? value : numberForm(value, name, options)
    if (Array.isArray(value)) return value.map((member) => normal(member, name, literal))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => {
        return [key, normal(member, key, literal || (options.literal?.includes(key) ?? false))]
      }),
    )
  }
  return (value, name = '') => normal(value, name, false)
}

/** Signatures, encrypted content, UUIDs: nothing that a person compares. */
function isOpaque(text: string): boolean {
  if (uuid.test(text)) return true
  return token.test(text) && /\d/.test(text) && /[a-z]/.test(text) && /[A-Z]/.test(text)
}

// Seconds or milliseconds since 1970, between 2001 and 2096.
const isEpoch = (value: number): boolean => (value > 1e9 && value < 4e9) || (value > 1e12 && value < 4e12)

function numberForm(value: number, name: string, { volatile }: NormalFormOptions): unknown {
  return volatileName.test(name) || volatile?.test(name) === true || isEpoch(value) ? '(varies)' : value
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
