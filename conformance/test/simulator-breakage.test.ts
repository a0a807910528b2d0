import { expect, test } from 'vitest'
import type { ScriptedTurn } from '../src/script.ts'
import { post, started } from './started.ts'

const says = [{ type: 'text', text: 'In 東京 ist es schön, in Zürich auch: 🌦️!' }] as const

/** Asks a simulator of Chat Completions once. */
async function ask(turn: ScriptedTurn, stream = false): Promise<Response> {
  const simulator = await started({ wire: 'openai-chat', script: [turn] })
  const messages = [{ role: 'user', content: 'Zürich?' }]
  return post(simulator, '/chat/completions', { model: 'chat-sim', messages, stream })
}

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
