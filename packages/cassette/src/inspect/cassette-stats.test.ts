import { expect, test } from 'vitest'
import { cassetteOf, exchange } from '../testing.ts'
import { cassetteStats } from './cassette-stats.ts'

test('exchanges, bytes, chunks, broken endings, modes, origins and days are counted', () => {
  const one = cassetteOf(
    exchange({ sent: 'abc', chunks: ['ü', 'x'] }),
    exchange({ sent: '', chunks: [], ending: 'reset' }),
  )
  const imported = { ...one.header.origin, kind: 'imported' as const, date: '2025-01-01' }
  const other = { ...one, header: { ...one.header, mode: 'generate' as const, origin: imported } }
  expect(cassetteStats([one, other])).toEqual({
    files: 2,
    exchanges: 4,
    requestBytes: 6,
    responseBytes: 6,
    chunks: 4,
    broken: 2,
    rebased: 0,
    modes: { generate: 1, stream: 1 },
    origins: { derived: 1, imported: 1 },
    oldest: '2025-01-01',
    newest: '2026-11-21',
  })
})

test('nothing at all is counted as nothing', () => {
  expect(cassetteStats([])).toMatchObject({ files: 0, exchanges: 0, origins: {}, oldest: undefined })
})
