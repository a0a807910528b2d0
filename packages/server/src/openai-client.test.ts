import { expect, test } from 'vitest'
import { callWeather, eventsOf, testServer, weather } from './testing.ts'

test('a response is created, and retrieved as it was', async () => {
  const { client } = await testServer([
    { parts: [{ type: 'text', text: 'Hello.' }], usage: { inputTokens: 3, outputTokens: 2 } },
  ])
  const created = await client.responses.create({ model: 'm', input: 'Hi', metadata: { a: 'b' } })
  expect(created).toMatchObject({
    object: 'response',
    status: 'completed',
    output_text: 'Hello.',
    metadata: { a: 'b' },
  })
  expect(created.usage).toMatchObject({ input_tokens: 3, output_tokens: 2, total_tokens: 5 })
  const { output_text: _text, ...plain } = created
  const { output_text: _again, ...retrieved } = await client.responses.retrieve(created.id)
  expect(retrieved).toEqual(plain)
})

test('a streamed response adds up to its final form, under one id, without a gap in its numbers', async () => {
  const { client } = await testServer([
    [{ type: 'reasoning', text: 'Well, well' }, { type: 'text', text: 'Hello.' }, callWeather('Rome')],
  ])
  const stream = client.responses.stream({ model: 'm', input: 'Hi', tools: [weather] })
  const events = await eventsOf(stream)
  const final = await stream.finalResponse()
  expect(events.map(({ sequence_number: number }) => number)).toEqual(events.map((_event, index) => index))
  expect(events.map(({ type }) => type)).toEqual([
    'response.created',
    'response.in_progress',
    'response.output_item.added',
    'response.reasoning_summary_part.added',
    'response.reasoning_summary_text.delta',
    'response.reasoning_summary_text.delta',
    'response.reasoning_summary_text.done',
    'response.reasoning_summary_part.done',
    'response.output_item.added',
    'response.content_part.added',
    'response.output_text.delta',
    'response.output_text.delta',
    'response.output_text.done',
    'response.content_part.done',
    'response.output_item.done',
    'response.output_item.added',
    'response.function_call_arguments.delta',
    'response.function_call_arguments.delta',
    'response.function_call_arguments.done',
    'response.output_item.done',
    'response.output_item.done',
    'response.completed',
  ])
  const done = events.flatMap((event) => (event.type === 'response.output_item.done' ? event.item : []))
  expect(new Set(final.output.map(({ id }) => id))).toEqual(new Set(done.map(({ id }) => id)))
  expect(final.output_text).toBe('Hello.')
  const kept = await client.responses.retrieve(final.id)
  expect(kept.output.map(({ id, type }) => [id, type])).toEqual(final.output.map(({ id, type }) => [id, type]))
})

test('a conversation goes on from a response, in branches that do not see each other', async () => {
  const { client, model } = await testServer(['one', 'left', 'right'])
  const first = await client.responses.create({ model: 'm', input: 'Count', instructions: 'Be short' })
  await client.responses.create({ model: 'm', input: 'go left', previous_response_id: first.id })
  await client.responses.create({ model: 'm', input: 'go right', previous_response_id: first.id })
  const sent = model.requests.map(({ request }) => JSON.stringify(request.messages))
  expect(sent[2]).toContain('Count')
  expect(sent[2]).toContain('one')
  expect(sent[2]).not.toContain('left')
  expect(model.requests.map(({ request }) => request.instructions)).toEqual(['Be short', undefined, undefined])
})

test("a client's outputs answer the calls of the response before, alone or with an image", async () => {
  const { client, model } = await testServer([[callWeather('Rome', 'c1'), callWeather('Oslo', 'c2')], 'Warm and cold.'])
  const first = await client.responses.create({ model: 'm', input: 'Weather?', tools: [weather] })
  const calls = first.output.filter((item) => item.type === 'function_call')
  expect(calls.map(({ name, arguments: text, call_id: id }) => [name, text, id])).toEqual([
    ['weather', '{"city":"Rome"}', 'c1'],
    ['weather', '{"city":"Oslo"}', 'c2'],
  ])
  const second = await client.responses.create({
    model: 'm',
    previous_response_id: first.id,
    tools: [weather],
    input: [
      { role: 'user', content: [{ type: 'input_image', image_url: 'data:image/png;base64,aGk=', detail: 'auto' }] },
      { type: 'function_call_output', call_id: 'c2', output: 'cold' },
      { type: 'function_call_output', call_id: 'c1', output: [{ type: 'input_text', text: 'warm' }] },
    ],
  })
  expect(second.output_text).toBe('Warm and cold.')
  const [, , results, image] = model.requests[1]?.request.messages ?? []
  expect(results?.content).toMatchObject([
    { toolCallId: 'c1', output: { type: 'content', value: [{ text: 'warm' }] } },
    { toolCallId: 'c2', output: { type: 'text', value: 'cold' } },
  ])
  expect(image?.content).toEqual([{ type: 'file', mediaType: 'image/png', data: 'aGk=' }])
})

test('a deleted response is gone, and what goes on from it stays', async () => {
  const { client, model } = await testServer(['one', 'two', 'three'])
  const first = await client.responses.create({ model: 'm', input: 'Count' })
  const second = await client.responses.create({ model: 'm', input: 'on', previous_response_id: first.id })
  await client.responses.delete(first.id)
  await expect(client.responses.retrieve(first.id)).rejects.toMatchObject({ status: 404 })
  const branch = client.responses.create({ model: 'm', input: 'on', previous_response_id: first.id })
  await expect(branch).rejects.toMatchObject({ status: 400, code: 'previous_response_not_found' })
  await client.responses.create({ model: 'm', input: 'on', previous_response_id: second.id })
  expect(JSON.stringify(model.requests[2]?.request.messages)).toContain('Count')
})

test('input items are listed page by page', async () => {
  const { client } = await testServer(['ok'])
  const texts = ['a', 'b', 'c']
  const input = texts.map((content) => ({ role: 'user' as const, content }))
  const { id } = await client.responses.create({ model: 'm', input })
  const seen: string[] = []
  for await (const item of client.responses.inputItems.list(id, { limit: 2, order: 'asc' }))
    seen.push(JSON.stringify(item))
  expect(seen.map((item) => texts.find((text) => item.includes(`"text":"${text}"`)))).toEqual(texts)
})

test('a response without store leaves nothing behind', async () => {
  const { client, store } = await testServer(['ok'])
  const { id } = await client.responses.create({ model: 'm', input: 'x', store: false })
  await expect(client.responses.retrieve(id)).rejects.toMatchObject({ status: 404 })
  expect(await store.maintenance.purge(Infinity, Infinity)).toBe(0)
})

test('a background response is queued, read from any event on, and ends', async () => {
  const { client } = await testServer(['Hello.'])
  const queued = await client.responses.create({ model: 'm', input: 'x', background: true })
  expect(queued.status).toBe('queued')
  const events = await eventsOf(await client.responses.retrieve(queued.id, { stream: true }))
  expect(events.map(({ type }) => type).slice(0, 3)).toEqual([
    'response.created',
    'response.queued',
    'response.in_progress',
  ])
  expect(events.at(-1)?.type).toBe('response.completed')
  const later = await eventsOf(await client.responses.retrieve(queued.id, { stream: true, starting_after: 3 }))
  expect(later).toEqual(events.slice(4))
  expect(await client.responses.retrieve(queued.id)).toMatchObject({ status: 'completed', output_text: 'Hello.' })
})

test('a background response is cancelled, and stays as it is then', async () => {
  const { client } = await testServer([{ parts: [{ type: 'text', text: 'Hel' }], hang: true }])
  const { id } = await client.responses.create({ model: 'm', input: 'x', background: true })
  expect(await client.responses.cancel(id)).toMatchObject({ status: 'cancelled' })
  expect(await client.responses.cancel(id)).toMatchObject({ status: 'cancelled' })
})

test('models are listed and found', async () => {
  const { client } = await testServer([])
  expect((await client.models.list()).data.map(({ id }) => id)).toEqual(['m'])
  await expect(client.models.retrieve('n')).rejects.toMatchObject({ status: 404 })
})
