import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chatStoreCases } from '@steploop/chat/testing'
import { Kysely, PostgresDialect, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { pglitePool } from '../testing.ts'
import { postgresChatStore } from './postgres.ts'
import { sqliteChatStore } from './sqlite.ts'

function databasePath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'steploop-chats-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return join(folder, 'chats.db')
}

function clock() {
  let time = 0
  return { now: () => time, pass: (ms: number) => void (time += ms) }
}

test.for(chatStoreCases)('SQLite in a file: $name', async ({ run }) => {
  const { now, pass } = clock()
  const store = await sqliteChatStore({ path: databasePath(), now })
  await expect(run({ store, pass })).resolves.toBeUndefined()
  await store.close()
})

test.for(chatStoreCases)('two connections to one file: $name', async ({ run }) => {
  const { now, pass } = clock()
  const path = databasePath()
  const store = await sqliteChatStore({ path, now })
  const other = await sqliteChatStore({ path, now })
  await expect(run({ store, other, pass })).resolves.toBeUndefined()
  await store.close()
  await other.close()
})

describe('Postgres', () => {
  let postgres: Awaited<ReturnType<typeof pglitePool>>
  beforeAll(async () => {
    postgres = await pglitePool()
  }, 60_000)
  afterAll(() => postgres.close())

  test.for(chatStoreCases)('Postgres: $name', async ({ run }) => {
    const { pool } = postgres
    const db = new Kysely({ dialect: new PostgresDialect({ pool }) })
    await sql`drop schema public cascade`.execute(db)
    await sql`create schema public`.execute(db)
    const { now, pass } = clock()
    const store = await postgresChatStore({ pool, now })
    const other = await postgresChatStore({ pool, now })
    await expect(run({ store, other, pass })).resolves.toBeUndefined()
  })
})

/** Runs a module in a process of its own, with the store of the file as `store`. */
function inProcess(path: string, code: string) {
  const source = `
    import { sqliteChatStore } from ${JSON.stringify(join(import.meta.dirname, 'sqlite.ts'))}
    const store = await sqliteChatStore({ path: ${JSON.stringify(path)} })
    const beginning = { leaseMs: 30_000, revision: 0, messageId: 'm', data: '{}' }
    ${code}`
  const child = spawn(process.execPath, ['--conditions=@steploop/source', '--input-type=module', '-e', source], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let printed = ''
  child.stdout.on('data', (bytes: Buffer) => (printed += bytes.toString()))
  return { child, printed: () => printed, closed: once(child, 'close') }
}

test('of two processes that begin a run in one chat one gets it', async () => {
  const path = databasePath()
  const round = `
    process.stdin.once('data', async () => {
      console.log(await store.begin('c', { ...beginning, runId: String(process.pid) }))
      process.exit(0)
    })
    console.log('ready')`
  const two = [inProcess(path, round), inProcess(path, round)]
  await Promise.all(two.map(({ child }) => once(child.stdout, 'data')))
  for (const { child } of two) child.stdin.write('go\n')
  await Promise.all(two.map(({ closed }) => closed))
  expect(two.map(({ printed }) => printed()).toSorted()).toEqual(['ready\nfalse\n', 'ready\ntrue\n'])
})

test('what a killed process had stored is there, and its chat is taken over when the lease is over', async () => {
  const path = databasePath()
  const { child, closed } = inProcess(
    path,
    `await store.begin('c', { ...beginning, runId: 'dead' })
    await store.write('c', { runId: 'dead', leaseMs: 30_000 }, { entries: ['one'] })
    console.log('stored')
    setInterval(() => undefined, 1000)`,
  )
  await once(child.stdout, 'data')
  child.kill('SIGKILL')
  await closed

  const next = { runId: 'next', leaseMs: 30_000, revision: 1, messageId: 'm', data: '{}' }
  const within = await sqliteChatStore({ path })
  expect(await within.begin('c', next)).toBe(false)
  await within.close()
  const later = await sqliteChatStore({ path, now: () => Date.now() + 60_000 })
  expect(await later.begin('c', next)).toBe(true)
  expect(await later.read('c', 'm', 0)).toEqual({ entries: ['one'], isOpen: true })
  await later.close()
})
