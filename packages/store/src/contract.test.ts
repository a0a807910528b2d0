import { describe, expect, test } from 'vitest'
import { storeContract } from './contract/index.ts'
import { memoryStore } from './memory-store.ts'
import { postgresStore } from './postgres.ts'
import { sqliteStore } from './sqlite.ts'
import { databasePath, groupPostgres } from './testing.ts'

test.each(storeContract)('memory: $title', async ({ run }) => {
  await expect(run(memoryStore())).resolves.toBeUndefined()
})

test.each(storeContract)('SQLite in a file: $title', async ({ run }) => {
  const store = await sqliteStore({ path: databasePath() })
  await expect(run(store)).resolves.toBeUndefined()
  await store.maintenance.close()
})

test.each(storeContract)('SQLite in memory: $title', async ({ run }) => {
  const store = await sqliteStore({ path: ':memory:' })
  await expect(run(store)).resolves.toBeUndefined()
  await store.maintenance.close()
})

describe('Postgres', () => {
  const emptyPool = groupPostgres()

  test.each(storeContract)('Postgres: $title', async ({ run }) => {
    const store = await postgresStore({ pool: await emptyPool() })
    await expect(run(store)).resolves.toBeUndefined()
  })
})
