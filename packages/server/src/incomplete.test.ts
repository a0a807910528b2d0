import { expect, test } from 'vitest'
import { eventsOf, testServer } from './testing.ts'

test('a message that the token limit cuts is incomplete, as its response is', async () => {
  const cut = { parts: [{ type: 'text', text: 'Half a' }], finishReason: 'length' } as const
  const { client } = await testServer([cut, cut])
  const response = await client.responses.create({ model: 'm', input: 'x' })
  expect(response).toMatchObject({
    status: 'incomplete',
    incomplete_details: { reason: 'max_output_tokens' },
    output: [{ type: 'message', status: 'incomplete' }],
  })
  const events = await eventsOf(client.responses.stream({ model: 'm', input: 'x' }))
  expect(events.slice(-2)).toMatchObject([
    { type: 'response.output_item.done', item: { status: 'incomplete' } },
    { type: 'response.incomplete' },
  ])
})
