import { Kysely, SqliteDialect, sql } from 'kysely'
import type { DatabaseSync } from 'node:sqlite'
import type { SqlDatabase } from './database.ts'
import { createGroupCommit, type GroupCommitOptions } from './group-commit.ts'
import type { Schema } from './schema.ts'
import { asDriver } from './sqlite-driver.ts'

export interface SqliteDatabaseOptions extends Pick<GroupCommitOptions, 'later'> {
  readonly path: string
  readonly Driver: typeof DatabaseSync
}

/** One file through Node's own SQLite, or `:memory:`. The entries bring the driver: what they share is loaded where there is no SQLite too. */
export function sqliteDatabase({ path, Driver, later }: SqliteDatabaseOptions): SqlDatabase {
  const writer = new Driver(path)
  for (const setting of ['busy_timeout = 10000', 'journal_mode = WAL', 'synchronous = FULL'])
    writer.exec(`pragma ${setting}`)
  const db = new Kysely<Schema>({ dialect: new SqliteDialect({ database: asDriver(writer) }) })
  // SQLite waits by blocking the process, in which another connection may be the one that holds the file.
  writer.exec('pragma busy_timeout = 0')
  const run = (statement: string): Promise<unknown> => whenFree(() => sql.raw(statement).execute(db))
  const transaction = createGroupCommit(db, { run, later })
  // In the writer's own connection a reader would see what is not written yet.
  const reader = path === ':memory:' ? undefined : new Driver(path)
  reader?.exec('pragma busy_timeout = 10000')
  const readDb = reader && new Kysely<Schema>({ dialect: new SqliteDialect({ database: asDriver(reader) }) })
  return {
    transaction,
    read: async (work) => (readDb === undefined ? transaction(work) : work(readDb)),
    lockSchema: async () => undefined,
    async close() {
      await transaction(async () => undefined)
      await db.destroy()
      await readDb?.destroy()
    },
  }
}

const busy = 5
const waitMs = 10_000

/** Tries again for as long as another connection holds the file, up to ten seconds. */
async function whenFree(work: () => Promise<unknown>): Promise<unknown> {
  const end = performance.now() + waitMs
  for (;;) {
    try {
      return await work()
    } catch (error) {
      const isBusy = error instanceof Error && 'errcode' in error && error.errcode === busy
      if (!isBusy || performance.now() > end) throw error
    }
    await new Promise((resolve) => {
      setTimeout(resolve, 1 + Math.random() * 4)
    })
  }
}
