import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { repository } from './catalogue.ts'
import type { Change } from './prove.ts'

/** A line that keeps somebody out, and what it becomes when it does so no longer. Each occurrence is a mutant of its own. */
type Guard = readonly [name: string, file: string, pattern: RegExp, becomes: string]

export interface GuardMutant extends Change {
  readonly guard: string
  readonly line: number
  readonly tests: readonly string[]
}

const store = 'packages/store/src'
const memory = `${store}/memory-store.ts`
const responses = `${store}/sql/sql-responses.ts`
const history = `${store}/sql/sql-history.ts`
const server = 'packages/server/src'
const guardedFetch = `${server}/executors/guarded-fetch.ts`
const tenantFilter = /\.where\('(\w+\.)?tenant', '=', (key\.)?tenant\)/g
const tenantOfMemory = /tenants\.(get|set)\(tenant/g
const leaseOfMemory = /found\.response\.lease\?\.owner !== owner|\(found\.response\.lease\?\.until \?\? 0\) >= now/g
const innerAddress = /addresses\.some\(\(\{ address \}\) => isInnerAddress\(address\)\)/g

/** Each with the tests that have to notice. */
const guards: readonly { readonly tests: readonly string[]; readonly guards: readonly Guard[] }[] = [
  {
    tests: [`${store}/contract.test.ts`],
    guards: [
      ['tenant filter', responses, tenantFilter, ''],
      ['tenant filter', `${store}/sql/sql-store.ts`, tenantFilter, ''],
      ['tenant filter', history, tenantFilter, ''],
      ['tenant filter of a chain', history, /(r\.)?tenant = \$\{tenant\}/g, '1 = 1'],
      ['tenant of the memory', memory, tenantOfMemory, "tenants.$1('all'"],
      ['lock', responses, /\.where\('locked_by', 'is', null\)/g, ''],
      ['lock of the memory', memory, /conversation\?\.lockedBy === undefined/g, 'true'],
      ['lease', responses, /\.where\('lease_owner', '=', owner\)/g, ''],
      ['lease of another is not over', responses, /row\('lease_until', '<', now\)/g, "row('lease_until', '>', 0)"],
      ['lease of the memory', memory, leaseOfMemory, 'false'],
      ['answer of another', responses, /\.where\('answered_by', 'is', null\)/g, ''],
      ['answer of another in the memory', memory, /other !== undefined/g, 'false'],
    ],
  },
  {
    tests: [`${server}/sealed.test.ts`],
    guards: [['seal', `${server}/seal.ts`, /\$\{version\} \$\{tenant\}/g, '${version}']],
  },
  {
    tests: [`${server}/bad-input.test.ts`],
    guards: [['credentials', `${server}/create-server.ts`, /who === undefined/g, 'false']],
  },
  {
    tests: ['redirect', 'guarded-fetch', 'executors'].map((name) => `${server}/executors/${name}.test.ts`),
    guards: [
      ['redirect', guardedFetch, /status >= 300 && status < 400/g, 'false'],
      ['inner address', guardedFetch, innerAddress, 'false'],
      ['allowed host', guardedFetch, /!hosts\.includes\(url\.hostname\)/g, 'false'],
      ['https', guardedFetch, /url\.protocol !== 'https:'/g, 'false'],
    ],
  },
]

/** Throws `RangeError` for a guard that is not there any more. */
export function guardMutants(): readonly GuardMutant[] {
  return guards.flatMap(({ tests, guards: noticed }) => noticed.flatMap((guard) => mutantsOf(guard, tests)))
}

function mutantsOf([guard, path, pattern, becomes]: Guard, tests: readonly string[]): readonly GuardMutant[] {
  const file = resolve(repository, path)
  const text = readFileSync(file, 'utf8')
  const found = [...text.matchAll(pattern)]
  if (found.length === 0) throw new RangeError(`${path} has no ${guard}: ${String(pattern)}`)
  return found.map(({ 0: own, index }) => ({
    guard,
    file,
    line: text.slice(0, index).split('\n').length,
    start: index,
    end: index + own.length,
    replacement: own.replace(new RegExp(pattern.source), becomes),
    tests,
  }))
}
