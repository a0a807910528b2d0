import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { repository } from './catalogue.ts'
import type { Change } from './prove.ts'

/** A line that keeps somebody out, and what it becomes when it does so no longer. */
export interface Guard {
  readonly name: string
  readonly file: string
  /** Each occurrence is a mutant of its own. */
  readonly pattern: RegExp
  readonly becomes: string
  readonly tests: readonly string[]
}

export interface GuardMutant extends Change {
  readonly guard: string
  readonly line: number
  readonly tests: readonly string[]
}

const store = 'packages/store/src'
const server = 'packages/server/src'
const storeTests = [`${store}/contract.test.ts`]
const guardedFetch = `${server}/executors/guarded-fetch.ts`
const fetchTests = [
  `${server}/executors/redirect.test.ts`,
  `${server}/executors/guarded-fetch.test.ts`,
  `${server}/executors/executors.test.ts`,
]

const guards: readonly Guard[] = [
  ...['sql-responses.ts', 'sql-store.ts', 'sql-history.ts'].map((name) => ({
    name: 'tenant filter',
    file: `${store}/sql/${name}`,
    pattern: /\.where\('(\w+\.)?tenant', '=', (key\.)?tenant\)/g,
    becomes: '',
    tests: storeTests,
  })),
  {
    name: 'tenant filter of a chain',
    file: `${store}/sql/sql-history.ts`,
    pattern: /(r\.)?tenant = \$\{tenant\}/g,
    becomes: '1 = 1',
    tests: storeTests,
  },
  {
    name: 'tenant of the memory',
    file: `${store}/memory-store.ts`,
    pattern: /tenants\.(get|set)\(tenant/g,
    becomes: "tenants.$1('all'",
    tests: storeTests,
  },
  {
    name: 'lock',
    file: `${store}/sql/sql-responses.ts`,
    pattern: /\.where\('locked_by', 'is', null\)/g,
    becomes: '',
    tests: storeTests,
  },
  {
    name: 'lock of the memory',
    file: `${store}/memory-store.ts`,
    pattern: /conversation\?\.lockedBy !== undefined/g,
    becomes: 'false',
    tests: storeTests,
  },
  {
    name: 'lease',
    file: `${store}/sql/sql-responses.ts`,
    pattern: /\.where\('lease_owner', '=', owner\)/g,
    becomes: '',
    tests: storeTests,
  },
  {
    name: 'lease of another is not over',
    file: `${store}/sql/sql-responses.ts`,
    pattern: /row\('lease_until', '<', now\)/g,
    becomes: "row('lease_until', '>', 0)",
    tests: storeTests,
  },
  {
    name: 'lease of the memory',
    file: `${store}/memory-store.ts`,
    pattern: /found\.response\.lease\?\.owner !== owner|\(found\.response\.lease\?\.until \?\? 0\) >= now/g,
    becomes: 'false',
    tests: storeTests,
  },
  {
    name: 'seal',
    file: `${server}/seal.ts`,
    pattern: /\$\{version\} \$\{tenant\}/g,
    becomes: '${version}',
    tests: [`${server}/sealed.test.ts`],
  },
  {
    name: 'credentials',
    file: `${server}/create-server.ts`,
    pattern: /who === undefined/g,
    becomes: 'false',
    tests: [`${server}/bad-input.test.ts`],
  },
  {
    name: 'redirect',
    file: guardedFetch,
    pattern: /status >= 300 && status < 400/g,
    becomes: 'false',
    tests: fetchTests,
  },
  {
    name: 'inner address',
    file: guardedFetch,
    pattern: /addresses\.some\(\(\{ address \}\) => isInnerAddress\(address\)\)/g,
    becomes: 'false',
    tests: fetchTests,
  },
  {
    name: 'allowed host',
    file: guardedFetch,
    pattern: /!hosts\.includes\(url\.hostname\)/g,
    becomes: 'false',
    tests: fetchTests,
  },
  { name: 'https', file: guardedFetch, pattern: /url\.protocol !== 'https:'/g, becomes: 'false', tests: fetchTests },
]

/** Throws `RangeError` for a guard that is not there any more. */
export function guardMutants(): readonly GuardMutant[] {
  return guards.flatMap(({ name: guard, file: path, pattern, becomes, tests }) => {
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
  })
}
