import { expect, test } from 'vitest'
import { migrateTranscript, transcriptVersion, type TranscriptMigration } from './transcript-migrations.ts'

test('a stored transcript of this version is not touched', () => {
  const stored = { version: 1, id: 't', messages: [], pendingCalls: [] }
  expect(migrateTranscript(stored)).toBe(stored)
})

test('migrations are applied one after the other', () => {
  const steps = new Map<number, TranscriptMigration>([
    [0, () => ({ version: 1, names: ['zero'] })],
    [1, (stored) => ({ ...stored, version: 2, later: true })],
  ])
  expect(migrateTranscript({ version: 0 }, steps, 2)).toEqual({ version: 2, names: ['zero'], later: true })
  expect(migrateTranscript({ version: 1 }, steps, 2)).toEqual({ version: 2, later: true })
})

test('migrations exist for every version below that of this package', () => {
  const versions = Array.from({ length: transcriptVersion }, (_, version) => version)
  const migrated = versions.map((version) => migrateTranscript({ version, messages: [] })?.['version'])
  expect(migrated).toEqual(versions.map(() => transcriptVersion))
})
