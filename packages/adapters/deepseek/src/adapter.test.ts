import { expect, test } from 'vitest'
import type { Message, TurnRequest } from '@steploop/core/adapter'
import { createDeepSeek, deepseek } from './options.ts'
import { type AskedOnce, askOnce, chatAnswer } from '@steploop/openai-compatible/test-kit'

const thinker = 'deepseek-v4-flash'
const chat = 'deepseek-chat'

function asking(model: string, response?: Response, request?: Partial<TurnRequest>): Promise<AskedOnce> {
  return askOnce((fetch) => createDeepSeek({ apiKey: 'key-1', fetch })(model), response, request)
}

const schema = { type: 'object', properties: {} }
const tools = [{ type: 'function', name: 'roll', inputSchema: schema }] as const
const foreign: Message = {
  role: 'assistant',
  content: [{ type: 'tool-call', toolCallId: 'c1', toolName: 'roll', input: {}, inputText: '{}', owner: 'loop' }],
}

test('a request names the limit max_tokens, and leaves out what has no effect in thinking mode', async () => {
  const settings = { maxOutputTokens: 9, temperature: 0, seed: 1 } as const
  const chatBody = await asking(chat, undefined, { settings })
  expect(chatBody.body).toEqual({ model: chat, max_tokens: 9, temperature: 0, messages: expect.any(Array) })
  const thought = await asking(thinker, undefined, { settings })
  expect(thought.body).toEqual({ model: thinker, max_tokens: 9, messages: expect.any(Array) })
  expect(thought.turn?.warnings.map(({ path }) => path)).toEqual(['settings.temperature', 'settings.seed'])
})

test('a request switches thinking on and off, at the one effort that there is', async () => {
  const off = await asking(thinker, undefined, { settings: { reasoning: 'none' } })
  expect(off.body).toMatchObject({ thinking: { type: 'disabled' } })
  const low = await asking(chat, undefined, { settings: { reasoning: 'low' } })
  expect(low.body).toMatchObject({ thinking: { type: 'enabled' }, reasoning_effort: 'high' })
  expect(low.turn?.warnings).toMatchObject([{ type: 'coerced', path: 'settings.reasoning' }])
  const high = await asking(chat, undefined, { settings: { reasoning: 'high' } })
  expect(high).toMatchObject({ body: low.body, turn: { warnings: [] } })
})

test.each([
  [thinker, {}, 'auto'],
  [thinker, { settings: { reasoning: 'none' } }, 'required'],
  [thinker, { providerOptions: { deepseek: { thinking: { type: 'disabled' } } } }, 'required'],
  [chat, {}, 'required'],
  [chat, { settings: { reasoning: 'high' } }, 'auto'],
  [chat, { providerOptions: { deepseek: { thinking: { type: 'enabled' } } } }, 'auto'],
] as const)('a request of %s with %j forces a tool only out of thinking mode', async (model, mode, expected) => {
  const { body, turn } = await asking(model, undefined, { tools, toolChoice: 'required', ...mode })
  expect(body['tool_choice']).toBe(expected)
  expect(turn?.warnings.filter(({ path }) => path === 'toolChoice')).toHaveLength(expected === 'auto' ? 1 : 0)
})

test('a request brings reasoning back with its calls, and gives foreign calls an empty one', async () => {
  const tool_calls = [{ id: 'call_00_a', type: 'function', function: { name: 'roll', arguments: '{}' } }]
  const own = await asking(thinker, chatAnswer({ content: '', reasoning_content: 'Roll.', tool_calls }, 'tool_calls'))
  const messages = own.turn ? [own.turn.message, foreign] : []
  const { body } = await asking(thinker, undefined, { messages })
  expect(body['messages']).toMatchObject([
    { content: null, reasoning_content: 'Roll.', tool_calls: [{ id: 'call_00_a' }] },
    { content: null, reasoning_content: '', tool_calls: [{ id: 'c1' }] },
  ])
  const { body: chatBody } = await asking(chat, undefined, { messages: [foreign] })
  expect(chatBody).not.toHaveProperty('messages.0.reasoning_content')
})

test('a request holds thoughts that an application changed, and a refusal as a text', async () => {
  const content = [
    { type: 'reasoning', text: 'Oh.' },
    { type: 'refusal', text: 'No.' },
  ] as const
  const { body, turn } = await asking(chat, undefined, {
    messages: [{ role: 'assistant', content, provider: 'deepseek', model: chat }],
  })
  expect(body['messages']).toEqual([{ role: 'assistant', content: 'No.', reasoning_content: 'Oh.' }])
  expect(turn?.warnings).toMatchObject([{ type: 'coerced', path: 'assistant.content[1]' }])
})

test('a request asks for JSON by mode, with the schema in the instructions, and for no strict tools', async () => {
  const responseFormat = { name: 'place', schema }
  const { body } = await asking(chat, undefined, { responseFormat, tools: [{ ...tools[0], strict: true }] })
  expect(body).toMatchObject({ response_format: { type: 'json_object' }, messages: [{ role: 'system' }, {}] })
  expect(JSON.stringify(body['tools'])).not.toContain('strict')
})

test('capabilities are those of the mode that the model is in by default', () => {
  expect(deepseek(thinker).capabilities.toolChoice).toEqual(['auto', 'none'])
  expect(deepseek(chat).capabilities.toolChoice).toEqual(['auto', 'none', 'required', 'tool'])
  expect(deepseek(chat).capabilities).toMatchObject({ imageInput: false, fileInput: false, reasoningReplay: true })
})
