import { AdapterError } from '@steploop/core'
import { memoryStore } from '@steploop/store'
import { expect, test, vi } from 'vitest'
import { createServer } from './create-server.ts'
import { readInput } from './read-input.ts'
import { callWeather, eventsOf, testServer, weather } from './testing.ts'

const output = { type: 'function_call_output', call_id: 'c1', output: 'warm' } as const
const call = { type: 'function_call', call_id: 'c1', name: 'weather', arguments: '{}' } as const
const missing = 'resp_none'

/** What is put into a good body, or stands in its place, and what that gets: `param`, `code` and the status. Default: 400. */
const refused: readonly (readonly [
  what: string,
  body: Readonly<Record<string, unknown>> | string,
  param: string | null,
  code: string | null,
  status?: number,
])[] = [
  ['no JSON', '{', null, 'invalid_json'],
  ['a list', '[]', null, 'invalid_json'],
  ['nothing', '', null, 'invalid_json'],
  ['a missing model', { model: undefined }, 'model', 'missing_required_parameter'],
  ['a missing input', { input: undefined }, 'input', 'missing_required_parameter'],
  ['a wrong type', { temperature: 'hot' }, 'temperature', 'invalid_type'],
  ['a wrong type inside', { tools: [{ type: 7 }] }, 'tools[0].type', 'invalid_type'],
  ['too much metadata', { metadata: { a: 'b'.repeat(513) } }, 'metadata.a', 'invalid_type'],
  ['an id with a NUL', { previous_response_id: 'r\0' }, 'previous_response_id', 'invalid_type'],
  ['a NUL in a conversation', { conversation: { id: '\0' } }, 'conversation.id', 'invalid_type'],
  ['a NUL in a reference', { input: [{ type: 'item_reference', id: '\0' }] }, 'input[0].id', 'item_not_found'],
  ['an unknown model', { model: 'n' }, 'model', 'model_not_found', 404],
  ['json_object', { text: { format: { type: 'json_object' } } }, 'text.format', 'unsupported_parameter'],
  ['a tool without executor', { tools: [{ type: 'code_interpreter' }] }, 'tools[0]', 'unsupported_tool'],
  ['two tools of one name', { tools: [weather, weather] }, 'tools[1]', null],
  ['a choice of no tool', { tools: [weather], tool_choice: { type: 'function', name: 'x' } }, 'tool_choice', null],
  [
    'a file by its id',
    { input: [{ role: 'user', content: [{ type: 'input_file', file_id: 'f' }] }] },
    'input[0].content[0].file_id',
    'unsupported_parameter',
  ],
  ['an item of another type', { input: [{ type: 'computer_call' }] }, 'input[0].type', 'unsupported_item'],
  [
    'an unknown previous response',
    { previous_response_id: missing },
    'previous_response_id',
    'previous_response_not_found',
  ],
  ['an unknown conversation', { conversation: 'conv_none' }, null, null, 404],
  ['an unknown item', { input: [{ type: 'item_reference', id: 'msg_none' }] }, 'input[0].id', 'item_not_found'],
  ['a call without output', { input: [{ role: 'user', content: 'x' }, call] }, 'input[1]', 'tool_output_missing'],
  ['an output without call', { input: [output] }, 'input[0]', 'tool_call_not_found'],
  ['two outputs', { input: [call, output, output] }, 'input[2].call_id', 'duplicate_tool_output'],
  ['two outputs without call', { input: [output, output] }, 'input[1].call_id', 'duplicate_tool_output'],
  ['a call twice', { input: [call, call, output] }, 'input[1].call_id', null],
  [
    'conversation and previous response',
    { conversation: 'c', previous_response_id: 'r' },
    'previous_response_id',
    'mutually_exclusive_parameters',
  ],
  [
    'sealed content of nobody here',
    { input: [{ type: 'reasoning', summary: [], encrypted_content: 'gAAAA' }] },
    'input[0].encrypted_content',
    'invalid_encrypted_content',
  ],
  [
    'sealed content that is no text',
    { input: [{ type: 'reasoning', summary: [], encrypted_content: 7 }] },
    'input[0].encrypted_content',
    'invalid_type',
  ],
  ...['__proto__', 'constructor', 'most'].map(
    (effort) => [`the effort ${effort}`, { reasoning: { effort } }, 'reasoning.effort', null] as const,
  ),
  ['background without store', { background: true, store: false }, 'background', 'background_needs_store'],
]

test.for(refused)('%s is refused, and the model is not asked', async ([, body, param, code, status = 400]) => {
  const server = await testServer(['never'])
  const whole = typeof body === 'string' ? body : { model: 'm', input: 'x', ...body }
  const response = await server.post('/responses', whole)
  const { error } = (await response.json()) as { error: Record<string, unknown> }
  expect([response.status, error['param'], error['code']]).toEqual([status, param, code])
  expect(error['message']).toEqual(expect.stringMatching(/\w/))
  expect(server.model.requests).toHaveLength(0)
  expect(await server.store.maintenance.expired(Infinity)).toEqual([])
})

test('a call of the response before without its output, or with two, is refused with the id of the call', async () => {
  const { client, post } = await testServer([[callWeather('Rome', 'c1')], 'never'])
  const { id } = await client.responses.create({ model: 'm', input: 'x', tools: [weather] })
  const ask = async (input: unknown) =>
    (await post('/responses', { model: 'm', previous_response_id: id, input })).text()
  expect(await ask('well?')).toContain('No tool output found for function call c1.')
  expect(await ask([output, output])).toContain("two outputs for call 'c1'")
  expect(await ask([output, { ...output, call_id: 'c9' }])).toContain('call_id c9')
})

test('fields outside of the API are named in a header, or refused where the server is strict', async () => {
  const body = { model: 'm', input: 'x', client_metadata: { a: 1 }, 'né\n': 1, '\ud83d': 1 }
  const lenient = await testServer(['ok'])
  const response = await lenient.post('/responses', body)
  expect(response.headers.get('x-steploop-ignored-fields')).toBe('client_metadata, n%C3%A9%0A, %EF%BF%BD')
  const strict = await testServer(['never'], { strict: true })
  const refusal = await strict.post('/responses', body)
  expect(await refusal.json()).toMatchObject({ error: { code: 'unknown_parameter', param: 'client_metadata' } })
})

test('a tool without executor is left out where the operator says so', async () => {
  const server = await testServer(['ok'], { unsupportedTools: 'drop' })
  const response = await server.post('/responses', {
    model: 'm',
    input: 'x',
    tools: [{ type: 'code_interpreter' }, weather],
  })
  expect(response.status).toBe(200)
  expect(server.model.requests[0]?.request.tools?.map(({ name }) => name)).toEqual(['weather'])
})

test('limits: a body that is too long is refused, whether it says its length or not', async () => {
  const { post, baseURL } = await testServer(['never'], { limits: { bodyBytes: 1_000 } })
  expect((await post('/responses', { model: 'm', input: 'x'.repeat(2_000) })).status).toBe(413)
  const body = new Blob(['x'.repeat(2_000)]).stream()
  const chunked = await fetch(`${baseURL}/responses`, { method: 'POST', body, duplex: 'half' } as RequestInit)
  expect(chunked.status).toBe(413)
})

test('limits: a body that is too deep is refused', async () => {
  const { post } = await testServer(['never'])
  const response = await post(
    '/responses',
    `{"model":"m","input":"x","metadata":${'['.repeat(5_000)}${']'.repeat(5_000)}}`,
  )
  expect(response.status).toBe(400)
})

test('limits: too many tools are refused', async () => {
  const { post } = await testServer(['never'], { limits: { tools: 1 } })
  const tools = [weather, { ...weather, name: 'other' }]
  expect(await (await post('/responses', { model: 'm', input: 'x', tools })).text()).toContain('more than 1 tools')
})

test('limits: too many runs are refused with a time to wait, of one tenant before all', async () => {
  const hang = { parts: [], hang: true } as const
  const { post, client } = await testServer([hang], { limits: { runsPerTenant: 1 } })
  const { id } = await client.responses.create({ model: 'm', input: 'x', background: true })
  const response = await post('/responses', { model: 'm', input: 'x' })
  expect([response.status, response.headers.get('retry-after')]).toEqual([429, '1'])
  await client.responses.cancel(id)
})

test('a key with another body is refused, with the same body it gives the first response again', async () => {
  const { post, model } = await testServer(['one', 'two'])
  const headers = { 'idempotency-key': 'k' }
  const first = (await (await post('/responses', { model: 'm', input: 'x' }, headers)).json()) as { id: string }
  const again = await post('/responses', { model: 'm', input: 'x' }, headers)
  expect(await again.json()).toEqual(first)
  expect((await post('/responses', { model: 'm', input: 'y' }, headers)).status).toBe(422)
  expect(model.requests).toHaveLength(1)
})

test('a key that is empty is none', async () => {
  const { post } = await testServer(['one', 'two'])
  const headers = { 'idempotency-key': '' }
  expect((await post('/responses', { model: 'm', input: 'x' }, headers)).status).toBe(200)
  expect((await post('/responses', { model: 'm', input: 'y' }, headers)).status).toBe(200)
})

test('only background responses can be cancelled, and only stored ones are there', async () => {
  const { client } = await testServer(['one'])
  const { id } = await client.responses.create({ model: 'm', input: 'x' })
  await expect(client.responses.cancel(id)).rejects.toMatchObject({ status: 400 })
  await expect(client.responses.cancel(missing)).rejects.toMatchObject({ status: 404 })
  await expect(client.responses.retrieve(missing)).rejects.toMatchObject({ status: 404 })
  await expect(client.responses.delete(missing)).rejects.toMatchObject({ status: 404 })
})

test('what was deleted is answered like what never was', async () => {
  const { client, post, get } = await testServer(['one', 'never'])
  const { id } = await client.responses.create({ model: 'm', input: 'x' })
  const conversation = await client.conversations.create({})
  await client.responses.delete(id)
  const deleted = await client.conversations.delete(conversation.id)
  expect(deleted).toMatchObject({ deleted: true, object: 'conversation.deleted' })
  const body = { model: 'm', input: 'y' }
  const answers = [
    await get(`/responses/${id}`),
    await get(`/responses/${id}/input_items`),
    await post(`/responses/${id}/cancel`, {}),
    await get(`/conversations/${conversation.id}`),
    await post('/responses', { ...body, conversation: conversation.id }),
    await post('/responses', { ...body, previous_response_id: id }),
  ]
  expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404, 400])
  expect(await answers.at(-1)?.json()).toMatchObject({ error: { code: 'previous_response_not_found' } })
})

test('too many runs of all tenants together are refused, too', async () => {
  const authenticate = (request: Request) => ({ tenant: request.headers.get('x-tenant') ?? 'a' })
  const { post, client } = await testServer([{ parts: [], hang: true }], { authenticate, limits: { runs: 1 } })
  const { id } = await client.responses.create({ model: 'm', input: 'x', background: true })
  const response = await post('/responses', { model: 'm', input: 'x' }, { 'x-tenant': 'b' })
  expect([response.status, response.headers.get('retry-after')]).toEqual([429, '1'])
  await client.responses.cancel(id)
})

test('a conversation in use takes no second response', async () => {
  const { client } = await testServer([{ parts: [], hang: true }])
  const conversation = await client.conversations.create({})
  const first = await client.responses.create({
    model: 'm',
    input: 'x',
    conversation: conversation.id,
    background: true,
  })
  const second = client.responses.create({ model: 'm', input: 'y', conversation: conversation.id })
  await expect(second).rejects.toMatchObject({ status: 400, code: 'conversation_locked' })
  await client.responses.cancel(first.id)
})

test('without or with wrong credentials nothing is answered but 401', async () => {
  const authenticate = (request: Request) =>
    request.headers.get('authorization') === 'Bearer right' ? { tenant: 'a' } : undefined
  const { post, get } = await testServer(['ok'], { authenticate })
  expect((await get('/models')).status).toBe(401)
  const wrong = await post('/responses', { model: 'm', input: 'x' }, { authorization: 'Bearer wrong' })
  expect(wrong.status).toBe(401)
  expect(await wrong.text()).not.toContain('wrong')
  expect((await get('/models', { authorization: 'Bearer right' })).status).toBe(200)
})

const failure = (code: 'rate-limit' | 'authentication' | 'context-overflow' | 'overloaded') =>
  new AdapterError({
    provider: 'p',
    model: 'secret-model',
    code,
    retryAfterMs: 2_500,
    providerMessage: 'key sk-planted',
  })

test.each([
  ['rate-limit', 429, '3'],
  ['overloaded', 503, '3'],
  ['context-overflow', 400, null],
  ['authentication', 502, null],
] as const)(
  'a model that fails: %s before the first byte is a status, without a word of the provider',
  async (code, status, wait) => {
    const { post, store } = await testServer([failure(code)], { loop: { maxRetries: 0 } })
    const response = await post('/responses', { model: 'm', input: 'x', stream: true })
    expect([response.status, response.headers.get('retry-after')]).toEqual([status, wait])
    expect(await response.text()).not.toMatch(/planted|secret/)
    expect(await store.maintenance.purge(Infinity, Infinity)).toBe(0)
  },
)

test('a model that fails after the first byte it is response.failed, and never a bare end', async () => {
  const broken = { parts: [{ type: 'text', text: 'Hel' }], error: failure('overloaded') } as const
  const { client } = await testServer([broken, 'never'])
  const events = await eventsOf(await client.responses.create({ model: 'm', input: 'x', stream: true }))
  const last = events.at(-1)
  expect(last).toMatchObject({
    type: 'response.failed',
    response: { status: 'failed', error: { code: 'server_is_overloaded' } },
  })
  expect(JSON.stringify(events)).not.toMatch(/planted|secret/)
})

test('an address with a NUL is 404, before any database sees it', async () => {
  const { get } = await testServer([])
  const { status } = await get('/responses/a%00')
  expect([status, (await get('/conversations/c/items?after=%00')).status]).toEqual([404, 404])
  expect(await (await get('/responses/a%00')).json()).toMatchObject({ error: { code: 'unknown_url' } })
})

test('an address that is none is 404 as JSON', async () => {
  const { get } = await testServer([])
  const response = await get('/nothing')
  expect([response.status, await response.json()]).toMatchObject([404, { error: { code: 'unknown_url' } }])
})

test('outputs find their calls by id: none of them is looked for in a list that the client makes as long as it likes', async () => {
  const ids = Array.from({ length: 100 }, (_none, index) => `c${index}`)
  const made = [
    ...ids.map((call_id) => ({ type: 'function_call', call_id, name: 'f', arguments: '{}' })),
    ...ids.map((call_id) => ({ type: 'function_call_output', call_id, output: call_id })),
  ]
  const looked = vi.spyOn(Array.prototype, 'find')
  const items = made.map((data) => ({ data, param: 'input' }))
  const read = await readInput(items, {
    known: new Set(),
    unseal: () => Promise.reject(new Error('Nothing is sealed.')),
  })
  const count = looked.mock.calls.length
  looked.mockRestore()
  expect(count).toBe(0)
  expect(read.messages.map(({ content }) => content.length)).toEqual([100, 100])
})

test.each([Number.NaN, 0, -1])(
  'a limit of %s is refused when the server is made, since nothing would be too much for it',
  (most) => {
    const limits = { bodyBytes: most }
    expect(() => createServer({ models: {}, store: memoryStore(), limits })).toThrow(RangeError)
  },
)

test('a limit that is left open is the default', async () => {
  const { post } = await testServer([], { limits: { jsonDepth: undefined } as never })
  const response = await post('/responses', `{"model":"m","input":"x","metadata":${'['.repeat(65)}${']'.repeat(65)}}`)
  expect(await response.json()).toMatchObject({ error: { message: expect.stringContaining('more than 64') } })
})
