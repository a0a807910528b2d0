import { scriptedAdapter } from '@steploop/core/testing'
import { memoryStore } from '@steploop/store'
import { expect, test } from 'vitest'
import { createServer } from './create-server.ts'
import { weather } from './testing.ts'

/** What careless and hostile clients put where something else belongs. */
const nothing = [null, true, -1, 1e308, '', '\0\ud800', '__proto__']
const wrong: readonly unknown[] = [...nothing, [], [null], {}, { type: null }, { toString: 1 }]

const text = { type: 'input_text', text: 'x' }
const items: readonly object[] = [
  { type: 'message', role: 'user', content: [text, { type: 'input_image', image_url: 'data:image/png;base64,AA==' }] },
  { type: 'message', role: 'user', content: [{ type: 'input_file', filename: 'a', file_data: 'AA==' }] },
  { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'x', annotations: [] }] },
  { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'x' }], encrypted_content: 'slr1.own.a.b' },
  { type: 'function_call', call_id: 'c1', name: 'weather', namespace: 'n', arguments: '{}' },
  { type: 'custom_tool_call', call_id: 'c2', name: 'weather', input: 'x' },
  { type: 'function_call_output', call_id: 'c1', output: [text] },
  { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'x', sources: [] } },
  { type: 'file_search_call', id: 'fs_1', queries: ['x'], results: [{}] },
  { type: 'mcp_call', id: 'mcp_1', server_label: 's', name: 'n', arguments: '{}', output: 'x', error: null },
  { type: 'mcp_approval_response', approval_request_id: 'a', approve: true, reason: 'x' },
  { type: 'item_reference', id: 'msg_none' },
]
const grammar = { type: 'grammar', syntax: 'lark', definition: 'x' }
const fields: Readonly<Record<string, unknown>> = {
  model: 'm',
  input: [],
  instructions: 'x',
  tools: [weather, { type: 'custom', name: 'c', format: grammar }, { type: 'namespace', name: 'n', tools: [weather] }],
  tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'weather' }] },
  parallel_tool_calls: true,
  max_output_tokens: 9,
  max_tool_calls: 9,
  temperature: 1,
  top_p: 1,
  reasoning: { effort: 'low', summary: 'auto' },
  text: { format: { type: 'json_schema', name: 'a', schema: { type: 'object' } } },
  stream: false,
  store: true,
  background: false,
  previous_response_id: null,
  conversation: { id: 'conv_none' },
  metadata: { a: 'b' },
  include: ['reasoning.encrypted_content'],
  user: 'x',
  service_tier: 'auto',
}

/** The value, with something else at one of its locations. */
function* spoiled(value: unknown, by: unknown): Generator {
  yield by
  if (Array.isArray(value)) {
    for (const [index, member] of value.entries()) for (const made of spoiled(member, by)) yield value.with(index, made)
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      for (const made of spoiled(member, by)) yield { ...value, [name]: made }
    }
  }
}

function* bodies(): Generator<readonly [path: string, body: unknown]> {
  for (const by of wrong) {
    for (const made of items.flatMap((item) => [...spoiled(item, by)])) {
      yield ['/v1/responses', { model: 'm', input: [made] }]
      yield ['/v1/conversations', { items: [made] }]
    }
    for (const [name, value] of Object.entries(fields)) {
      for (const made of spoiled(value, by)) yield ['/v1/responses', { model: 'm', input: 'x', [name]: made }]
    }
  }
}

const ids = ['resp_none', '%00', '%ff', '..%2f..', '%F0%9F', "'--", '__proto__', 'x'.repeat(5_000), '%E2%80%8B']
const queries = [
  'limit=0',
  'limit=1e9',
  'limit=',
  'order=up',
  'after=none',
  'stream=true&starting_after=x',
  'include=%00',
]

function* addresses(): Generator<readonly [method: string, path: string]> {
  for (const id of ids) {
    for (const path of [`responses/${id}`, `conversations/${id}`]) {
      for (const method of ['GET', 'DELETE', 'POST']) yield [method, `/v1/${path}`]
    }
    for (const query of queries) {
      yield ['GET', `/v1/responses/${id}?${query}`]
      yield ['GET', `/v1/responses/${id}/input_items?${query}`]
      yield ['GET', `/v1/conversations/${id}/items?${query}`]
    }
    yield ['POST', `/v1/responses/${id}/cancel`]
    yield ['GET', `/v1/conversations/${id}/items/${id}`]
    yield ['DELETE', `/v1/conversations/${id}/items/${id}`]
    yield ['GET', `/v1/models/${id}`]
  }
}

test('whatever stands wherever in a request, the answer is good or a typed 4xx', async () => {
  const causes: unknown[] = []
  const model = scriptedAdapter(Array.from({ length: 5_000 }, () => 'ok'))
  const server = createServer({ models: { m: model }, store: memoryStore(), onError: (error) => causes.push(error) })
  const found: unknown[] = []
  let refused = 0
  const ask = async (path: string, init: RequestInit): Promise<void> => {
    const response = await server.fetch(new Request(`http://127.0.0.1${path}`, init))
    const answer = await response.text()
    if (response.ok) return
    refused++
    const { error } = JSON.parse(answer) as { error?: { message?: unknown; type?: unknown } }
    const isTyped = typeof error?.message === 'string' && typeof error.type === 'string'
    if (response.status >= 500 || !isTyped) found.push([path, init.body, answer, causes.at(-1)])
  }
  for (const [path, body] of bodies()) await ask(path, { method: 'POST', body: JSON.stringify(body) ?? '' })
  for (const [method, path] of addresses()) await ask(path, { method, ...(method === 'POST' && { body: '{"x":1}' }) })
  for (const bytes of [[0xff, 0xfe], [0x7b], [0xef, 0xbb, 0xbf, 0x7b, 0x7d]]) {
    await ask('/v1/responses', { method: 'POST', body: new Uint8Array(bytes) })
  }
  expect(found).toEqual([])
  expect(refused).toBeGreaterThan(1_000)
})
