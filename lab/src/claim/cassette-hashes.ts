import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import type { Subject } from '@steploop/conformance'
import { cassettePath, type CaseReport } from '@steploop/conformance/cli'

/** Hashes of files by their names: sha256 of the bytes, hexadecimal. */
export type FileHashes = Readonly<Record<string, string>>

/** Hashes of the cassettes that cases were played from: those of cases that do not apply are none of a claim's. */
export function cassetteHashes(subject: Subject, cases: readonly CaseReport[]): FileHashes {
  if (subject.turnScript !== undefined) return {}
  const paths = cases
    .filter(({ verdict }) => verdict !== 'not-applicable')
    .map(({ scenario, mode }) => cassettePath(subject, scenario, mode))
    .filter((path) => existsSync(path))
  const hashes = paths.map((path): [string, string] => [basename(path), sha256(readFileSync(path))])
  return Object.fromEntries(hashes.toSorted(([left], [right]) => (left < right ? -1 : 1)))
}

/** Cassettes of a claim that are other ones now, a sentence each with its path. */
export function changedCassettes(subject: Subject, files: FileHashes): readonly string[] {
  return Object.entries(files).flatMap(([name, expected]) => {
    const [, scenario = '', mode] = /^(.+)\.(generate|stream)\.yaml$/.exec(name) ?? []
    const path = cassettePath(subject, scenario, mode === 'stream' ? 'stream' : 'generate')
    if (!existsSync(path)) return [`${path} is gone`]
    return sha256(readFileSync(path)) === expected ? [] : [`${path} was changed`]
  })
}

export function sha256(bytes: string | Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
