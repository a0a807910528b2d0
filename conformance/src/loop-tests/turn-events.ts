import { expect, test } from 'vitest'
import { tool, type Adapter } from '@steploop/core'
import type { TurnEvent } from '@steploop/core/adapter'
import { scriptedAdapter } from '@steploop/core/testing'
import type { MakeWholeLoop } from '../loop.ts'
import { failing } from './parts.ts'

export function testTurnEvents(makeLoop: MakeWholeLoop): void {
  // What becomes of the events of an adapter.

  const wire = { provider: 'p', model: 'm', data: { signature: 's' } }
  const end: TurnEvent = { type: 'turn-end', finishReason: 'stop' }

  /** A run whose model gives these turns. */
  function run(...turns: readonly (readonly TurnEvent[])[]) {
    let next = 0
    const model: Adapter = {
      ...scriptedAdapter([]),
      async *turn() {
        yield [{ type: 'turn-start' }, ...(turns[next++] ?? []), end]
      },
    }
    return makeLoop({ model, tools: { look: tool({ inputSchema: { type: 'object' } }) } }).generate('x')
  }

  const partsOf = async (...events: readonly TurnEvent[]) => (await run(events)).messages.at(-1)?.content

  const call = { toolCallId: 'a', toolName: 'look', owner: 'provider' } as const
  const made = (part: number, toolCallId: string): TurnEvent => {
    return { type: 'tool-call', part, ...call, toolCallId, input: {}, inputText: '{}' }
  }
  const found = (part: number, toolCallId: string, value: string): TurnEvent => {
    return { type: 'tool-result', part, ...call, toolCallId, output: { type: 'text', value } }
  }

  const part = 0
  const firsts: readonly TurnEvent[] = [
    made(0, 'a'),
    { type: 'tool-call-start', part, ...call },
    { type: 'text-delta', part, text: 'so' },
    { type: 'reasoning-delta', part, text: 'hm' },
    { type: 'refusal-delta', part, text: 'no' },
    { type: 'file', part, mediaType: 'image/png', data: 'AA==' },
  ]
  const seconds: readonly TurnEvent[] = [
    { type: 'text-start', part },
    { type: 'text-delta', part, text: '!' },
    { type: 'text-end', part },
    { type: 'citation', part, citation: { url: 'https://example.com' } },
    { type: 'reasoning-start', part },
    { type: 'reasoning-delta', part, text: 'hm' },
    { type: 'reasoning-end', part },
    { type: 'refusal-delta', part, text: 'no' },
    { type: 'tool-call-start', part, ...call, toolCallId: 'b' },
    { type: 'tool-call-delta', part, toolCallId: 'a', inputText: '{' },
    made(0, 'b'),
    { type: 'opaque', part, providerMetadata: wire },
  ]
  /** What goes on with a part that is open. */
  const goesOn: Readonly<Partial<Record<TurnEvent['type'], readonly TurnEvent['type'][]>>> = {
    'tool-call-start': ['tool-call-delta', 'tool-call'],
    'text-delta': ['text-start', 'text-delta', 'text-end', 'citation'],
    'reasoning-delta': ['reasoning-start', 'reasoning-delta', 'reasoning-end', 'refusal-delta'],
    'refusal-delta': ['reasoning-start', 'reasoning-delta', 'reasoning-end', 'refusal-delta'],
  }
  const pairs = firsts.flatMap((first) => seconds.map((second) => [first.type, second.type, first, second] as const))

  const continues = ([one, other]: (typeof pairs)[number]): boolean => goesOn[one]?.includes(other) === true

  test.each(pairs.filter((pair) => continues(pair)))('%s and %s are one part', async (...[, , first, second]) => {
    expect(await partsOf(first, second)).toHaveLength(1)
  })

  test.each(pairs.filter((pair) => !continues(pair)))(
    '%s and %s break the contract',
    async (...[, , first, second]) => {
      const twice = failing('adapter-contract', 'slot 0 is used for two parts')
      await expect(run([first, second])).rejects.toThrow(twice)
    },
  )

  test.each([-1, 100_000, Number.NaN])('a slot %d breaks the contract', async (number) => {
    const text = { type: 'text-delta', part: number, text: 'x' } as const
    await expect(run([text])).rejects.toThrow(
      failing('adapter-contract', /^.*slot (-1|100000|NaN) is not from 0 to 99999\. /),
    )
  })

  test('the last slot may be used, and slots may be left out', async () => {
    const text = { type: 'text-delta', part: 99_999, text: 'x' } as const
    expect(await partsOf(text)).toEqual([{ type: 'text', text: 'x' }])
  })

  test('parts of a message keep what belongs to them, and have no members beside', async () => {
    const citation = { url: 'https://example.com' }
    const parts = await partsOf(
      { type: 'reasoning-delta', part: 0, text: 'hm' },
      { type: 'reasoning-end', part: 0, providerMetadata: wire },
      { type: 'reasoning-delta', part: 1, text: 'bare' },
      { type: 'text-delta', part: 2, text: 'so' },
      { type: 'citation', part: 2, citation },
      { type: 'citation', part: 2, citation },
      { type: 'text-end', part: 2, providerMetadata: wire },
      { type: 'refusal-delta', part: 3, text: 'I ', providerMetadata: wire },
      { type: 'refusal-delta', part: 3, text: 'cannot' },
      { type: 'file', part: 4, mediaType: 'image/png', data: 'AA==' },
      { type: 'opaque', part: 5, providerMetadata: wire },
      { ...made(6, 'a'), providerMetadata: wire } as TurnEvent,
      { ...found(7, 'a', 'pages'), providerMetadata: wire } as TurnEvent,
      made(8, 'b'),
      found(9, 'b', 'more'),
    )
    const pair = (toolCallId: string, value: string, rest = {}) => [
      { type: 'tool-call', ...call, toolCallId, input: {}, inputText: '{}', ...rest },
      { type: 'tool-result', ...call, toolCallId, output: { type: 'text', value }, ...rest },
    ]
    expect(parts).toEqual([
      { type: 'reasoning', text: 'hm', providerMetadata: wire },
      { type: 'reasoning', text: 'bare' },
      { type: 'text', text: 'so', citations: [citation, citation], providerMetadata: wire },
      { type: 'refusal', text: 'I cannot', providerMetadata: wire },
      { type: 'file', mediaType: 'image/png', data: 'AA==' },
      { type: 'opaque', providerMetadata: wire },
      ...pair('a', 'pages', { providerMetadata: wire }),
      ...pair('b', 'more'),
    ])
    for (const one of parts ?? []) expect(Object.values(one)).not.toContain(undefined)
  })

  test('results of calls that the provider ran follow their calls, whose ids are made unique', async () => {
    const parts = await partsOf(made(0, 'a'), found(1, 'a', 'one'), made(2, 'a'), found(3, 'a', 'two'), made(4, 'a_2'))
    const ids = typeof parts === 'object' ? parts.map((one) => 'toolCallId' in one && one.toolCallId) : []
    expect(ids).toEqual(['a', 'a', 'a_2', 'a_2', 'a_2_2'])
  })
}
