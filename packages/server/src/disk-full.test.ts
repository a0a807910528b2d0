import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { scriptedAdapter } from '@steploop/core/testing'
import { sqliteStore } from '@steploop/store/sqlite'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createServer } from './create-server.ts'
import { webSearch } from './executors/web-search.ts'

const opened = vi.hoisted(() => [] as DatabaseSync[])

vi.mock(import('node:sqlite'), async (load) => {
  const real = await load()
  class Watched extends real.DatabaseSync {
    constructor(...given: ConstructorParameters<typeof DatabaseSync>) {
      super(...given)
      opened.push(this)
    }
  }
  return { ...real, DatabaseSync: Watched }
})

/** A file that takes no more pages than it has, as on a disk that is full, until it is given room. */
async function smallStore() {
  const folder = mkdtempSync(join(tmpdir(), 'steploop-full-'))
  const store = await sqliteStore({ path: join(folder, 'store.db') })
  const writer = opened.at(-2)!
  onTestFinished(async () => {
    await store.maintenance.close()
    rmSync(folder, { recursive: true })
  })
  const pages = (): unknown => Object.values(writer.prepare('pragma page_count').get() ?? {})[0]
  return {
    store,
    fill: () => writer.exec(`pragma max_page_count = ${String(pages())}`),
    empty: () => writer.exec('pragma max_page_count = 1000000'),
  }
}

const big = 'x'.repeat(50_000)
const searchCall = { type: 'call', toolName: 'web_search', input: { query: big } } as const

/** What is written, and how far the run had come by then. */
const writes: readonly (readonly [
  write: string,
  moment: 'request' | 'model' | 'search' | 'answer',
  searches: number,
])[] = [
  ['the beginning', 'request', 0],
  ['a call before it runs', 'model', 0],
  ['its result', 'search', 1],
  ['the end', 'answer', 1],
]

test.each(writes)(
  'a disk that is full when %s is written: an error, nothing half there, no tool begun, and the server goes on',
  async (_write, moment, expected) => {
    const { store, fill, empty } = await smallStore()
    let searches = 0
    let isFull = false
    const reach = (reached: string): void => {
      if (reached === moment && !isFull) fill()
      if (reached === moment) isFull = true
    }
    const search = webSearch({
      search: async () => {
        searches++
        reach('search')
        return [{ url: 'https://example.com', text: big }]
      },
    })
    const model = scriptedAdapter([[searchCall], big, 'again'])
    const server = createServer({ models: { m: model }, store, executors: [search] })
    const ask = (route: string, body?: unknown): Promise<Response> =>
      server.fetch(
        new Request(`http://x/v1${route}`, body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
      )
    const statusOf = async (id: string) =>
      ((await (await ask(`/responses/${id}`)).json()) as { status?: string }).status
    const turn = model.turn.bind(model)
    vi.spyOn(model, 'turn').mockImplementation((request, context) => {
      reach(request.turn === 0 ? 'model' : 'answer')
      return turn(request, context)
    })
    reach('request')
    const tools = [{ type: 'web_search' }]
    const text = await (await ask('/responses', { model: 'm', input: big, tools, stream: true })).text()
    expect(text).toContain('storage_failed')
    expect(text).not.toMatch(/disk/)
    expect(searches).toBe(expected)
    empty()
    const id = /resp_\w+/.exec(text)?.[0] ?? 'resp_none'
    const messages = await store.messages('default', id)
    // Nothing at all, or the response as it was after the write before.
    const isThere = messages.length > 0
    expect(await statusOf(id)).toBe(isThere ? 'in_progress' : undefined)
    expect(messages.filter(({ role }) => role === 'assistant')).toHaveLength(expected)
    // Its server lives, and renews leases: it has to end by itself what it could not end before.
    await server.maintain()
    expect(await statusOf(id)).toBe(isThere ? 'failed' : undefined)
    expect((await ask('/responses', { model: 'm', input: 'y' })).status).toBe(200)
  },
)
