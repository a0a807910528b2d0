import { StepLoop, tool } from '@steploop/core'
import { scriptedAdapter, type ScriptedTurn } from '@steploop/core/testing'
import { isToolUIPart } from 'ai'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { createChat, memoryStore, type Chat } from './index.ts'
import { askedFor, call, openPage, overloaded, shownMessages, slowly, text, tick, type Page } from '../test/testing.ts'

const look = tool({
  inputSchema: z.object({ place: z.string() }),
  async execute({ place }, { report }) {
    for (let progress = 1; progress <= 3; progress++) {
      await tick()
      report({ progress, total: 3 })
    }
    return { open: true, place }
  },
})
const fail = tool({ inputSchema: z.object({}), execute: () => Promise.reject(new Error('no')) })
const pay = tool({
  inputSchema: z.object({ amount: z.number().default(7) }),
  needsApproval: true,
  execute: ({ amount }) => `paid ${amount}`,
})
const where = tool({ inputSchema: z.object({}) })

/** What the model says; the user says yes to `pay`, unless its amount is 13, and where it is. */
const scenarios: readonly { readonly name: string; readonly script: readonly ScriptedTurn[] }[] = [
  { name: 'text alone', script: ['Grüezi, 東京 😀 </script>\n\ndata: x'] },
  {
    name: 'reasoning, and tools at the same time',
    script: [
      [
        { type: 'reasoning', text: 'Let me see.' },
        text('One moment. '),
        call('look', { place: 'Zürich' }),
        call('fail'),
        call('look', { place: 'Basel' }),
      ],
      'Both are open.',
    ],
  },
  {
    name: 'a turn that fails in the middle and is asked for again',
    script: [
      [text('Looking. '), call('look', { place: 'Zürich' })],
      { parts: [text('It is cl'), call('look', { place: 'nowhere' })], error: overloaded },
      'It is open.',
    ],
  },
  {
    name: 'approvals and a tool of the page, twice',
    script: [
      [text('May I? '), call('pay'), call('where'), call('look', { place: 'Zürich' })],
      [call('pay', { amount: 13 }), call('where')],
      'Done.',
    ],
  },
  {
    name: 'a run that fails',
    script: [[call('look', { place: 'Zürich' })], { parts: [text('Well, ')], error: overloaded }],
  },
]

function open(script: readonly ScriptedTurn[]): Chat {
  const last = script.at(-1)
  const fails = typeof last === 'object' && 'error' in last
  const model = slowly(scriptedAdapter(script))
  const after = (_ms: number, callback: () => void) => {
    const timer = setImmediate(callback)
    return () => clearImmediate(timer)
  }
  const clock = { now: Date.now, after }
  const loop = new StepLoop({ model, tools: { look, fail, pay, where }, maxRetries: fails ? 0 : 1, random: () => 0 })
  return createChat({
    loop,
    runOptions: () => ({ clock, toolTimeout: 0 }),
    store: memoryStore(),
  })
}

async function answer(page: Page): Promise<void> {
  for (const part of askedFor(page)) {
    if (!isToolUIPart(part)) continue
    const { toolCallId, input } = part
    if (part.type === 'tool-where') await page.addToolOutput({ tool: 'where', toolCallId, output: { at: 'home' } })
    if (part.state !== 'approval-requested') continue
    const approved = (input as { amount: number }).amount !== 13
    await page.addToolApprovalResponse({ id: part.approval.id, approved })
  }
}

/** Plays a scenario to its end; the page is closed and opened again in the given ticks. */
async function play(script: readonly ScriptedTurn[], reloads: ReadonlySet<number>) {
  const chat = open(script)
  const id = 'chat'
  let { page } = await openPage(chat, { id })
  void page.sendMessage({ text: 'Hello' })
  let quiet = 0
  let ticks = 0
  for (; quiet < 4; ticks++) {
    await tick()
    if (reloads.has(ticks) || (reloads.size > 0 && page.status === 'error')) {
      const closed = page
      ;({ page } = await openPage(chat, { id }))
      void closed.stop()
      quiet = 0
    }
    quiet = page.status === 'streaming' || page.status === 'submitted' ? 0 : quiet + 1
    if (quiet === 3 && askedFor(page).length > 0) {
      await answer(page)
      quiet = 0
    }
  }
  return { messages: shownMessages(page.messages), stored: shownMessages((await chat.load(id)).messages), ticks }
}

/** The same numbers each time. */
function* random(): Generator<number, never> {
  for (let state = 1; ;) {
    state = (state * 48271) % 2147483647
    yield state / 2147483647
  }
}

test.for(scenarios)(
  'a page that is loaded anew in any moment shows the same in the end: $name',
  { tags: ['Q05'] },
  async ({ script }) => {
    const numbers = random()
    const undisturbed = await play(script, new Set())
    expect(undisturbed.stored).toEqual(undisturbed.messages)
    for (let moments = 0; moments < 200;) {
      const reloads = new Set<number>()
      while (reloads.size < 5) reloads.add(1 + Math.floor(numbers.next().value * undisturbed.ticks))
      moments += reloads.size
      const { messages, stored } = await play(script, reloads)
      expect({ reloads: [...reloads], messages }).toEqual({ reloads: [...reloads], messages: undisturbed.messages })
      expect(stored).toEqual(undisturbed.stored)
    }
  },
)
