import { Kysely, PostgresDialect, sql, type PostgresPool } from 'kysely'
import type { Schema } from './sql/schema.ts'
import { sqlStore } from './sql/sql-store.ts'
import type { OpenStore } from './store.ts'

export interface PostgresStoreOptions {
  /** A pool of `pg`; it stays open when the store is closed. */
  readonly pool: PostgresPool
}

/** Any number of servers may share the database; its tables begin with `steploop_`. */
export async function postgresStore({ pool }: PostgresStoreOptions): Promise<OpenStore> {
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) })
  return sqlStore({
    transaction: (work) => db.transaction().execute(work),
    read: (work) => db.transaction().setIsolationLevel('repeatable read').execute(work),
    lockSchema: async (transaction) => {
      await sql`select pg_advisory_xact_lock(7318349394477056)`.execute(transaction)
    },
    close: async () => undefined,
  })
}
