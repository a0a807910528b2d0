import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { PGlite } from '@electric-sql/pglite'
import { Kysely, PostgresDialect, sql, type PostgresPool, type PostgresPoolClient } from 'kysely'
import { afterAll, beforeAll, onTestFinished } from 'vitest'

/** A file for a database, which goes when the test ends. */
export function databasePath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'steploop-store-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return join(folder, 'store.db')
}

/** Runs a module in a process of its own; what it prints comes line by line. */
export function inProcess(source: string) {
  const child = spawn(process.execPath, ['--conditions=@steploop/source', '--input-type=module', '-e', source], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines: string[] = []
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line))
  return { child, lines, closed: once(child, 'close') }
}

/** What two processes print that run a module and go on at the same moment, each into `round`. */
export async function raced(source: string, round: string): Promise<readonly string[]> {
  const waiting = `${source}
    process.stdin.once('data', async () => {
      ${round}
      process.exit(0)
    })
    console.log('ready')`
  const two = [inProcess(waiting), inProcess(waiting)]
  await Promise.all(two.map(({ child }) => once(child.stdout, 'data')))
  for (const { child } of two) child.stdin.write('go\n')
  await Promise.all(two.map(({ closed }) => closed))
  return two.map(({ lines }) => lines.at(-1) ?? '').toSorted()
}

/** A Postgres for the tests of a group. Gives its pool, with an empty database each time. */
export function groupPostgres(): () => Promise<PostgresPool> {
  let postgres: Awaited<ReturnType<typeof pglitePool>>
  beforeAll(async () => {
    postgres = await pglitePool()
  }, 60_000)
  afterAll(() => postgres.close())
  return async () => {
    const db = new Kysely({ dialect: new PostgresDialect({ pool: postgres.pool }) })
    await sql`drop schema public cascade`.execute(db)
    await sql`create schema public`.execute(db)
    return postgres.pool
  }
}

/** A Postgres in this process behind the interface of `pg`'s pool. It has one connection, which is lent to one at a time. */
async function pglitePool(): Promise<{ readonly pool: PostgresPool; readonly close: () => Promise<void> }> {
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
