import type { ChatStore } from '@steploop/chat'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate } from 'node:timers'
import { sqliteDatabase } from '../sql/sqlite-database.ts'
import { sqlChatStore } from './sql-chat-store.ts'

export interface SqliteChatStoreOptions {
  /** Where the database is kept, which may be that of a `sqliteStore`; `:memory:` for one that ends with the process. */
  readonly path: string
  /** Milliseconds since the epoch, for leases. Default: the system's. */
  readonly now?: (() => number) | undefined
}

export interface SqliteChatStore extends ChatStore {
  /** Closes the file when what was asked for before is done; nothing may be asked for after it. */
  close(): Promise<void>
}

/** Chats of `createChat` in one file, through Node's own SQLite. Several processes may use the file. */
export async function sqliteChatStore({ path, now }: SqliteChatStoreOptions): Promise<SqliteChatStore> {
  const database = sqliteDatabase({ path, Driver: DatabaseSync, later: setImmediate })
  try {
    return { ...(await sqlChatStore(database, now)), close: () => database.close() }
  } catch (error) {
    await database.close()
    throw error
  }
}
