import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql, Kysely, PostgresDialect } from 'kysely'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { storeContract } from './contract/index.ts'
import { memoryStore } from './memory-store.ts'
import { postgresStore } from './postgres.ts'
import { sqliteStore } from './sqlite.ts'
import { pglitePool } from './testing.ts'

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'steploop-store-'))
  onTestFinished(() => rmSync(path, { recursive: true }))
  return path
}

test.each(storeContract)('memory: $title', async ({ run }) => {
  await expect(run(memoryStore())).resolves.toBeUndefined()
})

test.each(storeContract)('SQLite in a file: $title', async ({ run }) => {
  const store = await sqliteStore({ path: join(folder(), 'store.db') })
  await expect(run(store)).resolves.toBeUndefined()
  await store.maintenance.close()
})

test.each(storeContract)('SQLite in memory: $title', async ({ run }) => {
  const store = await sqliteStore({ path: ':memory:' })
  await expect(run(store)).resolves.toBeUndefined()
  await store.maintenance.close()
})

describe('Postgres', () => {
  let postgres: Awaited<ReturnType<typeof pglitePool>>
  beforeAll(async () => {
    postgres = await pglitePool()
  }, 60_000)
  afterAll(() => postgres.close())

  test.each(storeContract)('Postgres: $title', async ({ run }) => {
    const db = new Kysely({ dialect: new PostgresDialect({ pool: postgres.pool }) })
    await sql`drop schema public cascade`.execute(db)
    await sql`create schema public`.execute(db)
    const store = await postgresStore({ pool: postgres.pool })
    await expect(run(store)).resolves.toBeUndefined()
  })
})
