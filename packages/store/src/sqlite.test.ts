import { once } from 'node:events'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test, vi, type MockInstance } from 'vitest'
import { begun, complete } from './contract/samples.ts'
import { sqlStore } from './sql/sql-store.ts'
import { sqliteDatabase } from './sql/sqlite-database.ts'
import { asDriver } from './sql/sqlite-driver.ts'
import { sqliteStore } from './sqlite.ts'
import { databasePath, inProcess, raced } from './testing.ts'

/** The beginning of a module that has the store of the file as `store`. */
const opening = (path: string): string => `
    import { sqliteStore } from ${JSON.stringify(join(import.meta.dirname, 'sqlite.ts'))}
    import { begun, complete } from ${JSON.stringify(join(import.meta.dirname, 'contract/samples.ts'))}
    const store = await sqliteStore({ path: ${JSON.stringify(path)} })`

test('after kill -9 nothing that was acknowledged is lost, and nothing is half there', async () => {
  const kills = Number(process.env['STEPLOOP_KILLS'] ?? 3)
  const path = databasePath()
  for (let kill = 0; kill < kills; kill++) {
    const { child, lines, closed } = inProcess(
      `${opening(path)}
      for (let n = 0; ; n++) {
        const id = 'r${kill}-' + n
        await complete(store, 'a', id)
        console.log(id)
      }`,
    )
    await once(child.stdout, 'data')
    await new Promise((resolve) => {
      setTimeout(resolve, kill * 7)
    })
    child.kill('SIGKILL')
    await closed
    const store = await sqliteStore({ path })
    for (const id of lines) {
      expect((await store.response('a', id))?.status).toBe('completed')
      expect((await store.history('a', { responseId: id }))?.messages).toHaveLength(2)
    }
    const open = await store.maintenance.expired(Infinity)
    expect(open.length).toBeLessThanOrEqual(1)
    for (const { responseId } of open) {
      expect(await store.messages('a', responseId)).toHaveLength(1)
      await store.save('a', responseId, { owner: 'me', status: 'failed' })
    }
    await store.maintenance.close()
  }
})

test('of two processes that want one conversation one gets it, each time', async () => {
  const path = databasePath()
  const store = await sqliteStore({ path })
  await store.createConversation('a', { id: 'c', metadata: {}, createdAt: 1 })
  const accept = `
      const { type } = await store.accept('a', begun('r' + process.pid, { conversationId: 'c' }))
      console.log(type)`
  expect(await raced(opening(path), accept)).toEqual(['accepted', 'locked'])
  await store.maintenance.close()
})

test('of two processes that answer one item one does, each time', async () => {
  const path = databasePath()
  const store = await sqliteStore({ path })
  await complete(store, 'a', 'asks')
  const accept = `
      const { type } = await store.accept('a', begun('r' + process.pid, { answers: ['asks-out'] }))
      console.log(type)`
  expect(await raced(opening(path), accept)).toEqual(['accepted', 'answered'])
  await store.maintenance.close()
})

test('transactions that come together are committed together, and one that fails takes nobody with it', async () => {
  const store = await sqliteStore({ path: databasePath() })
  await store.accept('a', begun('r'))
  const saves = ['me', 'other', 'me'].map((owner, n) => store.save('a', 'r', { owner, result: { n } }))
  const outcomes = await Promise.allSettled(saves)
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect((await store.response('a', 'r'))?.result).toEqual({ n: 2 })
  await store.maintenance.close()
})

test('what requests of one turn of the event loop write is committed once', async () => {
  const commits: MockInstance[] = []
  class Watched extends DatabaseSync {
    override prepare(text: string) {
      const statement = super.prepare(text)
      if (text === 'commit') commits.push(vi.spyOn(statement, 'run'))
      return statement
    }
  }
  const store = await sqlStore(sqliteDatabase({ path: ':memory:', Driver: Watched, later: setImmediate }))
  for (const commit of commits) commit.mockClear()
  const tasks = Array.from({ length: 5 }, async (_, n) => {
    await new Promise((resolve) => {
      setImmediate(resolve)
    })
    await store.accept('a', begun(`r${n}`))
  })
  await Promise.all(tasks)
  expect(commits.flatMap(({ mock }) => mock.calls)).toHaveLength(1)
  await store.maintenance.close()
})

test('a chain of a thousand responses is read whole', async () => {
  const store = await sqliteStore({ path: ':memory:' })
  for (let n = 0; n < 1_000; n++) await complete(store, 'a', `r${n}`, n === 0 ? {} : { previousId: `r${n - 1}` })
  expect((await store.history('a', { responseId: 'r999' }))?.messages).toHaveLength(2_000)
  await store.maintenance.close()
})

test('tables of a later version are left alone', async () => {
  const path = databasePath()
  await (await sqliteStore({ path })).maintenance.close()
  const database = new DatabaseSync(path)
  database.exec('update steploop_meta set version = 99')
  database.close()
  await expect(sqliteStore({ path })).rejects.toMatchObject({ code: 'schema-too-new' })
})

test('statements are kept for the next time, but not one for each number of rows that a client may send', () => {
  const driver = asDriver(new DatabaseSync(':memory:'))
  const isKept = (text: string): boolean => driver.prepare(text) === driver.prepare(text)
  expect(isKept('select 1')).toBe(true)
  expect(isKept(`select ${'1 + '.repeat(600)} 1`)).toBe(false)
  const kept = Array.from({ length: 1_000 }, (_, index) => isKept(`select ${index} as n`)).filter(Boolean)
  expect(kept.length).toBeLessThanOrEqual(256)
})
