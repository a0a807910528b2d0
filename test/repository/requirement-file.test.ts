import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { requirementsNow } from '@steploop/conformance/cli'
import { expect, test } from 'vitest'
import { writeRequirements } from '../../scripts/requirement-file.ts'
import { scratchFolder } from '../scratch.ts'

function scratch(sets: readonly { readonly date: string; readonly checks: readonly string[] }[] = []): string {
  const folder = scratchFolder()
  for (const set of sets) writeFileSync(join(folder, `${set.date}.json`), JSON.stringify({ scenarios: [], ...set }))
  return folder
}

const write = (folder: string, today: string): string => writeRequirements(pathToFileURL(`${folder}/`), today)
const read = (folder: string, name: string): unknown => JSON.parse(readFileSync(join(folder, name), 'utf8'))

test('a changed suite gets a set of today, those of past days stay as they are', () => {
  const old = { date: '2026-01-01', checks: ['of-old'] }
  const folder = scratch([old])
  expect(write(folder, '2026-01-02')).toMatch(
    /^Wrote the requirement set 2026-01-02: new scenario .*check 'of-old' is gone/,
  )
  expect(readdirSync(folder)).toEqual(['2026-01-01.json', '2026-01-02.json'])
  expect(read(folder, '2026-01-01.json')).toMatchObject(old)
  expect(read(folder, '2026-01-02.json')).toEqual(requirementsNow('2026-01-02'))
})

test('a set of today is replaced', () => {
  const folder = scratch([{ date: '2026-01-02', checks: ['of-this-morning'] }])
  write(folder, '2026-01-02')
  expect(readdirSync(folder)).toEqual(['2026-01-02.json'])
  expect(read(folder, '2026-01-02.json')).toEqual(requirementsNow('2026-01-02'))
})

test('nothing is written while the newest set is what the suite asks for', () => {
  const folder = scratch()
  expect(write(folder, '2026-01-01')).toBe('Wrote the requirement set 2026-01-01: the first set.')
  expect(write(folder, '2026-03-01')).toBe('The requirement set 2026-01-01 is what the suite asks for.')
  expect(readdirSync(folder)).toEqual(['2026-01-01.json'])
})

test('a set of a day to come means a wrong clock', () => {
  expect(() => write(scratch([{ date: '2026-01-02', checks: [] }]), '2026-01-01')).toThrow(/Set the clock right/)
})
