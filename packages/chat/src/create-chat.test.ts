import { StepLoop, tool, type StepLoopOptions } from '@steploop/core'
import { scriptedAdapter, type ScriptedTurn } from '@steploop/core/testing'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { createChat, memoryStore, type ChatOptions } from './index.ts'
import { call, openPage, settled, shownMessages } from '../test/testing.ts'

const look = tool({ inputSchema: z.object({ place: z.string() }), execute: ({ place }) => ({ open: true, place }) })
const pay = tool({
  inputSchema: z.object({ amount: z.number() }),
  needsApproval: true,
  execute: ({ amount }) => `paid ${amount}`,
})
const where = tool({ inputSchema: z.object({}) })

function chatOf(
  script: readonly ScriptedTurn[],
  options: Partial<ChatOptions> = {},
  loop: Partial<StepLoopOptions> = {},
) {
  const model = scriptedAdapter(script)
  const chat = createChat({
    loop: new StepLoop({ model, tools: { look, pay, where }, maxRetries: 0, ...loop }),
    store: memoryStore(),
    ...options,
  })
  return { chat, model }
}

test('a page says something and reads what comes of it', async () => {
  const { chat } = chatOf([[{ type: 'reasoning', text: 'hm' }, call('look', { place: 'Zürich' })], 'It is open.'])
  const { page } = await openPage(chat, { id: 'a' })
  await page.sendMessage({ text: 'Is it open?' })
  expect(page.status).toBe('ready')
  expect(shownMessages(page.messages)).toEqual([
    { role: 'user', parts: [{ type: 'text', text: 'Is it open?' }] },
    {
      role: 'assistant',
      parts: [
        { type: 'step-start' },
        { type: 'reasoning', text: 'hm', state: 'done' },
        {
          type: 'tool-look',
          toolCallId: 'call_0_1',
          state: 'output-available',
          input: { place: 'Zürich' },
          output: { open: true, place: 'Zürich' },
        },
        { type: 'step-start' },
        { type: 'text', text: 'It is open.', state: 'done' },
      ],
      metadata: expect.objectContaining({ status: 'completed' }) as unknown,
    },
  ])
  const loaded = await chat.load('a')
  expect(shownMessages(loaded.messages).at(-1)).toEqual(shownMessages(page.messages).at(-1))
  expect(loaded.messages.map(({ id }) => id)).toEqual(page.messages.map(({ id }) => id))
})

test('what a message says of its end is there after a reload too: the reason, the limit and the tokens, of each message', async () => {
  const usage = (inputTokens: number, outputTokens: number) => ({ inputTokens, outputTokens })
  const script = [
    { parts: [call('look', { place: 'Zürich' })], usage: usage(5, 2) },
    { parts: [call('look', { place: 'Basel' })], usage: usage(7, 3) },
    { parts: [{ type: 'text', text: 'Hm.' }], usage: usage(1, 1) },
    { parts: [call('pay', { amount: 5 })], usage: usage(20, 4) },
    { parts: [{ type: 'text', text: 'Not paid.' }], usage: usage(30, 6) },
    'Anew.',
  ] as const
  const { chat } = chatOf(script, {}, { maxSteps: 1, onLimit: 'incomplete' })
  const { page } = await openPage(chat, { id: 'a' })
  await page.sendMessage({ text: 'Is it open?' })
  await page.sendMessage({ text: 'And?' })
  await page.sendMessage({ text: 'Pay.' })
  const asked = page.lastMessage!.parts.find((part) => part.type === 'tool-pay') as { approval: { id: string } }
  await page.addToolApprovalResponse({ id: asked.approval.id, approved: false })
  await settled(page)
  const { page: later } = await openPage(chat, { id: 'a' })
  const shown = later.messages.flatMap(({ role, metadata }) => (role === 'user' ? [] : [metadata]))
  expect(shown).toMatchObject([
    { status: 'incomplete', stopReason: 'max-steps', usage: usage(12, 5) },
    { status: 'completed', usage: usage(1, 1) },
    { status: 'completed', usage: usage(30, 6) },
  ])
  expect(shownMessages(later.messages)).toEqual(shownMessages(page.messages))
  await later.regenerate()
  expect(shownMessages((await chat.load('a')).messages)).toEqual(shownMessages(later.messages))
})

test('an answer that says nothing still says how it ended, and does not stand between what comes later', async () => {
  const { chat } = chatOf([[], 'Here.'])
  const { page } = await openPage(chat, { id: 'a' })
  await page.sendMessage({ text: 'Hello?' })
  const { messages } = await chat.load('a')
  expect(messages.map(({ id }) => id)).toEqual(page.messages.map(({ id }) => id))
  expect(messages.at(-1)).toMatchObject({ parts: [], metadata: { status: 'completed' } })
  const { page: later } = await openPage(chat, { id: 'a' })
  await later.sendMessage({ text: 'Still there?' })
  const said = later.messages.filter(({ parts }) => parts.length > 0)
  expect((await chat.load('a')).messages.map(({ id, role }) => [id, role])).toEqual(
    said.map(({ id, role }) => [id, role]),
  )
})

test('an approval, with other arguments, and a tool of the page go on in the same message', async () => {
  const { chat, model } = chatOf([[call('pay', { amount: 5 }), call('where')], 'Done.'])
  const { page } = await openPage(chat, { id: 'a' })
  await page.sendMessage({ text: 'Pay.' })
  const asked = page.lastMessage!.parts.find((part) => part.type === 'tool-pay') as { approval: { id: string } }
  expect(asked).toMatchObject({ state: 'approval-requested', input: { amount: 5 } })
  await page.addToolOutput({ tool: 'where', toolCallId: 'call_0_1', output: { at: 'home' } })
  await page.addToolApprovalResponse({
    id: asked.approval.id,
    approved: true,
    options: { body: { toolInputs: { call_0_0: { amount: 3 } } } },
  })
  await settled(page)
  expect(page.error).toBe(undefined)
  expect(page.messages).toHaveLength(2)
  expect(page.lastMessage!.parts).toMatchObject([
    { type: 'step-start' },
    { type: 'tool-pay', state: 'output-available', input: { amount: 3 } },
    { type: 'tool-where', state: 'output-available', output: { at: 'home' } },
    { type: 'data-tool-state', data: { state: 'completed' } },
    { type: 'data-tool-state', data: { state: 'completed' } },
    { type: 'step-start' },
    { type: 'text', text: 'Done.' },
  ])
  expect(shownMessages((await chat.load('a')).messages).at(-1)).toEqual(shownMessages(page.messages).at(-1))
  expect(model.remaining).toBe(0)
})
