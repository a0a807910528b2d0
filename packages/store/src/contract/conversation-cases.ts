import type { ContractCase } from './contract-case.ts'
import { same } from './expect.ts'
import { answer, begun, complete, page, shownItem, userMessage } from './samples.ts'

export const conversationCases: readonly ContractCase[] = [
  {
    title: 'a conversation has its responses and what was put into it, in order',
    async run(store) {
      await store.createConversation('a', { id: 'c', metadata: { a: 'b' }, createdAt: 1 })
      const put = begun('put', { kind: 'insert', status: 'completed', lease: undefined, conversationId: 'c' })
      await store.accept('a', put)
      await complete(store, 'a', 'r', { conversationId: 'c' })
      const history = await store.history('a', { conversationId: 'c' })
      same(history?.messages, [userMessage('in put'), userMessage('in r'), answer('out r')], 'messages')
      const items = await store.conversationItems('a', 'c', page)
      same(
        items?.items.map(({ id }) => id),
        ['put-in', 'r-in', 'r-out'],
        'items',
      )
      same(await store.response('a', 'put'), undefined, 'what was put in is no response')
    },
  },
  {
    title: 'one response at a time: the second of two is locked out, until the first is over',
    async run(store) {
      await store.createConversation('a', { id: 'c', metadata: {}, createdAt: 1 })
      const twice = ['r1', 'r2'].map((id) => store.accept('a', begun(id, { conversationId: 'c' })))
      const types = (await Promise.all(twice)).map(({ type }) => type)
      same(types.toSorted(), ['accepted', 'locked'], 'at the same time')
      const winner = types[0] === 'accepted' ? 'r1' : 'r2'
      same((await store.history('a', { conversationId: 'c' }))?.messages, [], 'nothing before the end')
      await store.save('a', winner, { owner: 'me', status: 'failed' })
      same((await store.accept('a', begun('r3', { conversationId: 'c' }))).type, 'accepted', 'afterwards')
    },
  },
  {
    title:
      'a response that goes on from a history is locked out once the conversation has gone on, or when it was about to',
    async run(store) {
      await store.createConversation('a', { id: 'c', metadata: {}, createdAt: 1 })
      const revision = async () => (await store.history('a', { conversationId: 'c' }))?.revision
      const accept = async (id: string, seen: number | undefined) =>
        (await store.accept('a', begun(id, { conversationId: 'c', revision: seen }))).type
      const before = await revision()
      same(await accept('r1', before), 'accepted', 'as it was seen')
      const during = await revision()
      await store.save('a', 'r1', { owner: 'me', status: 'completed' })
      same([await accept('r2', before), await accept('r3', during)], ['locked', 'locked'], 'not as it was seen')
      same(await accept('r4', await revision()), 'accepted', 'as it is')
    },
  },
  {
    title: 'a response of a conversation can be gone on from, with what stood before it there',
    async run(store) {
      await store.createConversation('a', { id: 'c', metadata: {}, createdAt: 1 })
      for (const id of ['one', 'two', 'three']) await complete(store, 'a', id, { conversationId: 'c' })
      const history = await store.history('a', { responseId: 'two' })
      same(history?.messages.length, 4, 'messages')
      same(history?.transcriptId, 't-two', 'transcript')
    },
  },
  {
    title: 'an item that is deleted leaves the list and the history',
    async run(store) {
      await store.createConversation('a', { id: 'c', metadata: {}, createdAt: 1 })
      const items = [shownItem('x', 'input', [[0, 0]]), shownItem('y', 'input', [[1, 0]])]
      const messages = [userMessage('one'), answer('two')]
      const kind = { kind: 'insert', status: 'completed', lease: undefined } as const
      await store.accept('a', begun('r', { ...kind, conversationId: 'c', items, messages }))
      same(await store.deleteConversationItem('a', 'c', 'x'), true, 'deleted')
      same(await store.deleteConversationItem('a', 'c', 'x'), false, 'deleted twice')
      same(await store.conversationItem('a', 'c', 'x'), undefined, 'gone')
      same((await store.conversationItem('a', 'c', 'y'))?.id, 'y', 'the other')
      same((await store.history('a', { conversationId: 'c' }))?.messages, [answer('two')], 'history')
    },
  },
  {
    title: 'metadata are replaced, and a deleted conversation is gone',
    async run(store) {
      await store.createConversation('a', { id: 'c', metadata: { a: '1' }, createdAt: 7 })
      const changed = { id: 'c', metadata: { b: '2' }, createdAt: 7 }
      same(await store.updateConversation('a', 'c', { b: '2' }), changed, 'changed')
      same(await store.conversation('a', 'c'), changed, 'read')
      same(
        [await store.deleteConversation('a', 'c'), await store.deleteConversation('a', 'c')],
        [true, false],
        'deleted',
      )
      same(await store.history('a', { conversationId: 'c' }), undefined, 'history')
      same((await store.accept('a', begun('r', { conversationId: 'c' }))).type, 'not-found', 'response')
    },
  },
  {
    title: 'results that came later stand in place of those that a step had before',
    async run(store) {
      const call = (id: string) =>
        ({ type: 'tool-call', toolCallId: id, toolName: 't', input: {}, inputText: '{}', owner: 'loop' }) as const
      const result = (id: string) =>
        ({ type: 'tool-result', toolCallId: id, toolName: 't', output: { type: 'text', value: id } }) as const
      const pending = [{ toolCallId: 'y', toolName: 't', input: {}, reason: 'client-tool' }] as const
      const asked = { role: 'assistant', content: [call('x'), call('y')] } as const
      await store.accept('a', begun('one'))
      const list = [asked, { role: 'tool', content: [result('x')] }] as const
      await store.save('a', 'one', { owner: 'me', messages: { from: 1, list }, pending, status: 'completed' })
      same((await store.history('a', { responseId: 'one' }))?.pending, pending, 'pending')
      const both = { role: 'tool', content: [result('x'), result('y')] } as const
      await store.accept('a', begun('two', { previousId: 'one', messages: [both] }))
      const history = await store.history('a', { responseId: 'two' })
      same(history?.messages, [userMessage('in one'), asked, both], 'messages')
    },
  },
]
