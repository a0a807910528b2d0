import type { ChatStore } from '@steploop/chat'
import type { PostgresPool } from 'kysely'
import { postgresDatabase } from '../sql/postgres-database.ts'
import { sqlChatStore } from './sql-chat-store.ts'

export interface PostgresChatStoreOptions {
  /** A pool of `pg`; it stays yours to close. */
  readonly pool: PostgresPool
  /** Milliseconds since the epoch, for leases. Default: the system's. The clocks of servers may differ by less than a lease. */
  readonly now?: (() => number) | undefined
}

/** Chats of `createChat` in Postgres. Any number of servers may share the database; its tables begin with `steploop_`. */
export async function postgresChatStore({ pool, now }: PostgresChatStoreOptions): Promise<ChatStore> {
  return sqlChatStore(postgresDatabase(pool), now)
}
