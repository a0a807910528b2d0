import type { ScriptedTurn } from '@steploop/core/testing'
import type OpenAI from 'openai'
import { expect, test } from 'vitest'
import { createSealer } from './seal.ts'
import { callWeather, testServer, weather } from './testing.ts'

const signed = { provider: 'scripted', model: 'scripted-1', data: { signature: 's1g' } }
const turn: ScriptedTurn = [
  { type: 'reasoning', text: 'Rome, then', providerMetadata: signed },
  callWeather('Rome', 'c1'),
]
const include: OpenAI.Responses.ResponseIncludable[] = ['reasoning.encrypted_content']
const output = { type: 'function_call_output', call_id: 'c1', output: 'warm' } as const

async function firstTurn(script: readonly ScriptedTurn[] = [turn, 'Warm.']) {
  const server = await testServer(script)
  const first = await server.client.responses.create({
    model: 'm',
    input: 'x',
    store: false,
    include,
    tools: [weather],
  })
  return { server, first, user: { role: 'user', content: 'x' } as const }
}

test('a client that keeps its own history loses no signature', async () => {
  const { server, first, user } = await firstTurn()
  const input = [user, ...first.output, output] as OpenAI.Responses.ResponseInput
  await server.client.responses.create({ model: 'm', input, store: false, include, tools: [weather] })
  expect(server.model.requests[1]?.request.messages[1]).toEqual({
    role: 'assistant',
    provider: 'scripted',
    model: 'scripted-1',
    content: [
      { type: 'reasoning', text: 'Rome, then', providerMetadata: signed },
      {
        type: 'tool-call',
        toolCallId: 'c1',
        toolName: 'weather',
        input: { city: 'Rome' },
        inputText: '{"city":"Rome"}',
        owner: 'client',
      },
    ],
  })
})

test('items may come back in another order within a turn, as clients that order them by their end do', async () => {
  const { server, first, user } = await firstTurn()
  const input = [user, ...first.output.toReversed(), output] as OpenAI.Responses.ResponseInput
  await server.client.responses.create({ model: 'm', input, store: false, include, tools: [weather] })
  expect(JSON.stringify(server.model.requests[1]?.request.messages)).toContain('s1g')
})

test('a turn without reasoning carries its state before all else', async () => {
  const { first } = await firstTurn([[callWeather('Rome', 'c1')]])
  expect(first.output.map(({ type }) => type)).toEqual(['reasoning', 'function_call'])
  expect(first.output[0]).toMatchObject({ summary: [], encrypted_content: expect.stringMatching(/^slr1\./) })
})

test('nothing sealed goes to who does not ask for it', async () => {
  const server = await testServer([turn])
  const { output: items } = await server.client.responses.create({ model: 'm', input: 'x', tools: [weather] })
  expect(JSON.stringify(items)).not.toContain('encrypted_content')
})

test('a turn that the client changed is taken as the client says, without what was sealed', async () => {
  const { server, first, user } = await firstTurn()
  const edited = first.output.map((item) =>
    item.type === 'function_call' ? { ...item, arguments: '{"city":"Oslo"}' } : item,
  )
  const input = [user, ...edited, output] as OpenAI.Responses.ResponseInput
  await server.client.responses.create({ model: 'm', input, store: false, tools: [weather] })
  const said = JSON.stringify(server.model.requests[1]?.request.messages)
  expect(said).toContain('Oslo')
  expect(said).not.toMatch(/Rome"|s1g/)
})

test('changed, foreign and other content is refused', async () => {
  const { server, first, user } = await firstTurn()
  const reasoning = first.output.find((item) => item.type === 'reasoning')
  const sealed = reasoning?.encrypted_content ?? ''
  const swapped = sealed.at(-6) === 'A' ? 'B' : 'A'
  for (const content of [
    `${sealed.slice(0, -6)}${swapped}${sealed.slice(-5)}`,
    sealed.replace('own', 'other'),
    'x.y',
    '',
  ]) {
    const item = { type: 'reasoning' as const, id: 'rs_1', summary: [], encrypted_content: content }
    const asked = server.client.responses.create({ model: 'm', input: [user, item], store: false })
    await expect(asked).rejects.toMatchObject({ status: 400, code: 'invalid_encrypted_content' })
  }
})

test('what was sealed for one tenant opens for no other, and old keys open what they sealed', async () => {
  const keys = [1, 2].map((fill) => ({ id: `k${fill}`, key: new Uint8Array(32).fill(fill) }))
  const [old, young] = keys
  if (old === undefined || young === undefined) throw new Error('two keys')
  const turnToSeal = { message: { role: 'assistant', content: [] }, results: [] } as const
  const sealed = await createSealer([old]).seal('a', turnToSeal)
  expect(await createSealer([young, old]).open('a', sealed, 'x')).toEqual(turnToSeal)
  await expect(createSealer([old]).open('b', sealed, 'x')).rejects.toMatchObject({ code: 'invalid_encrypted_content' })
  await expect(createSealer([young]).open('a', sealed, 'x')).rejects.toMatchObject({
    code: 'invalid_encrypted_content',
  })
  expect(() => createSealer([])).toThrow('at least one key')
})
