import { Kysely, PostgresDialect, sql, type PostgresPool } from 'kysely'
import type { SqlDatabase } from './database.ts'
import type { Schema } from './schema.ts'

/** The database of a pool, which stays open. */
export function postgresDatabase(pool: PostgresPool): SqlDatabase {
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) })
  return {
    transaction: (work) => db.transaction().execute(work),
    read: (work) => db.transaction().setIsolationLevel('repeatable read').execute(work),
    lockSchema: async (transaction) => {
      await sql`select pg_advisory_xact_lock(7318349394477056)`.execute(transaction)
    },
    close: async () => undefined,
  }
}
