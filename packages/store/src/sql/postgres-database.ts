import { Kysely, PostgresDialect, sql, type PostgresPool, type PostgresPoolClient } from 'kysely'
import type { SqlDatabase } from './database.ts'
import type { Schema } from './schema.ts'

/** The database of a pool, which stays open. */
export function postgresDatabase(pool: PostgresPool): SqlDatabase {
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool: guarded(pool) }) })
  return {
    transaction: (work) => unlessInTheWay(() => db.transaction().execute(work)),
    read: (work) => db.transaction().setIsolationLevel('repeatable read').execute(work),
    lockSchema: async (transaction) => {
      await sql`select pg_advisory_xact_lock(7318349394477056)`.execute(transaction)
    },
    close: async () => undefined,
  }
}

/** Serialization failure and deadlock: the database has taken back what was written so that somebody else could go on. */
const inTheWay: ReadonlySet<unknown> = new Set(['40001', '40P01'])

async function unlessInTheWay<T>(transaction: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await transaction()
    } catch (error) {
      if (attempt === 10 || !inTheWay.has(Reflect.get(Object(error), 'code'))) throw error
    }
  }
}

interface Events {
  on?(event: 'error', listener: () => void): unknown
  off?(event: 'error', listener: () => void): unknown
}

const ignore = (): void => undefined

/**
 * The pool, with connections that may be lost: between two statements `pg` tells of it by an event, which ends the process where nobody
 * listens; the next statement is refused anyway.
 */
function guarded(pool: PostgresPool): PostgresPool {
  const connect = async (): Promise<PostgresPoolClient> => {
    const client: PostgresPoolClient & Events = await pool.connect()
    client.on?.('error', ignore)
    const query = (text: string, values: readonly unknown[] = []) => client.query(text, values.map(storable))
    const release = (...error: Parameters<PostgresPoolClient['release']>): void => {
      client.off?.('error', ignore)
      client.release(...error)
    }
    return { query: query as PostgresPoolClient['query'], release }
  }
  return { connect, options: pool.options, end: async () => undefined }
}

/** Postgres takes no NUL in a text. Only an id that a client made up has one, which then is an id that never was. */
function storable(value: unknown): unknown {
  return typeof value === 'string' ? value.replaceAll('\0', '\u{fffd}') : value
}
