import { canonicalJson } from '../wire/canonical-json.ts'
import type { JsonObject } from '../wire/json.ts'
import { textHash } from '../wire/legal-name.ts'

/** The version that this package writes. */
export const transcriptVersion = 1

/** Turns a transcript of one version into one of the next. It gets what was stored, checked for nothing but its version. */
export type TranscriptMigration = (stored: JsonObject) => JsonObject

/**
 * Migrations by the version that they start from; every version below `transcriptVersion` has its line, and keeps it. Version 0 is a bare
 * list of messages, from before a transcript had an id and could wait for its caller.
 */
const transcriptMigrations: ReadonlyMap<number, TranscriptMigration> = new Map([
  [
    0,
    ({ messages }: JsonObject): JsonObject => ({
      version: 1,
      // The same text for the same conversation: idempotency keys are made of it.
      id: `v0-${textHash(canonicalJson(messages))}`,
      messages,
      pendingCalls: [],
    }),
  ],
])

/** The transcript in the version of this package; `undefined` when its version is newer, or no version. */
export function migrateTranscript(
  stored: JsonObject,
  migrations: ReadonlyMap<number, TranscriptMigration> = transcriptMigrations,
  target: number = transcriptVersion,
): JsonObject | undefined {
  let current = stored
  while (current['version'] !== target) {
    const { version } = current
    const migrate = typeof version === 'number' ? migrations.get(version) : undefined
    if (migrate === undefined) return undefined
    current = migrate(current)
  }
  return current
}
