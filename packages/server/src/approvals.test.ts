import { AdapterError, tool } from '@steploop/core'
import { scriptedAdapter, type ScriptedTurn } from '@steploop/core/testing'
import { memoryStore } from '@steploop/store'
import { sqliteStore } from '@steploop/store/sqlite'
import { expect, test, vi } from 'vitest'
import type { Executor } from './executor.ts'
import { testServer } from './testing.ts'

interface Said {
  readonly id: string
  readonly status: string
  readonly output: readonly { readonly id: string; readonly output?: unknown }[]
  readonly error?: { readonly code: string; readonly message: string } | null
}

const stores = { memory: async () => memoryStore(), SQLite: () => sqliteStore({ path: ':memory:' }) }

/** Servers with one store, whose model wants to pay, and a response that waits for an approval of it. */
async function waitingBank(script: readonly ScriptedTurn[], open = stores.memory) {
  const runs: string[] = []
  const execute = () => `paid ${runs.push('pay')}`
  const pay = tool({ inputSchema: { type: 'object' }, needsApproval: true, execute })
  const show = ({ inputText, output }: { readonly inputText: string; readonly output: unknown }) => ({
    name: 'pay',
    arguments: inputText,
    output,
  })
  const view = () => ({ type: 'mcp_call', asks: true, show })
  const bank: Executor = { types: ['mcp'], open: async () => ({ tools: { pay }, view }) }
  const model = scriptedAdapter([[{ type: 'call', toolName: 'pay', input: {} }], ...script])
  const options = { executors: [bank], model, store: await open() }
  const servers = [await testServer([], options), await testServer([], options)] as const
  const ask = async (body: object, server = servers[0]): Promise<Said> =>
    (await (await server.post('/responses', { model: 'm', tools: [{ type: 'mcp' }], ...body })).json()) as Said
  const { id, output } = await ask({ input: 'Pay.' })
  const answer = (approve: boolean, more: object = {}, server = servers[0]) =>
    ask(
      {
        previous_response_id: id,
        input: [{ type: 'mcp_approval_response', approval_request_id: output[0]?.id, approve }],
        ...more,
      },
      server,
    )
  return { ask, answer, runs, servers, model }
}

test.each([
  ['memory', {}],
  ['memory', { store: false }],
  ['memory', { background: true }],
  ['SQLite', {}],
  ['SQLite', { store: false }],
] as const)('of requests to two servers that approve one call one carries it out: %s, %o', async (kind, more) => {
  const { answer, runs, servers } = await waitingBank(['Paid.'], stores[kind])
  const answers = await Promise.all([
    answer(true, more),
    answer(true, more, servers[1]),
    answer(true, { store: false }),
  ])
  const refused = answers.filter(({ error }) => error != null)
  const first = answers.find(({ error }) => error == null)
  expect(refused.map(({ error }) => error?.code)).toEqual(['approval_already_answered', 'approval_already_answered'])
  expect(refused[0]?.error?.message).toContain(`'${first?.id}'`)
  await vi.waitFor(() => expect(runs).toHaveLength(1))
})

test('what one response approved another one can deny, and it runs nothing', async () => {
  const { answer, runs, model } = await waitingBank(['Paid.', 'A pity.', 'A pity.'])
  expect(await answer(true)).toMatchObject({ status: 'completed' })
  for (const more of [{}, { store: false }]) expect(await answer(false, more)).toMatchObject({ status: 'completed' })
  expect(runs).toHaveLength(1)
  expect(JSON.stringify(model.requests.at(-1)?.request.messages)).toContain('denied')
})

const failure = new AdapterError({ provider: 'p', model: 'm', code: 'authentication', message: 'no' })

test.each([
  ['it ran what was approved', {}, 'paid 1', 1],
  ['it had no tool for what was approved', { tools: [] }, 'unknown-tool', 0],
] as const)(
  'a response that failed after %s is gone on from, with what came of the call',
  async (_what, more, said, most) => {
    const { ask, answer, runs, model } = await waitingBank([failure, 'Paid.'])
    const failed = await answer(true, more)
    expect(failed).toMatchObject({ status: 'failed' })
    expect(await answer(true)).toMatchObject({ error: { code: 'approval_already_answered' } })
    expect(await ask({ previous_response_id: failed.id, input: 'And?' })).toMatchObject({ status: 'completed' })
    expect(JSON.stringify(model.requests.at(-1)?.request.messages)).toContain(said)
    expect(runs).toHaveLength(most)
  },
)

test('an answer to what was answered before, in the history, is told to be left out', async () => {
  const { answer } = await waitingBank(['Paid.'])
  const { id } = await answer(true)
  const again = await answer(true, { previous_response_id: id })
  expect(again.error).toMatchObject({
    code: 'approval_already_answered',
    message: expect.stringContaining('Leave') as unknown,
  })
})
