import type { ChatStore, WriteOutcome } from '../chat-store.ts'

/** A store to be tried, and what its servers think the time is. */
export interface TriedStore {
  readonly store: ChatStore
  /** Another connection to the same chats, as another server has one. Default: `store`. */
  readonly other?: ChatStore | undefined
  /** Lets that many milliseconds go by; by a clock that was given to the store, or by waiting. */
  readonly pass: (ms: number) => Promise<void> | void
}

/** One thing that a store has to do. */
export interface ChatStoreCase {
  /** A sentence: the title of a test. */
  readonly name: string
  /** Rejects with an `Error` that says what the store did instead. `tried` is empty. */
  readonly run: (tried: TriedStore) => Promise<void>
}

/** A lease that no case outlives without `pass`; short enough for those who have to wait. */
const leaseMs = 1000
const chat = 'chat-1'
const run = (runId: string) => ({ runId, leaseMs })
const beginning = (runId: string, revision: number, messageId = 'message-1') => ({
  ...run(runId),
  revision,
  messageId,
  data: `{"begun":"${runId}"}`,
})

/**
 * What a store has to do, as cases for any test runner: `for (const { name, run } of chatStoreCases) test(name, () => run(tried()))`, with an
 * empty store each time.
 */
export const chatStoreCases: readonly ChatStoreCase[] = [
  {
    name: 'a chat that never was is not there, has no log, no run to stop and none to write for',
    async run({ store }) {
      same('load', await store.load(chat), undefined)
      same('read', await store.read(chat, 'message-1', 0), undefined)
      same('stop', await store.stop(chat), false)
      same('write', await store.write(chat, run('a'), { data: '{}' }), 'lost')
      same('end', await store.end(chat, 'a', { data: '{}' }), false)
      same('load after all that', await store.load(chat), undefined)
    },
  },
  {
    name: 'a run begins with its message and data, appends in order, and lets the chat go at its end',
    async run({ store, other = store }) {
      same('begin', await store.begin(chat, beginning('a', 0)), true)
      const begun = { data: '{"begun":"a"}', revision: 1, messageId: 'message-1', entries: 0, isRunning: true }
      same('load', await other.load(chat), begun)
      same('write', await store.write(chat, run('a'), { entries: ['one', 'two'] }), 'stored')
      same('write', await store.write(chat, run('a'), { entries: ['three'], data: '{"more":1}' }), 'stored')
      same('log', await readAll(other, 0), { entries: ['one', 'two', 'three'], isOpen: true })
      same('log after two', await readAll(other, 2), { entries: ['three'], isOpen: true })
      same('log after its end', await readAll(other, 3), { entries: [], isOpen: true })
      same('end', await store.end(chat, 'a', { entries: ['four'], data: '{"last":1}' }), true)
      same('log', await readAll(other, 3), { entries: ['four'], isOpen: false })
      const ended = { data: '{"last":1}', revision: 1, messageId: 'message-1', entries: 4, isRunning: false }
      same('load', await other.load(chat), ended)
      same('write after the end', await store.write(chat, run('a'), { entries: ['late'] }), 'lost')
      same('end after the end', await store.end(chat, 'a', { entries: ['late'] }), false)
      same('log', await readAll(other, 4), { entries: [], isOpen: false })
    },
  },
  {
    name: 'a write without anything keeps data and log as they are, and so does an end',
    async run({ store }) {
      await store.begin(chat, beginning('a', 0))
      same('write', await store.write(chat, run('a'), {}), 'stored')
      same('end', await store.end(chat, 'a', {}), true)
      const { data, entries } = (await store.load(chat)) ?? {}
      same('data and log', { data, entries }, { data: '{"begun":"a"}', entries: 0 })
    },
  },
  {
    name: 'the log of the same message is kept by the run that continues it, and emptied by one with another message',
    async run({ store }) {
      await store.begin(chat, beginning('a', 0))
      await store.end(chat, 'a', { entries: ['one'] })
      same('begin', await store.begin(chat, beginning('b', 1)), true)
      await store.write(chat, run('b'), { entries: ['two'] })
      same('log', await readAll(store, 0), { entries: ['one', 'two'], isOpen: true })
      await store.end(chat, 'b', {})
      same('begin', await store.begin(chat, beginning('c', 2, 'message-2')), true)
      same('log of the first message', await store.read(chat, 'message-1', 0), undefined)
      same('log of the second one', await readAll(store, 0, 'message-2'), { entries: [], isOpen: true })
    },
  },
  {
    name: 'of two runs that begin at once one gets the chat, and so again when both had read it before the other ended',
    async run({ store, other = store }) {
      const begun = await Promise.all([store.begin(chat, beginning('a', 0)), other.begin(chat, beginning('b', 0))])
      same('runs that began', begun.filter(Boolean).length, 1)
      const [winner, loser] = begun[0] ? ['a', 'b'] : ['b', 'a']
      same('write of the other', await other.write(chat, run(loser), { entries: ['foreign'] }), 'lost')
      same('begin while one runs', await other.begin(chat, beginning(loser, 1)), false)
      await store.end(chat, winner, {})
      same('begin with what was read before', await other.begin(chat, beginning(loser, 0)), false)
      same('log', await readAll(store, 0), { entries: [], isOpen: false })
      same('data', (await store.load(chat))?.data, `{"begun":"${winner}"}`)
      same('begin with what is there', await other.begin(chat, beginning(loser, 1)), true)
    },
  },
  {
    name: 'a run whose lease is over has lost the chat: another may begin, and nothing of the first is stored any more',
    async run({ store, other = store, pass }) {
      await store.begin(chat, beginning('a', 0))
      await store.write(chat, run('a'), { entries: ['one'] })
      await pass(leaseMs * 0.6)
      same('write within the lease', await store.write(chat, run('a'), {}), 'stored')
      await pass(leaseMs * 0.6)
      same('write within the prolonged lease', await store.write(chat, run('a'), {}), 'stored')
      await pass(leaseMs * 1.5)
      same('running', (await other.load(chat))?.isRunning, false)
      same('log', await readAll(other, 0), { entries: ['one'], isOpen: false })
      same('stop', await other.stop(chat), false)
      same('begin', await other.begin(chat, beginning('b', 1)), true)
      same('write of the first', await store.write(chat, run('a'), { entries: ['foreign'], data: 'x' }), 'lost')
      same('end of the first', await store.end(chat, 'a', { entries: ['foreign'], data: 'x' }), false)
      same('log', await readAll(other, 0), { entries: ['one'], isOpen: true })
      same('data', (await other.load(chat))?.data, '{"begun":"b"}')
    },
  },
  {
    name: 'a run that read the chat before another run had it does not begin, however many runs there were',
    async run({ store, other = store }) {
      await store.begin(chat, beginning('a', 0))
      await store.end(chat, 'a', {})
      await store.begin(chat, beginning('b', 1))
      await store.end(chat, 'b', { data: '{"last":"b"}' })
      same('begin with what was read before', await other.begin(chat, beginning('c', 1)), false)
      same('begin with what is not yet', await other.begin(chat, beginning('c', 3)), false)
      const { data, revision } = (await other.load(chat)) ?? {}
      same('data and revision', { data, revision }, { data: '{"last":"b"}', revision: 2 })
    },
  },
  {
    name: 'a run whose lease is over stores nothing any more, also where no other has begun',
    async run({ store, pass }) {
      await store.begin(chat, beginning('a', 0))
      await pass(leaseMs * 1.5)
      same('write', await store.write(chat, run('a'), { entries: ['late'], data: 'x' }), 'lost')
      same('end', await store.end(chat, 'a', { entries: ['late'], data: 'x' }), false)
      same('log', await readAll(store, 0), { entries: [], isOpen: false })
      same('data', (await store.load(chat))?.data, '{"begun":"a"}')
    },
  },
  {
    name: 'thousands of entries in one write come back in order',
    async run({ store, other = store }) {
      const entries = Array.from({ length: 2500 }, (_, n) => `entry ${n}`)
      await store.begin(chat, beginning('a', 0))
      same('write', await store.write(chat, run('a'), { entries }), 'stored')
      same('log', await readAll(other, 0), { entries, isOpen: true })
    },
  },
  {
    name: 'whoever stops a run is heard at its next write, which is stored, and the run after it is not stopped',
    async run({ store, other = store }) {
      await store.begin(chat, beginning('a', 0))
      same('stop', await other.stop(chat), true)
      const outcome: WriteOutcome = await store.write(chat, run('a'), { entries: ['one'] })
      same('write', outcome, 'stopping')
      same('end', await store.end(chat, 'a', {}), true)
      await store.begin(chat, beginning('b', 1))
      same('write of the next run', await store.write(chat, run('b'), { entries: ['two'] }), 'stored')
      same('log', await readAll(store, 0), { entries: ['one', 'two'], isOpen: true })
    },
  },
  {
    name: 'chats do not see each other',
    async run({ store }) {
      await store.begin(chat, beginning('a', 0))
      same('begin of the other', await store.begin('chat-2', beginning('a', 0)), true)
      await store.write('chat-2', run('a'), { entries: ['second'] })
      same('stop', await store.stop('chat-2'), true)
      same('write', await store.write(chat, run('a'), { entries: ['first'] }), 'stored')
      same('log', await readAll(store, 0), { entries: ['first'], isOpen: true })
    },
  },
  {
    name: 'any text comes back as it was, also as an id',
    async run({ store }) {
      const odd = '\u0001\u001f"\\\'%_;--</script>\r\ndata: x\n\n\u2028 Zürich 東京 😀 __proto__'
      const long = 'x'.repeat(300_000)
      const id = '__proto__'
      await store.begin(id, { ...beginning('a', 0, 'constructor'), data: odd })
      await store.write(id, run('a'), { entries: [odd, '', long] })
      same('log', await readAll(store, 0, 'constructor', id), { entries: [odd, '', long], isOpen: true })
      same('data', (await store.load(id))?.data, odd)
      same('a chat of another name', await store.load('toString'), undefined)
    },
  },
]

/** Reads as many pages as it takes. */
async function readAll(store: ChatStore, after: number, messageId = 'message-1', id = chat) {
  const entries: string[] = []
  for (;;) {
    const page = await store.read(id, messageId, after + entries.length)
    if (page === undefined) throw new Error(`read: there is no log of ${messageId}`)
    entries.push(...page.entries)
    if (page.entries.length === 0 || !page.isOpen) return { entries, isOpen: page.isOpen }
  }
}

function same(what: string, actual: unknown, expected: unknown): void {
  const [got, wanted] = [text(actual), text(expected)]
  if (got !== wanted) throw new Error(`${what}: the store gave ${got.slice(0, 500)}, expected ${wanted.slice(0, 500)}`)
}

/** Members in any order; one that is `undefined` is as good as none. */
function text(value: unknown): string {
  const sorted = (_key: string, member: unknown): unknown =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([left], [right]) => (left < right ? -1 : 1)))
      : member
  return JSON.stringify(value, sorted) ?? 'undefined'
}
