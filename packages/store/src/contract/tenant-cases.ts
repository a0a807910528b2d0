import type { OpenStore } from '../store.ts'
import type { ContractCase } from './contract-case.ts'
import { refused, same } from './expect.ts'
import { begun, complete, page } from './samples.ts'

/** Every method that takes an id, as tenant `b` with ids of tenant `a` or with one that never was. */
const questions: Readonly<Record<string, (store: OpenStore, id: (own: string) => string) => Promise<unknown>>> = {
  response: (store, id) => store.response('b', id('r')),
  messages: (store, id) => store.messages('b', id('r')),
  deleteResponse: (store, id) => store.deleteResponse('b', id('r')),
  requestCancel: (store, id) => store.requestCancel('b', id('open')),
  claim: (store, id) => store.claim('b', id('open'), { owner: 'b', until: 9_000 }, 5_000),
  'history of a response': (store, id) => store.history('b', { responseId: id('r') }),
  'history of a conversation': (store, id) => store.history('b', { conversationId: id('c') }),
  item: (store, id) => store.item('b', id('r-in')),
  responseItems: (store, id) => store.responseItems('b', id('r'), 'input', page),
  'accept after a response': (store, id) => store.accept('b', begun('new', { previousId: id('r') })),
  'accept in a conversation': (store, id) => store.accept('b', begun('new', { conversationId: id('c') })),
  answer: (store, id) => store.answer('b', 'new', [id('r-in')]),
  'accept that answers': (store, id) => store.accept('b', begun('new', { answers: [id('r-in')] })),
  conversation: (store, id) => store.conversation('b', id('c')),
  updateConversation: (store, id) => store.updateConversation('b', id('c'), { stolen: 'yes' }),
  deleteConversation: (store, id) => store.deleteConversation('b', id('c')),
  conversationItems: (store, id) => store.conversationItems('b', id('c'), page),
  conversationItem: (store, id) => store.conversationItem('b', id('c'), id('r-in')),
  deleteConversationItem: (store, id) => store.deleteConversationItem('b', id('c'), id('r-in')),
  events: (store, id) => store.events('b', id('r'), -1),
}

async function fill(store: OpenStore): Promise<void> {
  await store.createConversation('a', { id: 'c', metadata: {}, createdAt: 1 })
  await complete(store, 'a', 'r', { conversationId: 'c' })
  await store.addEvents('a', 'r', [{ sequence: 0, data: { secret: true } }])
  await store.accept('a', begun('open'))
}

async function everything(store: OpenStore): Promise<unknown> {
  return Promise.all([
    store.response('a', 'r'),
    store.response('a', 'open'),
    store.history('a', { conversationId: 'c' }),
    store.conversation('a', 'c'),
    store.events('a', 'r', -1),
  ])
}

async function shownItems(store: OpenStore): Promise<unknown> {
  return Promise.all([
    store.responseItems('a', 'r', 'input', page),
    store.responseItems('a', 'r', 'output', page),
    store.responseItems('a', 'open', 'input', page),
    store.conversationItems('a', 'c', page),
    store.messages('a', 'open'),
    store.messages('a', 'r'),
  ])
}

export const tenantCases: readonly ContractCase[] = [
  ...Object.entries(questions).map(([name, ask]) => ({
    title: `tenants: ${name} with a foreign id is answered like one that never was, and changes nothing`,
    async run(store: OpenStore) {
      await fill(store)
      const before = await everything(store)
      const never = await ask(store, () => 'never')
      same(await ask(store, (own) => own), never, name)
      same(await ask(store, (own) => `${own}\0`), never, `${name}, with what Postgres has in no text`)
      same(await everything(store), before, 'what the other tenant has')
    },
  })),
  {
    title: 'tenants: nobody saves or discards what is foreign, even as the same owner',
    async run(store) {
      await fill(store)
      await refused(store.save('b', 'open', { owner: 'me', status: 'failed' }), 'lease-lost', 'save')
      await refused(store.discard('b', 'open', 'me'), 'lease-lost', 'discard')
      same((await store.response('a', 'open'))?.status, 'in_progress', 'status')
    },
  },
  {
    title: 'tenants: two may use the same ids, and each has its own',
    async run(store) {
      await complete(store, 'a', 'r', { result: { of: 'a' } })
      await store.accept('b', begun('r', { result: { of: 'b' } }))
      same((await store.response('b', 'r'))?.result, { of: 'b' }, 'b')
      await store.deleteResponse('b', 'r')
      same((await store.response('a', 'r'))?.status, 'completed', 'a')
    },
  },
  {
    title: 'tenants: whoever uses the ids of another touches nothing of his, whatever is done',
    async run(store) {
      for (const tenant of ['a', 'b']) {
        await store.createConversation(tenant, { id: 'c', metadata: {}, createdAt: 1 })
        await complete(store, tenant, 'r', { createdAt: tenant === 'a' ? 100 : 1 })
        await complete(store, tenant, 'chained', { previousId: 'r' })
        await complete(store, tenant, 'before', { conversationId: 'c' })
        await complete(store, tenant, 'second', { conversationId: 'c' })
        await complete(store, tenant, 'branch', { previousId: 'second' })
        await store.accept(tenant, begun('open', { conversationId: 'c' }))
        await store.addEvents(tenant, 'r', [{ sequence: 0, data: { of: tenant } }])
      }
      const of = async (responseId: string) => (await store.history('a', { responseId }))?.messages.length
      same([await of('chained'), await of('branch')], [4, 6], 'his chains')
      same((await store.responseItems('a', 'open', 'input', page))?.items.length, 1, 'his item')
      const before = await everything(store)
      const items = await shownItems(store)
      await store.deleteResponse('b', 'chained')
      await store.save('b', 'open', {
        owner: 'me',
        status: 'failed',
        result: { stolen: true },
        pending: [],
        messages: { from: 0, list: [] },
        items: { from: 0, list: [] },
      })
      await store.deleteConversationItem('b', 'c', 'before-in')
      await store.updateConversation('b', 'c', { stolen: 'yes' })
      await store.deleteConversation('b', 'c')
      await store.deleteResponse('b', 'before')
      same((await store.maintenance.purge(50, 0)) > 0, true, 'purged')
      same(await everything(store), before, 'what the other tenant has')
      same(await shownItems(store), items, 'his items')
      same((await store.accept('a', begun('next', { conversationId: 'c' }))).type, 'locked', 'his lock')
    },
  },
]
