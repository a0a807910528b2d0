import { expect, test } from 'vitest'
import { ageText, brief, counted, verdicts, verdictWords } from './words.ts'

test('the age of a cassette is counted in days up to the day of the report', () => {
  expect(ageText('2026-11-20', '2026-11-22')).toBe('2 days old')
  expect(ageText('2026-11-21', '2026-11-22')).toBe('1 day old')
  expect(ageText('2026-11-22', '2026-11-22')).toBe('of the same day')
  expect(ageText('2026-11-22', undefined)).toBe('')
})

test('numbers are short where there is little room, and whole elsewhere', () => {
  expect([0, 999, 1000, 1234, 12_345].map(brief)).toEqual(['0', '999', '1k', '1.2k', '12k'])
  expect([counted(1, 'case'), counted(1234, 'case')]).toEqual(['1 case', '1,234 cases'])
})

test('every verdict has a sign of its own', () => {
  expect(new Set(Object.values(verdictWords).map(({ sign }) => sign)).size).toBe(verdicts.length)
  expect(Object.keys(verdictWords).toSorted()).toEqual([...verdicts].toSorted())
})
