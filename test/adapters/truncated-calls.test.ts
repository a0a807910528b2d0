import { createAnthropic } from '@steploop/anthropic'
import { StepLoop, tool, type Adapter, type Mode } from '@steploop/core'
import { createOllama } from '@steploop/ollama'
import { createOpenAI } from '@steploop/openai'
import { createOpenAICompatible } from '@steploop/openai-compatible'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'

type Fetch = typeof fetch

/** What a server or a gateway gave for a call that it was told to stop amid; `after` is text that comes behind it. */
type Answer = (cut: string, after: string) => string

interface Way {
  readonly adapter: (fetch: Fetch) => Adapter
  /** What became of the arguments. */
  readonly cut: string
  readonly answers: Readonly<Record<Mode, Answer>>
  /** The turn after it. */
  readonly last: Readonly<Record<Mode, string>>
}

const lines = (...objects: readonly object[]): string => objects.map((one) => `${JSON.stringify(one)}\n`).join('')
const events = (...objects: readonly object[]): string =>
  objects
    .map((one) => `${'type' in one ? `event: ${String(one.type)}\n` : ''}data: ${JSON.stringify(one)}\n\n`)
    .join('')
const json = (object: object): string => JSON.stringify(object)
const name = 'write_file'

const ollamaTurn = (message: object, done_reason: string) => ({ model: 'm', message, done: true, done_reason })
const ollamaCall = (cut: string, content = '') => ({
  role: 'assistant',
  content,
  tool_calls: [{ function: { name, arguments: JSON.parse(cut) as unknown } }],
})
const ollama = {
  adapter: (fetch: Fetch) => createOllama({ fetch, baseURL: 'http://127.0.0.1:1' })('m'),
  answers: {
    generate: (cut: string, after: string) => json(ollamaTurn(ollamaCall(cut, after), 'length')),
    stream: (cut: string, after: string) =>
      lines(
        { model: 'm', message: ollamaCall(cut), done: false },
        { model: 'm', message: { role: 'assistant', content: after }, done: false },
        ollamaTurn({ role: 'assistant', content: '' }, 'length'),
      ),
  },
  last: {
    generate: json(ollamaTurn({ role: 'assistant', content: 'So.' }, 'stop')),
    stream: lines(ollamaTurn({ role: 'assistant', content: 'So.' }, 'stop')),
  },
}

const messageOf = (content: readonly object[], stop_reason: string | null) => {
  return { id: 'x', type: 'message', role: 'assistant', model: 'm', content, stop_reason, usage: { output_tokens: 1 } }
}
const messageStream = (stop_reason: string, ...blocks: readonly (readonly [block: object, delta: object])[]) =>
  events(
    { type: 'message_start', message: messageOf([], null) },
    ...blocks.flatMap(([content_block, delta], index) => [
      { type: 'content_block_start', index, content_block },
      { type: 'content_block_delta', index, delta },
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason }, usage: { output_tokens: 1 } },
    { type: 'message_stop' },
  )
const textBlock = (text: string) =>
  [
    { type: 'text', text: '' },
    { type: 'text_delta', text },
  ] as const
const messages = {
  adapter: (fetch: Fetch) => createAnthropic({ fetch, apiKey: 'none', baseURL: 'http://127.0.0.1:1/v1' })('m'),
  answers: {
    generate: (cut: string, after: string) => {
      const input: unknown = cut.endsWith('}') ? JSON.parse(cut) : {}
      const call = { type: 'tool_use', id: 'a', name, input }
      return json(messageOf([call, ...(after === '' ? [] : [{ type: 'text', text: after }])], 'max_tokens'))
    },
    stream: (partial_json: string, after: string) => {
      const call = [
        { type: 'tool_use', id: 'a', name, input: {} },
        { type: 'input_json_delta', partial_json },
      ] as const
      return messageStream('max_tokens', call, ...(after === '' ? [] : [textBlock(after)]))
    },
  },
  last: {
    generate: json(messageOf([{ type: 'text', text: 'So.' }], 'end_turn')),
    stream: messageStream('end_turn', textBlock('So.')),
  },
}

const chatTurn = (message: object, finish_reason: string) => ({
  id: 'x',
  choices: [{ index: 0, message, finish_reason }],
})
const chatChunk = (delta: object, finish_reason: string | null = null) => {
  return { id: 'x', choices: [{ index: 0, delta, finish_reason }] }
}
const chatCall = (cut: string) => ({ index: 0, id: 'a', type: 'function', function: { name, arguments: cut } })
const chat = {
  adapter: (fetch: Fetch) => createOpenAICompatible({ fetch, apiKey: 'none', baseURL: 'http://127.0.0.1:1/v1' })('m'),
  answers: {
    generate: (cut: string, after: string) =>
      json(
        chatTurn({ role: 'assistant', content: after === '' ? null : after, tool_calls: [chatCall(cut)] }, 'length'),
      ),
    stream: (cut: string, after: string) =>
      `${events(
        chatChunk({ role: 'assistant', tool_calls: [chatCall(cut)] }),
        ...(after === '' ? [] : [chatChunk({ content: after })]),
        chatChunk({}, 'length'),
      )}data: [DONE]\n\n`,
  },
  last: {
    generate: json(chatTurn({ role: 'assistant', content: 'So.' }, 'stop')),
    stream: `${events(chatChunk({ role: 'assistant', content: 'So.' }), chatChunk({}, 'stop'))}data: [DONE]\n\n`,
  },
}

const response = (output: readonly object[]) => ({
  id: 'x',
  object: 'response',
  status: 'completed',
  model: 'm',
  output,
})
const said = (text: string) => ({
  type: 'message',
  id: 'm',
  role: 'assistant',
  content: [{ type: 'output_text', text }],
})
const itemCall = (cut: string) => ({ type: 'function_call', id: 'f', call_id: 'a', name, arguments: cut })
const responses = {
  adapter: (fetch: Fetch) => createOpenAI({ fetch, apiKey: 'none', baseURL: 'http://127.0.0.1:1/v1' })('m'),
  answers: {
    generate: (cut: string, after: string) => json(response([itemCall(cut), ...(after === '' ? [] : [said(after)])])),
    stream: (cut: string, after: string) =>
      events(
        { type: 'response.created', response: { id: 'x', status: 'in_progress' } },
        { type: 'response.output_item.added', item: itemCall('') },
        { type: 'response.function_call_arguments.delta', item_id: 'f', delta: cut },
        { type: 'response.output_item.done', item: itemCall(cut) },
        { type: 'response.completed', response: response([itemCall(cut), ...(after === '' ? [] : [said(after)])]) },
      ),
  },
  last: {
    generate: json(response([said('So.')])),
    stream: events(
      { type: 'response.created', response: { id: 'x', status: 'in_progress' } },
      { type: 'response.output_item.done', item: said('So.') },
      { type: 'response.completed', response: response([said('So.')]) },
    ),
  },
}

const half = '{"path":"a.txt","text":"Sentence 0 tel'
const ways: Readonly<Record<string, Way>> = {
  'Ollama of Lemonade, which closes it as {}': { ...ollama, cut: '{}' },
  'Messages of Lemonade, which wraps it in _raw': { ...messages, cut: JSON.stringify({ _raw: half }) },
  'Messages of @musistudio/llms, which puts it into a field': { ...messages, cut: JSON.stringify({ text: half }) },
  'Chat of Portkey before Messages, which closes it as {}': { ...chat, cut: '{}' },
  'Chat of llama-server': { ...chat, cut: half },
  'Messages of llama-server': { ...messages, cut: half },
  'Responses of llama-server, which calls it completed': { ...responses, cut: half },
}

describe.each(Object.entries(ways))('a call that the token limit cut: %s', (_name, way) => {
  test.each([
    ['generate', false, ''],
    ['stream', false, ''],
    ['stream', true, ''],
    ['generate', false, 'I am wri'],
    ['stream', true, 'I am wri'],
    ['stream', true, '\n'],
  ] as const)('%s, eager: %s, before %j: does not run, and the model is told', async (mode, eagerTools, after) => {
    const ran: unknown[] = []
    const bodies: string[] = []
    const type =
      mode === 'generate'
        ? 'application/json'
        : way.last.stream.startsWith('{')
          ? 'application/x-ndjson'
          : 'text/event-stream'
    const answer: Fetch = async (_url, init) => {
      bodies.push(typeof init?.body === 'string' ? init.body : '')
      const text = bodies.length === 1 ? way.answers[mode](way.cut, after) : way.last[mode]
      return new Response(text, { headers: { 'content-type': type } })
    }
    const text = z.string().optional()
    const write_file = tool({
      inputSchema: z.object({ path: text, text }),
      effect: 'read',
      execute: (input) => void ran.push(input),
    })
    const loop = new StepLoop({ model: way.adapter(answer), tools: { write_file }, eagerTools })
    const result = await (mode === 'generate' ? loop.generate('Write.') : loop.stream('Write.').result)
    expect(ran).toEqual([])
    expect(result).toMatchObject({ status: 'completed', text: 'So.' })
    expect(result.toolResults[0]?.output).toMatchObject({
      type: 'error',
      value: { code: expect.stringMatching(/truncated-call|invalid-arguments|unparsable/) as string },
    })
    // Half arguments do not go back as if they were some.
    expect(bodies[1]).not.toContain(JSON.stringify(half))
  })
})
