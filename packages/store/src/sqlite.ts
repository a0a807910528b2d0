import { Kysely, SqliteDialect, sql, type SqliteDatabase, type SqliteStatement } from 'kysely'
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import type { SqlDatabase } from './sql/database.ts'
import { createGroupCommit } from './sql/group-commit.ts'
import type { Schema } from './sql/schema.ts'
import { sqlStore } from './sql/sql-store.ts'
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
  const database = sqliteDatabase(path)
  try {
    return await sqlStore(database)
  } catch (error) {
    await database.close()
    throw error
  }
}

function sqliteDatabase(path: string): SqlDatabase {
  const writer = new DatabaseSync(path)
  for (const setting of ['busy_timeout = 10000', 'journal_mode = WAL', 'synchronous = FULL'])
    writer.exec(`pragma ${setting}`)
  const db = new Kysely<Schema>({ dialect: new SqliteDialect({ database: asDriver(writer) }) })
  const run = (statement: string): Promise<unknown> => sql.raw(statement).execute(db)
  const transaction = createGroupCommit(db, run)
  // In the writer's own connection a reader would see what is not written yet.
  const reader = path === ':memory:' ? undefined : new DatabaseSync(path)
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

function asDriver(database: DatabaseSync): SqliteDatabase {
  const known = new Map<string, SqliteStatement>()
  return {
    prepare(text) {
      const made = known.get(text) ?? asStatement(database.prepare(text))
      known.set(text, made)
      return made
    },
    close: () => database.close(),
  }
}

function asStatement(statement: StatementSync): SqliteStatement {
  const values = (parameters: readonly unknown[]): SQLInputValue[] => parameters as SQLInputValue[]
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => statement.all(...values(parameters)),
    run: (parameters) => statement.run(...values(parameters)),
    iterate: (parameters) => statement.iterate(...values(parameters)),
  }
}
