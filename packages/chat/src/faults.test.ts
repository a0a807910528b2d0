import { setTimeout } from 'node:timers/promises'
import { StepLoop, tool, type StepLoopOptions } from '@steploop/core'
import { scriptedAdapter, type ScriptedTurn } from '@steploop/core/testing'
import { isToolUIPart } from 'ai'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { createChat, memoryStore, type Chat, type ChatOptions, type ChatStore } from './index.ts'
import {
  call,
  openPage,
  overloaded,
  resuming,
  sending,
  settled,
  shownMessages,
  slowly,
  stopping,
  text,
  tick,
  type Page,
} from '../test/testing.ts'

// Longer than a write waits for more: what comes within one millisecond is one write.
const look = tool({ inputSchema: z.object({}), execute: () => setTimeout(3, 'seen') })
const hang = tool({ inputSchema: z.object({}), execute: () => new Promise(() => undefined) })
const pay = tool({ inputSchema: z.object({}), needsApproval: true, execute: () => 'paid' })

function open(
  script: readonly ScriptedTurn[],
  { loop = {}, ...options }: Partial<Omit<ChatOptions, 'loop'>> & { readonly loop?: Partial<StepLoopOptions> } = {},
) {
  const model = scriptedAdapter(script)
  const tools = { look, hang, pay }
  const chat = createChat({
    loop: new StepLoop({ model: slowly(model), tools, maxRetries: 0, ...loop }),
    store: memoryStore(),
    ...options,
  })
  return { chat, model }
}

const textIn = (parts: readonly { readonly type: string; readonly text?: unknown }[]): string =>
  parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
const saysOf = (page: Page): string => (page.lastMessage?.role === 'assistant' ? textIn(page.lastMessage.parts) : '')

async function until(isSo: () => boolean | undefined): Promise<void> {
  while (isSo() !== true) await tick()
}

const isRunning = (page: Page) =>
  page.lastMessage?.parts.some(
    (part) => part.type === 'data-tool-state' && (part.data as { state: string }).state === 'running',
  )

const phases: readonly [
  string,
  readonly ScriptedTurn[],
  (page: Page, seen: readonly string[]) => boolean | undefined,
][] = [
  ['the model speaks', [{ parts: [text('Once upon')], hang: true }, 'next'], (page) => saysOf(page) === 'Once upon'],
  ['a tool runs', [[text('Hm. '), call('hang')], 'next'], isRunning],
  [
    'it waits before asking again',
    [{ parts: [text('wrong')], error: overloaded }, 'next'],
    (_page, seen) => seen.includes('data-retry'),
  ],
  [
    'it waits for an approval',
    [[call('pay')], 'next'],
    (page) => page.lastMessage?.parts.some((part) => isToolUIPart(part) && part.state === 'approval-requested'),
  ],
]
test.for(phases)('stop while %s leaves the page ready, and the next message works', async ([, script, reached]) => {
  const retry = { maxRetries: 1, clock: { now: Date.now, after: () => () => undefined }, toolTimeout: 0 }
  const { chat } = open(script, { loop: retry })
  const seen: string[] = []
  const { page } = await openPage(chat, { id: 'a', onData: ({ type }) => void seen.push(type) })
  void page.sendMessage({ text: 'Hello' })
  await until(() => reached(page, seen))
  expect((await chat.stop(stopping())).status).toBe(204)
  await settled(page)
  expect({ status: page.status, error: page.error }).toEqual({ status: 'ready', error: undefined })
  expect((await chat.resume(resuming())).status).toBe(204)
  const stored = (await chat.load('a')).messages.at(-1)!
  expect(stored.role === 'user' ? '' : textIn(stored.parts)).toBe(saysOf(page))
  await page.sendMessage({ text: 'Go on.' })
  expect({ error: page.error, says: saysOf(page) }).toEqual({ error: undefined, says: 'next' })
  const { messages } = await chat.load('a')
  expect(messages.filter(({ role }) => role === 'user')).toHaveLength(2)
})

test('stop does not stop the run that begins as soon as the stopped one has ended', async () => {
  const store = memoryStore()
  const late: ChatStore = {
    ...store,
    async stop(chatId) {
      for (let waited = 0; waited < 50; waited++) await tick()
      return store.stop(chatId)
    },
  }
  const { chat } = open([{ parts: [text('Once')], hang: true }, Array.from({ length: 60 }, () => text('more '))], {
    store: late,
  })
  const { page } = await openPage(chat, { id: 'a' })
  const first = page.sendMessage({ text: 'Hello' })
  await until(() => saysOf(page) === 'Once')
  const stopped = chat.stop(stopping())
  await first
  const second = page.sendMessage({ text: 'Go on.' })
  expect((await stopped).status).toBe(204)
  await second
  expect(saysOf(page)).toBe('more '.repeat(60))
})

test('stop through another server that has the same store is heard', async () => {
  const store = memoryStore()
  const { chat } = open([{ parts: [text('Once')], hang: true }], { store, heartbeatMs: 5 })
  const other = open([], { store, pollMs: 5 }).chat
  const { page } = await openPage(chat, { id: 'a' })
  void page.sendMessage({ text: 'Hello' })
  await until(() => saysOf(page) === 'Once')
  expect((await other.stop(stopping())).status).toBe(204)
  await settled(page)
  expect(page.status).toBe('ready')
})

test('a page that leaves does not end the run, which is there when somebody comes back', async () => {
  const { chat } = open([[text('One. '), call('look')], 'Two.'])
  const { page } = await openPage(chat, { id: 'a' })
  void page.sendMessage({ text: 'Hello' })
  await until(() => saysOf(page) !== '')
  await page.stop()
  await chat.load('a')
  const { page: later, resumed } = await openPage(chat, { id: 'a' })
  await resumed
  await settled(later)
  expect(saysOf(later)).toBe('One. Two.')
})

test('a page that leaves ends it where the application wants that, unless another page reads on', async () => {
  const { chat } = open([{ parts: [text('Once')], hang: true }], { onDisconnect: 'abort' })
  const { page } = await openPage(chat, { id: 'a' })
  void page.sendMessage({ text: 'Hello' })
  await until(() => saysOf(page) === 'Once')
  const { page: other } = await openPage(chat, { id: 'a' })
  await until(() => saysOf(other) === 'Once')
  await page.stop()
  await tick()
  expect((await chat.load('a')).writing).toBeDefined()
  await other.stop()
  await chat.close()
  await tick()
  expect((await chat.load('a')).writing).toBe(undefined)
})

test('a page that leaves and comes back after its connection was cut in the middle has each word once', async () => {
  let connections = 0
  // The run goes on when the page has come back for the third time: what is over cannot be resumed.
  const patient = tool({ inputSchema: z.object({}), execute: () => until(() => connections === 4) })
  const { chat } = open([[text('One two three. '), call('look')], 'Four five.'], { loop: { tools: { look: patient } } })
  const cut = (response: Response): Response => {
    let left = 100 * ++connections
    if (connections === 4 || response.body === null) return response
    const broken = response.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(bytes, controller) {
          controller.enqueue(bytes.subarray(0, left))
          left -= bytes.length
          if (left < 0) controller.error(new TypeError('network error'))
        },
      }),
    )
    return new Response(broken, { headers: response.headers })
  }
  const { page } = await openPage(chat, { id: 'a', cut })
  await page.sendMessage({ text: 'Hello' })
  for (let cuts = 0; cuts < 3 && page.status === 'error'; cuts++) await page.resumeStream()
  await settled(page)
  expect(connections).toBe(4)
  const stored = shownMessages((await chat.load('a')).messages)
  expect(shownMessages(page.messages)).toEqual(stored)
  expect(JSON.stringify(stored)).toContain('Four five.')
  expect(saysOf(page)).toBe('One two three. Four five.')
})

test('two pages on one chat cannot both let it answer: the second is told how it stands', async () => {
  const { chat, model } = open([{ parts: [text('One.')], hang: true }])
  const { page } = await openPage(chat, { id: 'a' })
  const { page: other } = await openPage(chat, { id: 'a' })
  const first = page.sendMessage({ text: 'Hello' })
  await until(() => saysOf(page) === 'One.')
  await other.sendMessage({ text: 'Me too' })
  expect(other.status).toBe('error')
  expect(JSON.parse(other.error!.message)).toMatchObject({
    error: { code: 'conflict' },
    chat: { messages: [{ role: 'user', parts: [{ text: 'Hello' }] }], writing: page.lastMessage!.id },
  })
  await chat.stop(stopping())
  await first
  expect(saysOf(page)).toBe('One.')
  expect(model.requests).toHaveLength(1)
  expect((await chat.load('a')).messages).toHaveLength(2)
})

test('two pages on one chat of two that answer the same call at once one does, and it runs once', async () => {
  let runs = 0
  const once = tool({ inputSchema: z.object({}), needsApproval: true, execute: () => `run ${++runs}` })
  const { chat } = open([[call('once')], 'Done.'], { loop: { tools: { once } } })
  const { page } = await openPage(chat, { id: 'a' })
  await page.sendMessage({ text: 'Hello' })
  const { page: other } = await openPage(chat, { id: 'a' })
  const approve = (which: Page): unknown => {
    const part = which.lastMessage!.parts.find(isToolUIPart)!
    return which.addToolApprovalResponse({ id: part.approval!.id, approved: true })
  }
  await Promise.all([approve(page), approve(other)])
  await settled(page)
  await settled(other)
  expect([page.status, other.status].toSorted()).toEqual(['error', 'ready'])
  expect(runs).toBe(1)
  const { messages } = await chat.load('a')
  expect(JSON.stringify(messages).split('"run 1"')).toHaveLength(2)
  // The answer is given again, much later.
  await other.sendMessage()
  expect(JSON.parse(other.error!.message)).toMatchObject({
    error: { code: 'conflict' },
    chat: { messages: [{}, {}] },
  })
})

/** A chat whose call waits for an approval, the approval of it, and servers of the same store. */
async function waitingChat() {
  const state = { now: 0, runs: 0 }
  const store = memoryStore({ now: () => state.now })
  const execute = () => new Promise(() => void state.runs++)
  const tools = { pay: tool({ inputSchema: z.looseObject({}), needsApproval: true, execute }) }
  const serve = (script: readonly ScriptedTurn[], more: Partial<ChatOptions> = {}) =>
    open(script, { store, ...more, loop: { tools, toolTimeout: 0 } })
  const { page } = await openPage(serve([[call('pay')]]).chat, { id: 'a' })
  await page.sendMessage({ text: 'Hello' })
  const { parts, ...message } = page.lastMessage!
  const answered = parts.map((part) =>
    isToolUIPart(part)
      ? { ...part, state: 'approval-responded', approval: { ...part.approval, approved: true } }
      : part,
  )
  const toolInputs = Object.fromEntries(parts.filter(isToolUIPart).map(({ toolCallId }) => [toolCallId, { amount: 3 }]))
  const approve = ({ chat }: { readonly chat: Chat }) =>
    chat.send(sending({ id: 'a', messages: [{ ...message, parts: answered }], toolInputs }))
  return { state, store, serve, approve }
}

test('a call that was approved is not run again when its server has died, and the chat goes on', async () => {
  const { state, store, serve, approve } = await waitingChat()
  const died: ChatStore = { ...store, write: async () => 'stored', end: () => new Promise(() => undefined) }
  await approve(serve([], { store: died }))
  await until(() => state.runs === 1)
  state.now = 60_000
  const { chat, model } = serve(['Later.'])
  expect((await approve({ chat })).status).toBe(409)
  expect(JSON.stringify((await chat.load('a')).messages)).toContain('output-error')
  const message = { id: 'm2', role: 'user', parts: [text('And?')] }
  expect(await (await chat.send(sending({ id: 'a', messages: [message] }))).text()).toContain('"completed"')
  expect(state.runs).toBe(1)
  const told = { code: 'aborted', executedInput: { amount: 3 } }
  const result = expect.objectContaining({ output: { type: 'error', value: expect.objectContaining(told) } })
  expect(model.requests[0]?.request.messages).toContainEqual({ role: 'tool', content: [result] })
})

test('an approval counts still when its run could not begin', async () => {
  const { state, serve, approve } = await waitingChat()
  await (await approve(serve([], { runOptions: () => ({ maxSteps: -1 }) }))).text()
  expect((await approve(serve([]))).status).toBe(200)
  await until(() => state.runs === 1)
})

test('retry after a provider that failed in the middle asks anew for the answer to the same message', async () => {
  const { chat, model } = open([{ parts: [text('Half an')], error: overloaded }, 'The whole answer.'])
  const { page } = await openPage(chat, { id: 'a' })
  await page.sendMessage({ text: 'Hello' })
  expect(page.status).toBe('error')
  expect(page.error!.message).toBe('Something went wrong. Please try again. (turn-failed)')
  expect(shownMessages((await chat.load('a')).messages)).toEqual(shownMessages(page.messages))
  await page.regenerate()
  expect({ status: page.status, says: saysOf(page) }).toEqual({ status: 'ready', says: 'The whole answer.' })
  expect(shownMessages((await chat.load('a')).messages)).toEqual(shownMessages(page.messages))
  expect(model.requests[1]!.request.messages).toHaveLength(1)
})

test('retry of a message that never arrived sends it', async () => {
  const { chat } = open(['Here.'])
  let isDown = true
  const down: Chat = {
    ...chat,
    send: (request) => {
      if (isDown) throw new TypeError('fetch failed')
      return chat.send(request)
    },
  }
  const { page } = await openPage(down, { id: 'a' })
  await page.sendMessage({ text: 'Hello' })
  expect(page.status).toBe('error')
  isDown = false
  await page.regenerate()
  expect(shownMessages((await chat.load('a')).messages)).toEqual(shownMessages(page.messages))
  expect(page.messages).toHaveLength(2)
})

const failing = (store: ChatStore, after: number): ChatStore => {
  let writes = 0
  return {
    ...store,
    write: (...args) => (writes++ >= after ? Promise.reject(new Error('disk full: /secret')) : store.write(...args)),
  }
}

test.for([0, 1])('a store that fails at write %i ends the run and tells the page', async (after) => {
  const errors: unknown[] = []
  const store = failing(memoryStore(), after)
  const script = [[text('One two three. '), call('look')], [text('Two. '), call('look')], 'Three.'] as const
  const { chat } = open(script, { store, onError: (error) => errors.push(error) })
  const { page } = await openPage(chat, { id: 'a' })
  await page.sendMessage({ text: 'Hello' })
  expect(page.status).toBe('error')
  expect(page.error!.message).not.toContain('secret')
  expect(errors.map(String)).toEqual(['Error: disk full: /secret'])
  expect((await chat.load('a')).writing).toBe(undefined)
})

test('a store that cannot be read gives 500 and no detail', async () => {
  const store = { ...memoryStore(), load: () => Promise.reject(new Error('secret host')) }
  const { chat } = open([], { store })
  const response = await chat.resume(resuming())
  expect([response.status, (await response.text()).includes('secret')]).toEqual([500, false])
})

test('a store holds of a chat the log of one message, as long as what was sent', async () => {
  const store = memoryStore()
  const { chat } = open([Array.from({ length: 50 }, () => text('some words ')), 'b'], { store })
  const send = (id: string): Promise<Response> =>
    chat.send(sending({ id: 'a', messages: [{ id, role: 'user', parts: [text('x')] }] }))
  const sent = await (await send('u1')).text()
  const first = (await store.load('a'))!.messageId
  const kept = (await store.read('a', first, 0))!.entries.join('')
  expect(sent).toBe(`${kept}data: [DONE]\n\n`)
  await (await send('u2')).text()
  expect(await store.read('a', first, 0)).toBe(undefined)
})

test('a slow reader loses nothing, and holds nobody up', async () => {
  const { chat } = open([[text('word '), call('look')], Array.from({ length: 200 }, () => text('word '))])
  const request = sending({ id: 'a', message: { role: 'user', parts: [text('x')] } })
  const reader = (await chat.send(request)).body!.getReader()
  let read = new TextDecoder().decode((await reader.read()).value)
  let isDone = false
  while (!isDone) {
    await tick()
    isDone = (await chat.load('a')).writing === undefined
  }
  const { page } = await openPage(chat, { id: 'a' })
  expect(page.messages).toHaveLength(2)
  for (let next = await reader.read(); !next.done; next = await reader.read())
    read += new TextDecoder().decode(next.value)
  const lines = read.split('\n\n').filter((line) => line.includes('"text-delta"'))
  const deltas = lines.map((line) => (JSON.parse(line.slice(6)) as { delta: string }).delta)
  expect(deltas.join('')).toBe('word '.repeat(201))
  expect(read.endsWith('data: [DONE]\n\n')).toBe(true)
})
