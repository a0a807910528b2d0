// The request after each recorded answer, from the store as from memory: `pnpm server:read-back STORE FOLDER ...`,
// with the stores `memory` and `sqlite`. Exit 1: one differs.
import { parseArgs } from 'node:util'
import { memoryStore } from '@steploop/store'
import { sqliteStore } from '@steploop/store/sqlite'
import { readBack, recordedAnswers } from './read-back.ts'

const { positionals } = parseArgs({ allowPositionals: true })
const [kind, ...folders] = positionals
const stores = {
  memory: async () => memoryStore(),
  sqlite: () => sqliteStore({ path: ':memory:' }),
}
if (kind === undefined || !Object.hasOwn(stores, kind)) throw new RangeError('Name a store: memory or sqlite.')
if (folders.length === 0) throw new RangeError('Name at least one folder of recordings.')
const report = await readBack(recordedAnswers(folders), await stores[kind as keyof typeof stores]())
for (const difference of report.different) console.log(difference)
console.log(report.equal, `${report.different.length} differ`)
process.exitCode = report.different.length === 0 ? 0 : 1
