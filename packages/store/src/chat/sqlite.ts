import { sqliteDatabase } from '../sql/sqlite-database.ts'
import { sqlChatStore, type OpenChatStore } from './sql-chat-store.ts'

export type { OpenChatStore }

export interface SqliteChatStoreOptions {
  /** Where the database is kept, which may be that of a `sqliteStore`; `:memory:` for one that ends with the process. */
  readonly path: string
  /** Milliseconds since the epoch, for leases. Default: the system's. */
  readonly now?: (() => number) | undefined
}

/** Chats of `createChat` in one file, through Node's own SQLite. Several processes may use the file. */
export async function sqliteChatStore({ path, now }: SqliteChatStoreOptions): Promise<OpenChatStore> {
  const database = sqliteDatabase(path)
  try {
    return await sqlChatStore(database, now)
  } catch (error) {
    await database.close()
    throw error
  }
}
