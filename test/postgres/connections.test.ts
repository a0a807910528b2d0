import { setTimeout as sleep } from 'node:timers/promises'
import type { Accepted, NewResponse, OpenStore } from '@steploop/store'
import { postgresStore } from '@steploop/store/postgres'
import { Client, Pool } from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { emptyPool, once } from './empty-pool.ts'

function begun(id: string, more: Partial<NewResponse> = {}): NewResponse {
  const item = { id: `${id}-in`, direction: 'input', data: { id: `${id}-in` }, covers: [[0, 0]] } as const
  const row = { request: {}, result: {}, transcriptId: 't', createdAt: 100, lease: { owner: 'me', until: 1_000 } }
  return { id, status: 'in_progress', messages: [{ role: 'user', content: id }], items: [item], ...row, ...more }
}

/** Two servers with a pool each, and a database that they share. */
async function twoServers() {
  const { url, pool } = await emptyPool({ max: 8 })
  const other = new Pool({ connectionString: url, max: 8 })
  onTestFinished(() => other.end())
  const stores = await Promise.all([postgresStore({ pool }), postgresStore({ pool: other })])
  return { stores, pool, url }
}

async function completed(store: OpenStore, id: string, more: Partial<NewResponse> = {}): Promise<void> {
  await store.accept('a', begun(id, more))
  await store.save('a', id, { owner: 'me', status: 'completed' })
}

type Backend = Client & { readonly processID?: number }

/** Stands between the store and the connections of a pool. */
function onQuery(
  pool: Pool,
  watch: (client: Backend, text: string, query: () => Promise<unknown>) => Promise<unknown>,
): void {
  pool.on('acquire', (client) => {
    if (Object.hasOwn(client, 'query')) return
    const query = client.query.bind(client) as (text: string, values: unknown[]) => Promise<unknown>
    const watched = (text: string, values: unknown[]) => watch(client, text, () => query(text, values))
    Object.assign(client, { query: watched })
  })
}

async function somebodyWaitsFor(processID: number | undefined): Promise<void> {
  const waiting = `select 1 from pg_stat_activity where ${processID} = any(pg_blocking_pids(pid))`
  while ((await once(waiting)).rows.length === 0) await sleep(5)
}

const kinds: Readonly<Record<string, readonly [Accepted['type'], (round: number, n: number) => Partial<NewResponse>]>> =
  {
    'a conversation': ['locked', (round) => ({ conversationId: `c${round}` })],
    'an item to answer': [
      'answered',
      (round, n) => ({ answers: n % 2 === 0 ? [`x${round}`, `y${round}`] : [`y${round}`, `x${round}`] }),
    ],
    'a key': ['repeated', (round) => ({ idempotency: { key: `k${round}`, body: 'b' } })],
    'a key and a conversation': [
      'repeated',
      (round) => ({ conversationId: `c${round}`, idempotency: { key: `k${round}`, body: 'b' } }),
    ],
    'a key and an item to answer': [
      'repeated',
      (round) => ({ answers: [`x${round}`], idempotency: { key: `k${round}`, body: 'b' } }),
    ],
  }

test.each(Object.entries(kinds))(
  'of 16 requests to two servers that want %s one gets it, each time',
  async (_what, [late, more]) => {
    const { stores } = await twoServers()
    for (let round = 0; round < 5; round++) {
      await stores[0].createConversation('a', { id: `c${round}`, metadata: {}, createdAt: 1 })
      const items = ['x', 'y'].map(
        (id) => ({ id: `${id}${round}`, direction: 'output', data: {}, covers: [] }) as const,
      )
      await stores[0].accept('a', begun(`asks${round}`, { items }))
      const asked = Array.from({ length: 16 }, (_, n) =>
        (n % 2 === 0 ? stores[0] : stores[1]).accept('a', begun(`r${round}-${n}`, more(round, n))),
      )
      const types = (await Promise.all(asked)).map((outcome) => outcome.type)
      expect(types.toSorted()).toEqual(['accepted', ...Array.from({ length: 15 }, () => late)])
    }
  },
)

test('of two servers that claim a response one gets it, and whoever opens the database first makes its tables', async () => {
  const { stores } = await twoServers()
  await Promise.all(Array.from({ length: 20 }, (_, n) => stores[0].accept('a', begun(`r${n}`))))
  for (let n = 0; n < 20; n++) {
    const claims = stores.map((store, index) => store.claim('a', `r${n}`, { owner: `o${index}`, until: 9_000 }, 5_000))
    expect((await Promise.all(claims)).filter((row) => row !== undefined)).toHaveLength(1)
  }
})

test.each([true, false])('what is gone on from while it is purged stays, deleted: %s', async (isDeleted) => {
  const { stores, pool } = await twoServers()
  const [store, other] = stores
  await completed(store, 'before')
  const begins = Promise.withResolvers<void>()
  onQuery(pool, async ({ processID }, text, query) => {
    if (text === 'commit') {
      begins.resolve()
      await somebodyWaitsFor(processID)
    }
    return query()
  })
  const accepting = store.accept('a', begun('next', { previousId: 'before' }))
  await begins.promise
  if (isDeleted) await Promise.all([other.deleteResponse('a', 'before'), accepting])
  await Promise.all([other.maintenance.purge(1_000, 0), accepting])
  expect((await other.history('a', { responseId: 'next' }))?.messages).toHaveLength(2)
})

test('two servers that purge at once remove everything once', async () => {
  const { stores } = await twoServers()
  const [store] = stores
  await Promise.all(Array.from({ length: 30 }, (_, n) => completed(store, `old${n}`)))
  const removed = await Promise.all(stores.map(({ maintenance }) => maintenance.purge(1_000, 0)))
  expect(removed.reduce((sum, each) => sum + each, 0)).toBe(30)
})

test('a transaction that the database takes back because of a deadlock is done again', async () => {
  const { stores, url } = await twoServers()
  const [store] = stores
  await store.createConversation('a', { id: 'c', metadata: {}, createdAt: 1 })
  await store.accept('a', begun('r', { conversationId: 'c' }))
  const rival: Backend = new Client({ connectionString: url })
  await rival.connect()
  onTestFinished(() => rival.end())
  // The rival does not look for deadlocks: the store, which waits already, is the one that finds it, and gives way.
  await rival.query("begin; set local deadlock_timeout = '1min'; update steploop_conversation set metadata = metadata")
  const saving = store.save('a', 'r', { owner: 'me', status: 'completed' })
  await somebodyWaitsFor(rival.processID)
  await rival.query('update steploop_response set attempt = attempt')
  await rival.query('commit')
  await expect(saving).resolves.toBeUndefined()
  expect((await store.response('a', 'r'))?.status).toBe('completed')
})

test.each(['begin', 'insert', 'commit'])(
  'a connection that is lost after %s is an error of that call alone, and nothing is half there',
  async (word) => {
    const { pool } = await emptyPool({ max: 1 })
    const store = await postgresStore({ pool })
    let isArmed = true
    onQuery(pool, async ({ processID }, text, query) => {
      const result = await query()
      if (isArmed && text.startsWith(word)) {
        isArmed = false
        await once(`select pg_terminate_backend(${processID})`)
        await sleep(50)
      }
      return result
    })
    const outcome = await Promise.allSettled([store.accept('a', begun('r'))])
    expect(outcome[0].status).toBe(word === 'commit' ? 'fulfilled' : 'rejected')
    expect((await store.messages('a', 'r')).length).toBe(word === 'commit' ? 1 : 0)
    expect((await store.accept('a', begun('next'))).type).toBe('accepted')
  },
)

test('a pool without a free connection is an error within its time, and the store goes on afterwards', async () => {
  const { pool } = await emptyPool({ max: 1, connectionTimeoutMillis: 100 })
  const store = await postgresStore({ pool })
  const taken = await pool.connect()
  await expect(store.accept('a', begun('r'))).rejects.toThrow('timeout')
  taken.release()
  expect((await store.accept('a', begun('r'))).type).toBe('accepted')
  const alone = await postgresStore({ pool: (await emptyPool({ max: 1 })).pool })
  const many = Array.from({ length: 50 }, (_, n) => alone.accept('a', begun(`r${n}`)))
  expect(new Set((await Promise.all(many)).map(({ type }) => type))).toEqual(new Set(['accepted']))
})

test('times, numbers and big texts come back as they were', async () => {
  const { pool } = await emptyPool()
  const store = await postgresStore({ pool })
  const [createdAt, until] = [Date.now() + 0.125, 2 ** 53 - 1]
  const content = 'x'.repeat(20_000_000)
  const messages = Array.from(
    { length: 5_000 },
    (_, n) => ({ role: 'user', content: n === 0 ? content : `${n}` }) as const,
  )
  await store.accept('a', begun('r', { createdAt, lease: { owner: 'me', until }, messages }))
  expect(await store.response('a', 'r')).toMatchObject({ createdAt, lease: { until }, attempt: 0, background: false })
  expect(await store.messages('a', 'r')).toEqual(messages)
})
