import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Message } from '@steploop/core'
import { createServer, type ResponsesServer } from '@steploop/server'
import type { OpenStore } from '@steploop/store'
import { sqliteStore } from '@steploop/store/sqlite'
import { expect, onTestFinished, test, vi } from 'vitest'
import { notingServer } from './noting-server.ts'

type Ask = (path: string, body?: unknown) => Promise<Response>

/** Files of a test, and processes that end with it. */
function scratch() {
  const folder = mkdtempSync(join(tmpdir(), 'steploop-server-'))
  const [path, log] = [join(folder, 'store.db'), join(folder, 'log')]
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const start = async (killAt = 0) => {
    const file = join(import.meta.dirname, 'processes/noting-process.ts')
    const words = ['--conditions=@steploop/source', file, path, log, String(killAt)]
    const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] })
    onTestFinished(() => void child.kill('SIGKILL'))
    const closed = once(child, 'close')
    const [baseURL] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
    const ask: Ask = (route, body) =>
      fetch(`${baseURL}${route}`, body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) })
    return { child, closed, ask }
  }
  const logged = (): string[] => (existsSync(log) ? readFileSync(log, 'utf8').split('\n').filter(Boolean) : [])
  return { path, log, start, logged }
}

function asking(server: ResponsesServer): Ask {
  return (route, body) =>
    server.fetch(
      new Request(`http://x/v1${route}`, body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    )
}

interface Observed {
  /** Ids of responses that a client knows of, and those whose end it was told. */
  readonly known: Set<string>
  readonly ended: Map<string, unknown>
}

/** A response that is waited for, and one in the background, with tools; as far as the server lives. */
async function converse(ask: Ask, conversation: string, round: number, { known, ended }: Observed): Promise<void> {
  for (const background of [false, true]) {
    const input = `round-${round}-${background ? 'back' : 'fore'}`
    const more = background ? { background } : { conversation }
    const answer = await ask('/responses', { model: 'm', input, stream: true, tools: [{ type: 'notes' }], ...more })
    for await (const { type, response } of eventsOf(answer)) {
      if (response !== undefined) known.add(response.id)
      if (response !== undefined && type === 'response.completed') ended.set(response.id, response.output)
    }
  }
}

interface ObservedEvent {
  readonly type: string
  readonly response?: { readonly id: string; readonly output: unknown }
}

async function* eventsOf({ body }: Response): AsyncGenerator<ObservedEvent> {
  let text = ''
  for await (const piece of body!.pipeThrough(new TextDecoderStream())) {
    const frames = (text + piece).split('\n\n')
    text = frames.pop()!
    for (const frame of frames) yield JSON.parse(frame.slice(frame.indexOf('data: ') + 6)) as ObservedEvent
  }
}

function callsWithoutOutput(messages: readonly Message[]): readonly string[] {
  const answered = new Set(
    messages.flatMap((message) => (message.role === 'tool' ? message.content.map((part) => part.toolCallId) : [])),
  )
  const calls = messages.flatMap((message) =>
    message.role === 'assistant'
      ? message.content.flatMap((part) => (part.type === 'tool-call' ? part.toolCallId : []))
      : [],
  )
  return calls.filter((id) => !answered.has(id))
}

/** As if the leases of all that died were over. */
function laterServer(store: OpenStore, log: string): ResponsesServer {
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => performance.timeOrigin + performance.now() + 31_000)
  onTestFinished(() => clock.mockRestore())
  return createServer(notingServer({ store, log }))
}

const kills = Number(process.env['STEPLOOP_KILLS'] ?? 3)

test(
  `after kill -9 of a server at ${kills} moments nothing is lost, open, half there or done twice`,
  { timeout: 30_000 + kills * 10_000 },
  async () => {
    const { path, log, start, logged } = scratch()
    const observed: Observed = { known: new Set(), ended: new Map() }
    const store = await sqliteStore({ path })
    let moments = 0
    const counting = createServer(notingServer({ store, log, moment: () => moments++ }))
    const conversations = await Promise.all(
      Array.from({ length: kills + 1 }, async () => {
        const made = (await (await asking(counting)('/conversations', {})).json()) as { id: string }
        return made.id
      }),
    )
    await converse(asking(counting), conversations[0]!, 0, observed)
    const all = moments
    for (let round = 1; round <= kills; round++) {
      const { ask, closed } = await start(Math.ceil((round * all) / (kills + 1)))
      await converse(ask, conversations[round]!, round, observed).catch(() => undefined)
      await closed
    }
    const server = laterServer(store, log)
    const ask = asking(server)
    await server.maintain()
    await vi.waitFor(async () => expect(await store.maintenance.expired(Infinity)).toEqual([]), 10_000)

    expect(observed.ended.size).toBeGreaterThan(1)
    for (const [id, output] of observed.ended) {
      expect(await (await ask(`/responses/${id}`)).json()).toMatchObject({ status: 'completed', output })
    }
    for (const id of observed.known) {
      const { status } = (await (await ask(`/responses/${id}`)).json()) as { status: string }
      expect(['completed', 'failed']).toContain(status)
      expect(callsWithoutOutput(await store.messages('default', id))).toEqual([])
    }
    const written = logged().filter((line) => line.startsWith('note'))
    expect(written.filter((line, index) => written.indexOf(line) !== index)).toEqual([])
    for (const conversation of conversations) {
      const history = await store.history('default', { conversationId: conversation })
      expect(callsWithoutOutput(history?.messages ?? [])).toEqual([])
      expect((await ask('/responses', { model: 'm', input: 'quick', conversation })).status).toBe(200)
    }
    await store.maintenance.close()
  },
)

test('of two servers of one database, each in its process, one gets a conversation and the other refuses', async () => {
  const { path, log, start } = scratch()
  const store = await sqliteStore({ path })
  const asks = [asking(createServer(notingServer({ store, log }))), (await start()).ask]
  const { id } = (await (await asks[0]!('/conversations', {})).json()) as { id: string }
  for (let round = 0; round < 4; round++) {
    const answers = await Promise.all(
      asks.map((ask) => ask('/responses', { model: 'm', input: 'slow', conversation: id })),
    )
    expect(answers.map(({ status }) => status).toSorted((left, right) => left - right)).toEqual([200, 400])
    const refused = (await answers.find(({ status }) => status === 400)?.json()) as unknown
    expect(refused).toMatchObject({ error: { code: 'conversation_locked' } })
  }
  expect((await store.history('default', { conversationId: id }))?.messages).toHaveLength(8)
  await store.maintenance.close()
})
