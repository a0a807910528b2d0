import { StepLoop, tool } from '@steploop/core'
import type { Clock } from '@steploop/core/adapter'
import { scriptedAdapter, type ScriptedTurn } from '@steploop/core/testing'
import { isToolUIPart } from 'ai'
import { expect, onTestFinished, test, vi } from 'vitest'
import { z } from 'zod'
import { createChat, memoryStore, toUiMessages, type ChatOptions, type ChatStore } from './index.ts'
import { openPage, sending, settled, shownMessages, stopping, text, tick } from '../test/testing.ts'

const hanging: ScriptedTurn = { parts: [text('Once')], hang: true }

function open(script: readonly ScriptedTurn[], options: Partial<ChatOptions> = {}) {
  const paid: unknown[] = []
  const pay = tool({
    inputSchema: z.object({ amount: z.number() }),
    needsApproval: true,
    execute: (input) => `paid ${paid.push(input)}`,
  })
  const errors: string[] = []
  const loop = new StepLoop({ model: scriptedAdapter(script), tools: { pay }, maxRetries: 0 })
  const onError = (error: unknown): void => void errors.push(String(error))
  const chat = createChat({ loop, store: memoryStore(), onError, ...options })
  onTestFinished(() => chat.close())
  const send = (init?: RequestInit): Promise<Response> =>
    chat.send(sending({ id: 'a', message: { role: 'user', parts: [text('Hello')] } }, init))
  const stop = () => chat.stop(stopping())
  const isWriting = async () => (await chat.load('a')).writing !== undefined
  return { chat, send, stop, errors, paid, isWriting }
}

/** A clock on which nobody waits. */
const instant = (): Clock => ({
  now: Date.now,
  after(_ms, callback) {
    const timer = setImmediate(callback)
    return () => clearImmediate(timer)
  },
})

async function ticks(count = 20): Promise<void> {
  for (let waited = 0; waited < count; waited++) await tick()
}

/** It does not before `letGo`. */
const slow = (at: 'runOptions' | 'begin'): { readonly letGo: () => void; readonly options: Partial<ChatOptions> } => {
  const { promise, resolve: letGo } = Promise.withResolvers<void>()
  if (at === 'runOptions') return { letGo, options: { runOptions: () => promise.then(() => ({})) } }
  const store = memoryStore()
  return { letGo, options: { store: { ...store, begin: (...args) => promise.then(() => store.begin(...args)) } } }
}

test.for(['runOptions', 'begin'] as const)(
  'a run that is about to begin is ended by a stop that comes during %s',
  async (at) => {
    const { letGo, options } = slow(at)
    const { send, stop, isWriting } = open([hanging], options)
    const sent = send()
    await ticks()
    const stopped = stop()
    await ticks()
    letGo()
    expect((await sent).status).toBe(200)
    expect((await stopped).status).toBe(204)
    expect(await isWriting()).toBe(false)
  },
)

test('a run that is about to begin is ended by the close of the backend', async () => {
  const { letGo, options } = slow('begin')
  const { send, chat, isWriting } = open([hanging], options)
  const sent = send()
  await ticks()
  const closed = chat.close()
  letGo()
  await sent
  await closed
  expect(await isWriting()).toBe(false)
})

test('a run that is about to begin is ended when its page has left meanwhile, where leaving ends runs', async () => {
  const { letGo, options } = slow('begin')
  const { send, isWriting } = open([hanging], { ...options, onDisconnect: 'abort' })
  const page = new AbortController()
  const sent = send({ signal: page.signal })
  await ticks()
  page.abort()
  letGo()
  await sent
  await ticks()
  expect(await isWriting()).toBe(false)
})

test('an `onError` that fails holds nothing up', async () => {
  const unhandled = vi.fn()
  process.on('unhandledRejection', unhandled)
  onTestFinished(() => void process.off('unhandledRejection', unhandled))
  const broken = (): never => {
    throw new Error('no log')
  }
  const brokenLater: () => unknown = () => Promise.reject(new Error('no log'))
  for (const onError of [broken, brokenLater]) {
    const store: ChatStore = { ...memoryStore(), write: () => Promise.reject(new Error('disk full')) }
    const { send, stop, isWriting } = open([hanging], { store, onError })
    expect(await (await send()).text()).toContain('"The server failed. Please try again."')
    expect([(await stop()).status, await isWriting()]).toEqual([204, false])
    const down = open([], { store: { ...store, load: () => Promise.reject(new Error('down')) }, onError })
    expect((await down.send()).status).toBe(500)
  }
  await ticks()
  expect(unhandled).not.toHaveBeenCalled()
})

test('what comes in one tick with the end of a run is stored with it, in one write', async () => {
  const store = memoryStore()
  const calls: string[] = []
  const write: ChatStore['write'] = (...args) => (calls.push('write'), store.write(...args))
  const end: ChatStore['end'] = (...args) => (calls.push('end'), store.end(...args))
  const { send } = open(['Hello.'], { store: { ...store, write, end } })
  expect(await (await send()).text()).toContain('"type":"text-end"')
  expect(calls).toEqual(['end'])
})

test('an end that cannot be stored is stored when the store is back: the chat is free, and the page has its answer', async () => {
  const store = memoryStore()
  let failures = 3
  const end: ChatStore['end'] = (...args) => (failures-- > 0 ? Promise.reject(new Error('away')) : store.end(...args))
  const { send, errors, isWriting } = open(['Hello.', 'Again.'], { store: { ...store, end }, clock: instant() })
  const response = await (await send()).text()
  expect([response.includes('"type":"finish"'), await isWriting(), errors]).toEqual([true, false, []])
  expect((await send()).status).toBe(200)
})

test('an end that cannot be stored where the store stays away, is reported, and nobody waits for it without end', async () => {
  const end = () => Promise.reject(new Error('away'))
  const { send, errors, stop } = open(['Hello.'], { store: { ...memoryStore(), end }, clock: instant() })
  expect(await (await send()).text()).toContain('The answer was broken off.')
  expect(errors).toEqual(['Error: away'])
  expect((await stop()).status).toBe(202)
})

test('a `waitUntil` that fails is reported, and the page gets its answer', async () => {
  const waitUntil = (): never => {
    throw new TypeError('Illegal invocation')
  }
  const { send, errors } = open(['Hello.'], { waitUntil })
  const sent = await send()
  expect([sent.status, errors]).toEqual([200, ['TypeError: Illegal invocation']])
  expect(await sent.text()).toContain('"type":"finish"')
})

test.for([
  [{ pollMs: 0 }, '`pollMs` is 0. Give an integer from 1 to'],
  [{ leaseMs: Number.NaN }, '`leaseMs` is NaN.'],
  [{ heartbeatMs: Infinity }, '`heartbeatMs` is Infinity.'],
  [{ maxBodyBytes: -1 }, '`maxBodyBytes` is -1.'],
  [{ maxBodyBytes: '4mb' }, '`maxBodyBytes` is 4mb.'],
  [{ heartbeatMs: 30_000 }, '`heartbeatMs`, 30000, has to be less than `leaseMs`, 30000'],
  [{ leaseMs: 1000 }, '`heartbeatMs`, 1000, has to be less than `leaseMs`, 1000'],
  [{ onDisconnect: 'stop' }, "`onDisconnect` is 'stop'."],
  [{ authorize: true }, '`authorize` is no function.'],
  [{ store: { ...memoryStore(), end: undefined } }, '`store` has no `end`.'],
  [{ store: undefined }, '`store` has no `load`.'],
  [{ loop: {} }, '`loop` has no `stream`.'],
] as const)('options that are none are refused when the backend is made: %o', ([options, message]) => {
  expect(() => open([], options as unknown as Partial<ChatOptions>)).toThrow(message)
})

test('a log that cannot be read is reported, not told to the page, and its reader counts as gone', async () => {
  const store = memoryStore()
  let reads = 0
  const read: ChatStore['read'] = (...args) =>
    reads++ === 0 ? store.read(...args) : Promise.reject(new Error('secret host'))
  const { send, errors, isWriting } = open([hanging], { onDisconnect: 'abort', store: { ...store, read } })
  const response = await (await send()).text().catch(String)
  await ticks()
  expect(response).toBe('Error: The answer cannot be read now. Load the chat anew.')
  expect(errors).toEqual(['Error: secret host'])
  expect(await isWriting()).toBe(false)
})

test('events that fail at once, without a promise, end the run', async () => {
  let asked = 0
  const events = {
    [Symbol.asyncIterator]: () => ({
      next() {
        if (asked++ > 0) throw new Error('secret')
        return Promise.resolve({ done: false, value: { type: 'run-start', pendingCalls: [] } })
      },
    }),
  }
  const { send, errors, isWriting } = open([], { loop: { stream: () => events as never } })
  const response = await (await send()).text()
  expect([response.includes('"type":"error"'), response.includes('secret')]).toEqual([true, false])
  expect([errors, await isWriting()]).toEqual([['Error: secret'], false])
})

const call = (amount: number) => [{ type: 'call', toolName: 'pay', id: 'c1', input: { amount } }] as const
const instead = { body: { toolInputs: { c1: { amount: 3 } } } }

test('other arguments than the model wrote are not shown for a call that has the same id in the answer that is asked for anew', async () => {
  const { chat, paid } = open([call(5), 'Paid.', call(9000), 'Well.'])
  const { page } = await openPage(chat, { id: 'a' })
  const asked = (which = page) => which.lastMessage!.parts.find(isToolUIPart)!
  await page.sendMessage({ text: 'Pay.' })
  await page.addToolApprovalResponse({ id: asked().approval!.id, approved: true, options: instead })
  await settled(page)
  expect(paid).toEqual([{ amount: 3 }])
  await page.regenerate()
  const waiting = { toolCallId: 'c1', state: 'approval-requested', input: { amount: 9000 } }
  expect(asked()).toMatchObject(waiting)
  const { page: later } = await openPage(chat, { id: 'a' })
  expect(asked(later)).toMatchObject(waiting)
  await later.addToolApprovalResponse({ id: asked(later).approval!.id, approved: false })
  await settled(later)
  const stored = (await chat.load('a')).messages.at(-1)!.parts.find((part) => 'toolCallId' in part)
  expect(stored).toMatchObject({ state: 'output-denied', input: { amount: 9000 } })
})

test('other arguments than the model wrote are not shown for a call that waits: it shows its own', async () => {
  const loop = new StepLoop({
    model: scriptedAdapter([call(5)]),
    tools: {
      pay: tool({ inputSchema: z.object({ amount: z.number() }), needsApproval: true, execute: () => 'paid' }),
    },
  })
  const { transcript } = await loop.generate('Pay.')
  const [, answer] = toUiMessages(transcript, { inputs: { c1: { amount: 3 } } })
  expect(answer?.parts.at(-1)).toMatchObject({ state: 'approval-requested', input: { amount: 5 } })
})

test('other arguments than the model wrote of a tool whose name pages do not know are shown in its own part', async () => {
  const { chat } = open([call(5), 'Paid.'], { isDynamic: () => true })
  const { page } = await openPage(chat, { id: 'a' })
  await page.sendMessage({ text: 'Pay.' })
  const { approval } = page.lastMessage!.parts.find(isToolUIPart)!
  await page.addToolApprovalResponse({ id: approval!.id, approved: true, options: instead })
  await settled(page)
  expect(page.lastMessage!.parts.filter(isToolUIPart)).toHaveLength(1)
  expect(shownMessages(page.messages)).toEqual(shownMessages((await chat.load('a')).messages))
})
