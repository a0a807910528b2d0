import { DatabaseSync } from 'node:sqlite'
import { setImmediate } from 'node:timers'
import { sqlStore } from './sql/sql-store.ts'
import { sqliteDatabase } from './sql/sqlite-database.ts'
import type { OpenStore } from './store.ts'

export interface SqliteStoreOptions {
  /** Where the database is kept; `:memory:` for one that ends with the process. */
  readonly path: string
}

/**
 * A store in one file, through Node's own SQLite. Several processes may use the file. What was acknowledged survives `kill -9` and a power
 * cut (`synchronous=FULL`); transactions that come at the same time share one write to the disk.
 */
export async function sqliteStore({ path }: SqliteStoreOptions): Promise<OpenStore> {
  const database = sqliteDatabase({ path, Driver: DatabaseSync, later: setImmediate })
  try {
    return await sqlStore(database)
  } catch (error) {
    await database.close()
    throw error
  }
}
