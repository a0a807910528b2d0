import { sqliteStore } from '@steploop/store/sqlite'
import { expect, test } from 'vitest'
import { testServer, type TestServer } from './testing.ts'

const tenants = (request: Request) => ({ tenant: request.headers.get('x-tenant') ?? 'nobody' })
const a = { 'x-tenant': 'a' }
const b = { 'x-tenant': 'b' }

interface Ids {
  readonly response: string
  readonly background: string
  readonly item: string
  readonly conversation: string
  readonly conversationItem: string
}

/** Ids of the same form and length that never were. */
const never: Ids = {
  response: 'resp_never',
  background: 'resp_absent',
  item: 'msg_never',
  conversation: 'conv_never',
  conversationItem: 'msg_absent',
}

async function idsOf({ post, get }: TestServer): Promise<Ids> {
  const ask = async (path: string, body: unknown) => (await (await post(path, body, a)).json()) as Made
  const response = await ask('/responses', { model: 'm', input: 'x' })
  const conversation = await ask('/conversations', { items: [{ role: 'user', content: 'x' }] })
  const items = (await (await get(`/conversations/${conversation.id}/items`, a)).json()) as { data: Made[] }
  const background = await ask('/responses', { model: 'm', input: 'x', background: true })
  return {
    response: response.id,
    background: background.id,
    item: response.output![0]!.id,
    conversation: conversation.id,
    conversationItem: items.data[0]!.id,
  }
}

interface Made {
  readonly id: string
  readonly output?: readonly Made[]
}

type Endpoint = readonly [method: string, path: (ids: Ids) => string, body?: (ids: Ids) => unknown]

const text = { role: 'user', content: 'y' } as const
const create = (more: (ids: Ids) => object): Endpoint => [
  'POST',
  () => '/responses',
  (ids) => ({ model: 'm', input: 'y', ...more(ids) }),
]

/** Every route, and every field of a body or a query, that takes an id. */
const endpoints: Readonly<Record<string, Endpoint>> = {
  'GET response': ['GET', ({ response }) => `/responses/${response}`],
  'GET background response': ['GET', ({ background }) => `/responses/${background}`],
  'GET events': ['GET', ({ background }) => `/responses/${background}?stream=true`],
  'GET events after one': ['GET', ({ background }) => `/responses/${background}?stream=true&starting_after=0`],
  'DELETE response': ['DELETE', ({ response }) => `/responses/${response}`],
  'cancel response': ['POST', ({ response }) => `/responses/${response}/cancel`],
  'cancel background response': ['POST', ({ background }) => `/responses/${background}/cancel`],
  'GET input_items': ['GET', ({ response }) => `/responses/${response}/input_items`],
  'GET input_items after one': ['GET', ({ response, item }) => `/responses/${response}/input_items?after=${item}`],
  'GET conversation': ['GET', ({ conversation }) => `/conversations/${conversation}`],
  'POST conversation': [
    'POST',
    ({ conversation }) => `/conversations/${conversation}`,
    () => ({ metadata: { a: 'b' } }),
  ],
  'DELETE conversation': ['DELETE', ({ conversation }) => `/conversations/${conversation}`],
  'GET items': ['GET', ({ conversation }) => `/conversations/${conversation}/items`],
  'GET items after one': [
    'GET',
    ({ conversation, conversationItem }) => `/conversations/${conversation}/items?after=${conversationItem}`,
  ],
  'POST items': ['POST', ({ conversation }) => `/conversations/${conversation}/items`, () => ({ items: [text] })],
  'GET item': [
    'GET',
    ({ conversation, conversationItem }) => `/conversations/${conversation}/items/${conversationItem}`,
  ],
  'DELETE item': [
    'DELETE',
    ({ conversation, conversationItem }) => `/conversations/${conversation}/items/${conversationItem}`,
  ],
  previous_response_id: create(({ response }) => ({ previous_response_id: response })),
  'previous_response_id of a background one': create(({ background }) => ({ previous_response_id: background })),
  conversation: create(({ conversation }) => ({ conversation })),
  'conversation as an object': create(({ conversation }) => ({ conversation: { id: conversation } })),
  item_reference: create(({ item }) => ({ input: [{ type: 'item_reference', id: item }] })),
  'item_reference into a conversation': create(({ conversationItem }) => ({
    input: [{ type: 'item_reference', id: conversationItem }],
  })),
  'id of an item of the input': create(({ item }) => ({ input: [{ type: 'message', id: item, ...text }] })),
  mcp_approval_response: create(({ item }) => ({
    input: [{ type: 'mcp_approval_response', approval_request_id: item, approve: true }],
  })),
  'item_reference in a new conversation': [
    'POST',
    () => '/conversations',
    ({ item }) => ({ items: [{ type: 'item_reference', id: item }] }),
  ],
}

/** Status, headers and body byte for byte, but for the ids that were asked for and those that are new. */
async function answerTo({ baseURL }: TestServer, [method, path, body]: Endpoint, ids: Ids): Promise<string> {
  const init = body && { body: JSON.stringify(body(ids)) }
  const response = await fetch(`${baseURL}${path(ids)}`, { method, headers: b, ...init })
  const headers = [...response.headers].filter(([name]) => !['date', 'content-length'].includes(name))
  const raw = `${response.status} ${JSON.stringify(headers)} ${await response.text()}`
  const known = Object.entries(ids).reduce((said, [name, id]) => said.replaceAll(id as string, `<${name}>`), raw)
  return known.replaceAll(/(resp|msg|conv)_\w{20,}/g, '<new>').replaceAll(/("\w+_at":)\d+/g, '$1<time>')
}

test.each(Object.entries(endpoints))(
  '%s: an id of another tenant is answered like one that never was',
  async (_, endpoint) => {
    const server = await testServer(['x', 'x', 'x', 'x'], {
      authenticate: tenants,
      store: await sqliteStore({ path: ':memory:' }),
    })
    const ids = await idsOf(server)
    const state = async (): Promise<string> => {
      const paths = [`/responses/${ids.response}`, `/conversations/${ids.conversation}`]
      const all = [...paths, `/conversations/${ids.conversation}/items`].map(async (path) =>
        (await server.get(path, a)).text(),
      )
      return (await Promise.all(all)).join('\n')
    }
    const before = await state()
    expect(await answerTo(server, endpoint, ids)).toBe(await answerTo(server, endpoint, never))
    expect(await state()).toBe(before)
  },
)

test('a key for repetition is of one tenant', async () => {
  const { post } = await testServer(['one', 'two'], { authenticate: tenants })
  const ask = async (headers: Record<string, string>) => {
    const response = await post('/responses', { model: 'm', input: 'x' }, { ...headers, 'idempotency-key': 'k' })
    return (await response.json()) as { id: string; output: unknown[] }
  }
  const [first, second] = [await ask(a), await ask(b)]
  expect(first.id).not.toBe(second.id)
  expect(JSON.stringify(second.output)).toContain('two')
})
