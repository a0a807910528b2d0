import { redacted } from '../rules/stored-headers.ts'
import { readings } from '../redaction/encodings.ts'
import { rulesIn } from '../redaction/secret-rules.ts'

/** One path in which two JSON values differ. `absent` marks a side that has nothing there. */
export interface Difference {
  readonly path: string
  readonly expected: unknown
  readonly got: unknown
}

export const absent: unique symbol = Symbol('absent')

/** Every path in which `got` differs from `expected`, in the order of the expected value. */
export function structuralDiff(expected: unknown, got: unknown, path: string): Difference[] {
  if (Array.isArray(expected) && Array.isArray(got)) {
    const length = Math.max(expected.length, got.length)
    return Array.from({ length }, (_, index) => {
      const left: unknown = index < expected.length ? expected[index] : absent
      const right: unknown = index < got.length ? got[index] : absent
      return structuralDiff(left, right, `${path}[${index}]`)
    }).flat()
  }
  if (isRecord(expected) && isRecord(got)) {
    return [...new Set([...Object.keys(expected), ...Object.keys(got)])].flatMap((key) => {
      const left = Object.hasOwn(expected, key) ? expected[key] : absent
      const right = Object.hasOwn(got, key) ? got[key] : absent
      return structuralDiff(left, right, `${path}${memberPath(key)}`)
    })
  }
  return Object.is(expected, got) ? [] : [{ path, expected, got }]
}

const memberPath = (key: string): string => (/^[\w$-]+$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`)

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const shownDifferences = 12

/**
 * The differences as lines for a message; long values are shown around the first character in which they differ, and those that hold what
 * looks like a secret not at all.
 */
export function printDifferences(differences: readonly Difference[]): string {
  const lines = differences.slice(0, shownDifferences).map(({ path, expected, got }) => {
    const left = printValue(path, expected)
    const right = printValue(path, got)
    const from = Math.max(0, firstDifference(left, right) - 24)
    return `  ${path}: expected ${excerpt(left, from)} / got ${excerpt(right, from)}`
  })
  const left = differences.length - shownDifferences
  return [...lines, ...(left > 0 ? [`  and ${left} more differences`] : [])].join('\n')
}

function printValue(path: string, value: unknown): string {
  if (value === absent) return 'nothing'
  const text = JSON.stringify(value)
  // Some values look like secrets only beside their names.
  return looksSecret(`"${path.slice(path.lastIndexOf('.') + 1)}":${text}`) ? JSON.stringify(redacted) : text
}

function firstDifference(left: string, right: string): number {
  const length = Math.min(left.length, right.length)
  for (let index = 0; index < length; index += 1) if (left[index] !== right[index]) return index
  return length
}

const excerptLength = 100

function excerpt(text: string, from: number): string {
  if (text.length <= excerptLength) return text
  const start = Math.min(from, text.length - excerptLength / 2)
  const end = start + excerptLength
  return `${start > 0 ? '…' : ''}${text.slice(start, end)}${end < text.length ? '…' : ''}`
}

/** What belongs to a person is no secret in a message to that person. */
const ofPersons = ['home-path', 'e-mail']

/** Whether a text holds what looks like a key, URL- and base64-encoded, too. */
function looksSecret(text: string): boolean {
  return readings(text).some((reading) => rulesIn(reading).some((id) => !ofPersons.includes(id)))
}
