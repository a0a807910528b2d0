import { once } from 'node:events'
import { join } from 'node:path'
import { chatStoreCases } from '@steploop/chat/testing'
import { describe, expect, test } from 'vitest'
import { databasePath, groupPostgres, inProcess, raced } from '../testing.ts'
import { postgresChatStore } from './postgres.ts'
import { sqliteChatStore } from './sqlite.ts'

function clock() {
  let time = 0
  return { now: () => time, pass: (ms: number) => void (time += ms) }
}

test.for(chatStoreCases)('SQLite in a file: $name', async ({ run }) => {
  const { now, pass } = clock()
  const store = await sqliteChatStore({ path: databasePath(), now })
  await expect(run({ store, pass })).resolves.toBeUndefined()
  await store.close()
})

test.for(chatStoreCases)('two connections to one file: $name', async ({ run }) => {
  const { now, pass } = clock()
  const path = databasePath()
  const store = await sqliteChatStore({ path, now })
  const other = await sqliteChatStore({ path, now })
  await expect(run({ store, other, pass })).resolves.toBeUndefined()
  await store.close()
  await other.close()
})

describe('Postgres', () => {
  const emptyPool = groupPostgres()

  test.for(chatStoreCases)('Postgres: $name', async ({ run }) => {
    const pool = await emptyPool()
    const { now, pass } = clock()
    const store = await postgresChatStore({ pool, now })
    const other = await postgresChatStore({ pool, now })
    await expect(run({ store, other, pass })).resolves.toBeUndefined()
  })
})

/** The beginning of a module that has the store of the file as `store`. */
const opening = (path: string): string => `
    import { sqliteChatStore } from ${JSON.stringify(join(import.meta.dirname, 'sqlite.ts'))}
    const store = await sqliteChatStore({ path: ${JSON.stringify(path)} })
    const beginning = { leaseMs: 30_000, revision: 0, messageId: 'm', data: '{}' }`

test('of two processes that begin a run in one chat one gets it', async () => {
  const begin = "console.log(await store.begin('c', { ...beginning, runId: String(process.pid) }))"
  expect(await raced(opening(databasePath()), begin)).toEqual(['false', 'true'])
})

test('what a killed process had stored is there, and its chat is taken over when the lease is over', async () => {
  const path = databasePath()
  const { child, closed } = inProcess(
    `${opening(path)}
    await store.begin('c', { ...beginning, runId: 'dead' })
    await store.write('c', { runId: 'dead', leaseMs: 30_000 }, { entries: ['one'] })
    console.log('stored')
    setInterval(() => undefined, 1000)`,
  )
  await once(child.stdout, 'data')
  child.kill('SIGKILL')
  await closed

  const next = { runId: 'next', leaseMs: 30_000, revision: 1, messageId: 'm', data: '{}' }
  const within = await sqliteChatStore({ path })
  expect(await within.begin('c', next)).toBe(false)
  await within.close()
  const later = await sqliteChatStore({ path, now: () => Date.now() + 60_000 })
  expect(await later.begin('c', next)).toBe(true)
  expect(await later.read('c', 'm', 0)).toEqual({ entries: ['one'], isOpen: true })
  await later.close()
})
