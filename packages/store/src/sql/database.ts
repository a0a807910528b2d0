import type { Kysely } from 'kysely'
import type { Schema } from './schema.ts'

/** A database as the store uses it. */
export interface SqlDatabase {
  /** All of it is written, or nothing; when it resolves it is on the disk. */
  readonly transaction: <T>(work: (db: Kysely<Schema>) => Promise<T>) => Promise<T>
  /** Sees what was written when it began. */
  readonly read: <T>(work: (db: Kysely<Schema>) => Promise<T>) => Promise<T>
  /** Keeps another process from changing the tables until the transaction is over. */
  readonly lockSchema: (db: Kysely<Schema>) => Promise<void>
  readonly close: () => Promise<void>
}
