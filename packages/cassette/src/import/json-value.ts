import { CassetteError } from '../errors.ts'

/** A JSON object of which nothing is known yet. */
export type JsonRecord = Readonly<Record<string, unknown>>

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array)
}

/** The object, or an empty one when it is anything else. */
export const recordOf = (value: unknown): JsonRecord => (isRecord(value) ? value : {})

/** The array, or an empty one when it is anything else. */
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** The text when it is one and not empty. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

export const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

/** @throws {CassetteError} `syntax` that names the file. */
export function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    const fix = 'Export the recording again, or restore the file.'
    throw new CassetteError('syntax', { file, what: `The file is broken JSON (${reason}).`, fix, cause })
  }
}

/** The error for a file that is not what it was taken for. */
export function notA(kind: string, file: string, why: string): CassetteError {
  return new CassetteError('schema', {
    file,
    what: `The file is no ${kind}: ${why}.`,
    fix: 'Name its format with --from, or leave it out.',
  })
}
