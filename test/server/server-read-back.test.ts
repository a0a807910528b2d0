import { memoryStore } from '@steploop/store'
import { sqliteStore } from '@steploop/store/sqlite'
import { expect, test } from 'vitest'
import { readBack, recordedAnswers } from './read-back.ts'
import { hasTraffic, trafficFolders, trafficNote } from '../recorded-traffic.ts'

/** A few of each wire format, from all of the recordings. */
const sample = hasTraffic ? everyNth(40) : []

function everyNth(step: number) {
  const seen: Record<string, number> = {}
  return [...recordedAnswers(trafficFolders)].filter(({ wire }) => {
    seen[wire] = (seen[wire] ?? 0) + 1
    return seen[wire] % step === 1
  })
}

test.each(['memory', 'sqlite'])(
  `what is read from %s gives the next request byte for byte${trafficNote}`,
  async (kind) => {
    if (!hasTraffic) return
    const store = kind === 'sqlite' ? await sqliteStore({ path: ':memory:' }) : memoryStore()
    const { equal, different } = await readBack(sample, store)
    expect(different).toEqual([])
    const wires = new Set(sample.map(({ wire }) => wire))
    expect(wires.size).toBeGreaterThanOrEqual(7)
    expect(Object.keys(equal).toSorted()).toEqual([...wires].toSorted())
  },
)
