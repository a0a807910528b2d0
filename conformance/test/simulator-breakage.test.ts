import { expect, test } from 'vitest'
import type { ScriptedTurn } from '../src/script.ts'
import { post, started } from './started.ts'

const says = [{ type: 'text', text: 'In 東京 ist es schön, in Zürich auch: 🌦️!' }] as const

const question = { model: 'chat-sim', messages: [{ role: 'user', content: 'Zürich?' }] }

/** Asks a simulator of Chat Completions once. */
async function ask(turn: ScriptedTurn, stream = false): Promise<Response> {
  const simulator = await started({ wire: 'openai-chat', script: [turn] })
  return post(simulator, '/chat/completions', { ...question, stream })
}

test('an HTML page comes as a gateway sends it, with the status that the script names', async () => {
  const gateway = await ask({ type: 'breakage', breakage: 'html-page' })
  const portal = await ask({ type: 'breakage', breakage: 'html-page', status: 200 }, true)
  expect([gateway.status, portal.status]).toEqual([502, 200])
  for (const page of [gateway, portal]) {
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(await page.text()).toMatch(/^<!doctype html>[\s\S]*<\/html>\n$/)
  }
})

test.each([
  [false, 'application/json'],
  [true, 'text/event-stream; charset=utf-8'],
])('an empty body has the head of a whole answer (streamed: %s)', async (stream, type) => {
  const empty = await ask({ type: 'breakage', breakage: 'empty-body' }, stream)
  expect([empty.status, empty.headers.get('content-type'), await empty.text()]).toEqual([200, type, ''])
})

test('a broken body is no JSON, although it begins and ends like a whole one', async () => {
  const text = await (await ask({ type: 'breakage', breakage: 'broken-json', says })).text()
  expect(text).toMatch(/^\{"id"[\s\S]*\}$/)
  expect(() => JSON.parse(text)).toThrow(SyntaxError)
})

test('a broken event of a stream stands in the middle, and the stream goes on to its end', async () => {
  const text = await (await ask({ type: 'breakage', breakage: 'broken-json', says }, true)).text()
  const payloads = text.split('\n\n').filter((event) => event.startsWith('data: {'))
  const broken = payloads.filter((event) => event.startsWith('data: {"broken": '))
  expect(broken).toHaveLength(1)
  expect(payloads.indexOf(broken[0] ?? '')).toBeGreaterThan(0)
  expect(text.trimEnd().endsWith('data: [DONE]')).toBe(true)
})

test('a reset without words comes before the head', async () => {
  await expect(ask({ type: 'breakage', breakage: 'reset' })).rejects.toThrow('fetch failed')
})

test.each([false, true])('a reset with words comes after the first of them (streamed: %s)', async (stream) => {
  const reader = (await ask({ type: 'breakage', breakage: 'reset', says }, stream)).body?.getReader()
  let text = ''
  const readAll = async (): Promise<void> => {
    for (;;) {
      const chunk = await reader?.read()
      if (chunk === undefined || chunk.done) return
      text += new TextDecoder().decode(chunk.value)
    }
  }
  await expect(readAll()).rejects.toThrow('terminated')
  expect(text).toContain('chat-sim')
  expect(text).not.toMatch(/total_tokens|\[DONE\]/)
})

test('what is lost is refused in the words of the provider, and items of it can no longer be referred to', async () => {
  const answered = { type: 'answer', parts: [{ type: 'reasoning', text: 'Hm.' }, says[0]] } as const
  const simulator = await started({ wire: 'openai-responses', script: [answered, { type: 'loss' }, answered] })
  const said = async (body: object): Promise<readonly [number, string]> => {
    const response = await post(simulator, '/responses', { model: 'gpt-sim', store: true, ...body })
    return [response.status, await response.text()]
  }
  await said({ input: 'Zürich?' })
  const goesOn = { previous_response_id: 'resp_sim1', input: '東京?' }
  expect(await said(goesOn)).toEqual([400, expect.stringContaining('previous_response_not_found')])
  expect(simulator.requests.at(-1)?.rejection).toBeUndefined()
  const item = { type: 'item_reference', id: 'msg_sim1n2' }
  expect(await said({ input: [item] })).toEqual([404, expect.stringContaining('not found')])
})

test('a request that names nothing has nothing to lose, and the script says so', async () => {
  const response = await ask({ type: 'loss' })
  expect([response.status, await response.text()]).toEqual([500, expect.stringContaining('nothing_lost')])
})

test('an object is given by the tool that is offered for it, and written down where none is', async () => {
  const object = { type: 'object', toolName: 'give', input: { city: 'Zürich' } } as const
  const simulator = await started({ wire: 'openai-chat', script: [object, object] })
  const said = async (tools: readonly object[]): Promise<unknown> =>
    (await post(simulator, '/chat/completions', { ...question, tools })).json()
  const tool = (name: string) => ({ type: 'function', function: { name, parameters: { type: 'object' } } })
  expect(await said([tool('look'), tool('give')])).toMatchObject({
    choices: [{ message: { tool_calls: [{ function: { name: 'give', arguments: '{"city":"Zürich"}' } }] } }],
  })
  expect(await said([tool('look')])).toMatchObject({
    choices: [{ message: { content: '{"city":"Zürich"}' } }],
  })
})
