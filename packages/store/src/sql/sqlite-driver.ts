import type { SqliteDatabase, SqliteStatement } from 'kysely'
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'

const longestKept = 2_000
const mostKept = 256

/** Keeps statements for the next time. An insert has a text for each number of rows, which clients choose: long ones are not kept. */
export function asDriver(database: DatabaseSync): SqliteDatabase {
  const known = new Map<string, SqliteStatement>()
  return {
    prepare(text) {
      const before = known.get(text)
      if (before !== undefined) return before
      const made = asStatement(database.prepare(text))
      if (text.length <= longestKept && known.size < mostKept) known.set(text, made)
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
