import type { PostgresPool } from 'kysely'
import { postgresDatabase } from './sql/postgres-database.ts'
import { sqlStore } from './sql/sql-store.ts'
import type { OpenStore } from './store.ts'

export interface PostgresStoreOptions {
  /** A pool of `pg`; it stays open when the store is closed. */
  readonly pool: PostgresPool
}

/** Any number of servers may share the database; its tables begin with `steploop_`. */
export async function postgresStore({ pool }: PostgresStoreOptions): Promise<OpenStore> {
  return sqlStore(postgresDatabase(pool))
}
