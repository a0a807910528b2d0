import { compactJson, jsonBody } from '../format/json-text.ts'

export const masked = '[masked]'

/** A copy of a JSON value with every value under the dotted paths replaced; `*` stands for any member. */
function maskJson(value: unknown, paths: readonly string[]): unknown {
  return paths.reduce((current, path) => maskPath(current, path.split('.')), value)
}

function maskPath(value: unknown, path: readonly string[]): unknown {
  const [step, ...rest] = path
  if (step === undefined) return masked
  if (typeof value !== 'object' || value === null) return value
  const change = (member: unknown, key: string): unknown => {
    return step === '*' || step === key ? maskPath(member, rest) : member
  }
  if (Array.isArray(value)) return value.map((member, index) => change(member, String(index)))
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, change(member, key)]))
}

/** One text for all JSON texts of the same value: members sorted by name, no blanks, numbers as JavaScript prints them. */
function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).toSorted(([left], [right]) => (left < right ? -1 : 1))
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`).join(',')}}`
}

/** What two bodies must share to be the same request. */
export interface ComparableBody {
  /** Equal texts are equal bodies. */
  readonly text: string
  /** The masked value of a JSON body, for the diff. */
  readonly json: unknown
}

/** JSON by masked value, anything else by its bytes. */
export function comparableBody(body: Uint8Array, mask: readonly string[]): ComparableBody {
  const whole = jsonBody(body)
  if (whole === undefined) return { text: latin1(body), json: undefined }
  try {
    const json = maskJson(whole.value, mask)
    return { text: canonicalJson(json), json }
  } catch (error) {
    // Nested deeper than the stack: compare token by token, which keeps the order of members.
    if (error instanceof RangeError) return { text: compactJson(whole.text), json: undefined }
    throw error
  }
}

// A string that differs wherever the bytes do, which decoding as UTF-8 would not give.
function latin1(body: Uint8Array): string {
  return new TextDecoder('latin1').decode(body)
}
