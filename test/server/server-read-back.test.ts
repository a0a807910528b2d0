import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { memoryStore } from '@steploop/store'
import { sqliteStore } from '@steploop/store/sqlite'
import { expect, test } from 'vitest'
import { readBack, recordedAnswers } from './read-back.ts'

/** Recorded traffic beside the repository. It is no part of the project and may be missing. */
const folders = ['real-traffic', 'real-traffic-2'].map((name) =>
  fileURLToPath(new URL(`../../../shared/${name}`, import.meta.url)),
)
const isThere = folders.every((folder) => existsSync(folder))
const note = isThere ? '' : ' (no recorded traffic here: nothing was compared)'

/** A few of each wire format, from all of the recordings. */
const sample = isThere ? everyNth(40) : []

function everyNth(step: number) {
  const seen: Record<string, number> = {}
  return [...recordedAnswers(folders)].filter(({ wire }) => {
    seen[wire] = (seen[wire] ?? 0) + 1
    return seen[wire] % step === 1
  })
}

test.each(['memory', 'sqlite'])(`what is read from %s gives the next request byte for byte${note}`, async (kind) => {
  if (!isThere) return
  const store = kind === 'sqlite' ? await sqliteStore({ path: ':memory:' }) : memoryStore()
  const { equal, different } = await readBack(sample, store)
  expect(different).toEqual([])
  const wires = new Set(sample.map(({ wire }) => wire))
  expect(wires.size).toBeGreaterThanOrEqual(7)
  expect(Object.keys(equal).toSorted()).toEqual([...wires].toSorted())
})
