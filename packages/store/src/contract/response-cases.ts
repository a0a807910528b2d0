import type { ContractCase } from './contract-case.ts'
import { refused, same } from './expect.ts'
import { answer, begun, complete, hardTexts, page, shownItem, userMessage } from './samples.ts'

export const responseCases: readonly ContractCase[] = [
  {
    title: 'messages, items and results come back as they were written, whatever is in them',
    async run(store) {
      const messages = hardTexts.flatMap((text) => [userMessage(text), answer(text)])
      const items = hardTexts.map((text, index) => ({
        ...shownItem(`i${index}`, 'output', [[index, 0]]),
        data: { id: `i${index}`, text },
      }))
      const result = { texts: hardTexts }
      await store.accept('a', begun('r', { messages, items, request: result, result }))
      const history = await store.history('a', { responseId: 'r' })
      same(JSON.stringify(history?.messages), JSON.stringify(messages), 'messages')
      same(history?.items, items, 'items')
      const row = await store.response('a', 'r')
      same([row?.request, row?.result], [result, result], 'request and result')
    },
  },
  {
    title: 'a chain is read from its beginning, and branches do not see each other',
    async run(store) {
      await complete(store, 'a', 'one')
      await complete(store, 'a', 'left', { previousId: 'one' })
      await complete(store, 'a', 'right', { previousId: 'one' })
      await complete(store, 'a', 'end', { previousId: 'left' })
      const history = await store.history('a', { responseId: 'end' })
      const texts = ['one', 'left', 'end'].flatMap((id) => [userMessage(`in ${id}`), answer(`out ${id}`)])
      same(history?.messages, texts, 'messages')
      same(history?.transcriptId, 't-end', 'transcript')
    },
  },
  {
    title: 'a save replaces from its number on, and only the owner of the lease may save',
    async run(store) {
      await store.accept('a', begun('r'))
      await store.save('a', 'r', { owner: 'me', messages: { from: 1, list: [answer('x'), answer('y')] } })
      await store.save('a', 'r', {
        owner: 'me',
        messages: { from: 2, list: [answer('z')] },
        items: { from: 0, list: [] },
      })
      same(await store.messages('a', 'r'), [userMessage('in r'), answer('x'), answer('z')], 'messages')
      await refused(store.save('a', 'r', { owner: 'other', status: 'completed' }), 'lease-lost', 'another owner')
      await store.save('a', 'r', { owner: 'me', status: 'completed' })
      await refused(store.save('a', 'r', { owner: 'me', status: 'failed' }), 'lease-lost', 'after the end')
      same((await store.response('a', 'r'))?.status, 'completed', 'status')
    },
  },
  {
    title: 'an expired lease is taken over once, and the owner before has lost it',
    async run(store) {
      await store.accept('a', begun('r'))
      same(await store.maintenance.expired(1_000), [], 'not expired yet')
      same(await store.maintenance.renew('me', 2_000), [], 'nobody wants it cancelled')
      same(await store.maintenance.expired(1_500), [], 'renewed')
      await store.maintenance.renew('me', 2_500, 1_000)
      same(await store.maintenance.expired(1_999), [], 'within the slack, renewed or not')
      await store.maintenance.renew('me', 3_000, 100)
      same(await store.maintenance.expired(2_999), [], 'beyond the slack')
      same(await store.maintenance.expired(3_001), [{ tenant: 'a', responseId: 'r' }], 'expired')
      const claims = ['x', 'y'].map((owner) => store.claim('a', 'r', { owner, until: 4_000 }, 3_001))
      const owners = (await Promise.all(claims)).map((row) => row?.lease?.owner)
      same(owners.filter((owner) => owner !== undefined).length, 1, 'claims that won')
      await refused(store.save('a', 'r', { owner: 'me', status: 'completed' }), 'lease-lost', 'the owner before')
      same((await store.response('a', 'r'))?.attempt, 1, 'attempt')
    },
  },
  {
    title: 'a cancel reaches the owner with its next renewal, and changes nothing that is over',
    async run(store) {
      await store.accept('a', begun('r'))
      await complete(store, 'a', 'over')
      same((await store.requestCancel('a', 'r'))?.cancelRequested, true, 'asked for')
      same((await store.requestCancel('a', 'over'))?.cancelRequested, false, 'over')
      same(await store.requestCancel('a', 'none'), undefined, 'none')
      same(await store.maintenance.renew('me', 2_000), [{ tenant: 'a', responseId: 'r' }], 'renewal')
    },
  },
  {
    title: 'an idempotency key gives the first response, or says that the body is another',
    async run(store) {
      const idempotency = { key: 'k', body: 'one' }
      const twice = ['r1', 'r2'].map((id) => store.accept('a', begun(id, { idempotency })))
      same((await Promise.all(twice)).map(({ type }) => type).toSorted(), ['accepted', 'repeated'], 'at the same time')
      const other = await store.accept('a', begun('r3', { idempotency: { key: 'k', body: 'two' } }))
      same(other.type, 'key-reused', 'another body')
      same((await store.accept('b', begun('r1', { idempotency }))).type, 'accepted', 'another tenant')
    },
  },
  {
    title: 'an item is answered by one response, and one that comes too late leaves nothing behind',
    async run(store) {
      await store.createConversation('a', { id: 'c', metadata: {}, createdAt: 1 })
      const items = ['x', 'y', 'z'].map((id) => shownItem(id, 'output', []))
      await store.accept('a', begun('asks', { items }))
      await store.save('a', 'asks', { owner: 'me', status: 'completed' })
      const twice = ['r1', 'r2'].map((id) => store.accept('a', begun(id, { answers: ['x', 'y'] })))
      const outcomes = await Promise.all([...twice, store.answer('a', 'unstored', ['y', 'x'])])
      const first = outcomes.findIndex(({ type }) => type === 'accepted')
      const responseId = ['r1', 'r2', 'unstored'][first]
      const late = outcomes.filter((_outcome, index) => index !== first)
      same(
        late.map(({ type }) => type),
        ['answered', 'answered'],
        'at the same time',
      )
      same(
        late.map((outcome) => outcome.type === 'answered' && outcome.responseId),
        [responseId, responseId],
        'by whom',
      )
      const both = begun('r3', { answers: ['z', 'x'], conversationId: 'c' })
      same(await store.accept('a', both), { type: 'answered', itemId: 'x', responseId }, 'one of two')
      same(await store.response('a', 'r3'), undefined, 'who came too late')
      same((await store.answer('a', 'unstored', ['none'])).type, 'not-found', 'no item')
      same((await store.answer('b', 'unstored', ['z'])).type, 'not-found', 'of another tenant')
      same(
        (await store.accept('a', begun('r4', { answers: ['z'], conversationId: 'c' }))).type,
        'accepted',
        'the other',
      )
      await store.save('a', 'r4', { owner: 'me', status: 'failed' })
      await store.deleteResponse('a', 'r4')
      await store.deleteConversation('a', 'c')
      same(await store.maintenance.purge(0, 0), 1, 'gone for good')
      same((await store.answer('a', 'r5', ['z'])).type, 'answered', 'by one that is gone')
      same((await store.history('a', { responseId: 'asks' }))?.items, items, 'what is shown')
    },
  },
  {
    title: 'a discarded response leaves its key and its place free',
    async run(store) {
      const idempotency = { key: 'k', body: 'one' }
      await store.createConversation('a', { id: 'c', metadata: {}, createdAt: 1 })
      await store.accept('a', begun('r', { idempotency, conversationId: 'c' }))
      await refused(store.discard('a', 'r', 'other'), 'lease-lost', 'another owner')
      await store.discard('a', 'r', 'me')
      same(await store.response('a', 'r'), undefined, 'response')
      same((await store.accept('a', begun('r2', { idempotency, conversationId: 'c' }))).type, 'accepted', 'again')
    },
  },
  {
    title: 'a deleted response is gone at once, and stays in what goes on from it until nobody does',
    async run(store) {
      await complete(store, 'a', 'one')
      await complete(store, 'a', 'two', { previousId: 'one' })
      same(await store.deleteResponse('a', 'one'), true, 'deleted')
      same(await store.deleteResponse('a', 'one'), false, 'deleted twice')
      same([await store.response('a', 'one'), await store.history('a', { responseId: 'one' })], [null, null], 'gone')
      same((await store.accept('a', begun('three', { previousId: 'one' }))).type, 'not-found', 'no branch from it')
      same((await store.history('a', { responseId: 'two' }))?.messages.length, 4, 'history of the other')
      same(await store.maintenance.purge(0, 0), 0, 'needed')
      await store.deleteResponse('a', 'two')
      same(await store.maintenance.purge(0, 0), 2, 'not needed any more')
      same(await store.messages('a', 'one'), [], 'messages')
    },
  },
  {
    title: 'the old is purged, and what is under way or younger is not',
    async run(store) {
      await complete(store, 'a', 'old', { createdAt: 10 })
      await complete(store, 'a', 'new', { createdAt: 30, background: true })
      await store.accept('a', begun('running', { createdAt: 10 }))
      await store.addEvents('a', 'new', [{ sequence: 0, data: { n: 0 } }])
      same(await store.maintenance.purge(20, 40), 1, 'purged')
      same((await store.response('a', 'old'))?.id, undefined, 'the old one')
      same((await store.response('a', 'running'))?.id, 'running', 'the one under way')
      same(await store.events('a', 'new', -1), [], 'events')
    },
  },
  {
    title: 'events are read from any of them on',
    async run(store) {
      await store.accept('a', begun('r'))
      await store.addEvents(
        'a',
        'r',
        [0, 1, 2].map((sequence) => ({ sequence, data: { sequence } })),
      )
      await store.addEvents('a', 'r', [{ sequence: 3, data: { sequence: 3 } }])
      same(
        (await store.events('a', 'r', 1)).map(({ data }) => data),
        [{ sequence: 2 }, { sequence: 3 }],
        'events',
      )
    },
  },
  {
    title: 'items of a response are listed by direction, page by page',
    async run(store) {
      const items = [0, 1, 2].map((n) => shownItem(`i${n}`, 'input', [[0, n]]))
      await store.accept('a', begun('r', { items: [...items, shownItem('o', 'output', [])] }))
      const first = await store.responseItems('a', 'r', 'input', { limit: 2, order: 'desc' })
      same([first?.items.map(({ id }) => id), first?.hasMore], [['i2', 'i1'], true], 'first page')
      const rest = await store.responseItems('a', 'r', 'input', { limit: 2, order: 'desc', after: 'i1' })
      same([rest?.items.map(({ id }) => id), rest?.hasMore], [['i0'], false], 'second page')
      await refused(store.responseItems('a', 'r', 'input', { ...page, after: 'none' }), 'item-not-found', 'after')
    },
  },
]
