import { PGlite } from '@electric-sql/pglite'
import type { PostgresPool, PostgresPoolClient } from 'kysely'

/** A Postgres in this process behind the interface of `pg`'s pool. It has one connection, which is lent to one at a time. */
export async function pglitePool(): Promise<{ readonly pool: PostgresPool; readonly close: () => Promise<void> }> {
  const database = await PGlite.create()
  let free = Promise.resolve()
  const connect = async (): Promise<PostgresPoolClient> => {
    const before = free
    let release = (): void => undefined
    free = new Promise((resolve) => {
      release = resolve
    })
    await before
    const query = async (text: string, parameters: readonly unknown[] = []) => {
      const { rows, affectedRows } = await database.query(text, [...parameters])
      return { command: commandOf(text), rowCount: affectedRows ?? rows.length, rows }
    }
    return { query: query as PostgresPoolClient['query'], release }
  }
  return { pool: { connect, end: async () => undefined, options: {} }, close: () => database.close() }
}

function commandOf(text: string): 'UPDATE' | 'DELETE' | 'INSERT' | 'SELECT' {
  const word = text.trim().split(/\s/)[0]?.toUpperCase()
  return word === 'UPDATE' || word === 'DELETE' || word === 'INSERT' ? word : 'SELECT'
}
