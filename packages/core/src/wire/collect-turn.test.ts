import { expect, test } from 'vitest'
import { collectTurn, createTurnCollector } from './collect-turn.ts'
import type { TurnEvent } from '../contract/adapter.ts'

async function* batches(...events: TurnEvent[]): AsyncGenerator<readonly TurnEvent[]> {
  for (const event of events) yield [event]
}

const end: TurnEvent = { type: 'turn-end', finishReason: 'stop', rawFinishReason: 'end' }
const wire = { provider: 'p', model: 'm', data: { signature: 's' } }

test('the fold of a turn orders parts by their slot, whatever order their events came in', async () => {
  const turn = await collectTurn(
    batches(
      { type: 'text-start', part: 1 },
      { type: 'text-delta', part: 1, text: 'an' },
      { type: 'reasoning-start', part: 0 },
      { type: 'reasoning-delta', part: 0, text: 'think' },
      { type: 'text-delta', part: 1, text: 'swer' },
      { type: 'text-end', part: 1 },
      { type: 'reasoning-end', part: 0, providerMetadata: wire },
      end,
    ),
  )
  expect(turn.message.content).toEqual([
    { type: 'reasoning', text: 'think', providerMetadata: wire },
    { type: 'text', text: 'answer' },
  ])
})

test('the fold of a turn keeps reasoning without text, whose payload has to be sent back', async () => {
  const turn = await collectTurn(
    batches({ type: 'reasoning-start', part: 0 }, { type: 'reasoning-end', part: 0, providerMetadata: wire }, end),
  )
  expect(turn.message.content).toEqual([{ type: 'reasoning', text: '', providerMetadata: wire }])
})

test.each<[string, readonly TurnEvent[], object]>([
  ['text that was only opened', [{ type: 'text-start', part: 0 }], { type: 'text', text: '' }],
  ['reasoning as it is', [{ type: 'reasoning-delta', part: 0, text: 'a' }], { type: 'reasoning', text: 'a' }],
  ['a refusal as it is', [{ type: 'refusal-delta', part: 0, text: 'a' }], { type: 'refusal', text: 'a' }],
  [
    'the payload of text that is opened again',
    [
      { type: 'text-end', part: 0, providerMetadata: wire },
      { type: 'text-start', part: 0 },
    ],
    { type: 'text', text: '', providerMetadata: wire },
  ],
  [
    'the payload of reasoning that is opened again, or never was',
    [
      { type: 'reasoning-end', part: 0, providerMetadata: wire },
      { type: 'reasoning-start', part: 0 },
    ],
    { type: 'reasoning', text: '', providerMetadata: wire },
  ],
])('the fold of a turn keeps %s', (_, events, part) => {
  const collector = createTurnCollector()
  collector.push(events)
  expect(collector.turn().message.content).toStrictEqual([part])
})

test('the fold of a turn takes its id from its start, whatever came before, and its end from the first', () => {
  const collector = createTurnCollector()
  collector.push([
    { type: 'tool-call-start', part: 0, toolCallId: 'a', toolName: 'weather', owner: 'client' },
    { type: 'turn-start', responseId: 'r1' },
    { type: 'turn-start', responseId: 'r2' },
  ])
  expect(collector.turn().responseId).toBe('r1')
  collector.push([end, { type: 'turn-end', finishReason: 'length' }])
  expect(collector.turn().finishReason).toBe('stop')
})

test('the fold of a turn stamps the message and takes id, model, usage and warnings from start and end', async () => {
  const warning = { type: 'dropped', path: 'settings.topK', message: 'not supported' } as const
  const turn = await collectTurn(
    batches(
      { type: 'turn-start', responseId: 'r1', model: 'm-2026', warnings: [warning] },
      { ...end, usage: { inputTokens: 3 } },
    ),
    { provider: 'p', model: 'm' },
  )
  expect(turn).toMatchObject({ responseId: 'r1', model: 'm-2026', usage: { inputTokens: 3 }, warnings: [warning] })
  expect(turn.message).toEqual({ role: 'assistant', content: [], provider: 'p', model: 'm', responseId: 'r1' })
})

test('the fold of a turn needs `turn-end`: without it the adapter broke its contract', async () => {
  await expect(collectTurn(batches({ type: 'text-delta', part: 0, text: 'x' }))).rejects.toMatchObject({
    code: 'adapter-contract',
    message: expect.stringContaining('`turn-end`'),
  })
})

test('a call that was begun but not completed is truncated in an unfinished turn', () => {
  const collector = createTurnCollector()
  collector.push([
    { type: 'tool-call-start', part: 0, toolCallId: 'a', toolName: 'weather', owner: 'client' },
    { type: 'tool-call-delta', part: 0, toolCallId: 'a', inputText: '{"city":"Me' },
  ])
  expect(collector.ended).toBe(false)
  const call = { toolCallId: 'a', toolName: 'weather', owner: 'client', input: undefined, invalid: 'truncated' }
  expect(collector.turn().message.content).toStrictEqual([{ type: 'tool-call', ...call, inputText: '{"city":"Me' }])
})

const whole = (part: number, toolCallId: string, owner: 'client' | 'provider' = 'client'): TurnEvent => {
  const call = { toolCallId, toolName: 'write', input: { path: '/' }, inputText: '{"path":"/"}' }
  return { type: 'tool-call', part, owner, ...call }
}
const marks = async (finishReason: 'length' | 'stop', ...events: TurnEvent[]): Promise<readonly unknown[]> => {
  const { message } = await collectTurn(batches(...events, { type: 'turn-end', finishReason }))
  return message.content.map((part) => part.type === 'tool-call' && [part.toolCallId, part.input, part.invalid])
}

test('a call that ends a turn that its token limit cut is truncated, whoever closed its arguments; those before it are whole', async () => {
  expect(await marks('length', whole(0, 'a'), whole(1, 'b'))).toEqual([
    ['a', { path: '/' }, undefined],
    ['b', undefined, 'truncated'],
  ])
})

test('a call that ends a turn that its token limit cut is the last in the order of slots, whatever order the events came in', async () => {
  expect(await marks('length', whole(1, 'b'), whole(0, 'a'))).toEqual([
    ['a', { path: '/' }, undefined],
    ['b', undefined, 'truncated'],
  ])
})

test('a call that ends a turn that its token limit cut is truncated, whatever comes after it that is no call of the caller: gateways send last what they held back', async () => {
  const after: readonly TurnEvent[] = [
    { type: 'text-start', part: 1 },
    { type: 'text-delta', part: 1, text: 'and' },
    { type: 'reasoning-delta', part: 1, text: 'so' },
    { type: 'reasoning-end', part: 1, providerMetadata: wire },
    { type: 'opaque', part: 1, providerMetadata: wire },
    whole(1, 'p', 'provider'),
  ]
  for (const event of after)
    expect((await marks('length', whole(0, 'a'), event))[0]).toEqual(['a', undefined, 'truncated'])
})

test('a call that ends a turn that its token limit cut is truncated, not unparsable', async () => {
  const half = { ...whole(0, 'a'), input: undefined, inputText: '{"pa', invalid: 'unparsable' } as const
  expect(await marks('length', half)).toEqual([['a', undefined, 'truncated']])
})

test('a call that ends a turn that its token limit cut is whole in a turn that ended by itself', async () => {
  expect(await marks('stop', whole(0, 'a'))).toEqual([['a', { path: '/' }, undefined]])
})
