import { expect, test } from 'vitest'
import { tool, type Adapter } from '@steploop/core'
import {
  createToolCallAssembler,
  type AssemblerOptions,
  type CallFragment,
  type TurnEvent,
} from '@steploop/core/adapter'
import { scriptedAdapter } from '@steploop/core/testing'
import type { MakeWholeLoop } from '../loop.ts'

export function testCallsWithoutIds(makeLoop: MakeWholeLoop): void {
  /** The texts of the calls of a turn whose server gives them no ids: one in these pieces, then one with `{}`. */
  async function callsOf(pieces: readonly string[]): Promise<readonly string[]> {
    const model: Adapter = {
      ...scriptedAdapter([]),
      async *turn({ turn }) {
        const out: TurnEvent[] = [{ type: 'turn-start' }]
        let part = 0
        const calls = createToolCallAssembler({ turn, nextPart: () => part++ })
        pieces.forEach((argumentsText, at) => {
          calls.push(
            { index: 0, argumentsText, name: at === 0 || argumentsText.startsWith('{') ? 'look' : undefined },
            out,
          )
        })
        calls.push({ index: 0, argumentsText: '{}', name: 'look' }, out)
        calls.end(out, false)
        yield [...out, { type: 'turn-end', finishReason: 'tool-calls' }]
      },
    }
    const tools = { look: tool({ inputSchema: { type: 'object' } }) }
    const { steps } = await makeLoop({ model, tools, maxSteps: 0 }).generate('x')
    return steps[0]?.toolCalls.map(({ inputText }) => inputText) ?? []
  }

  test.each([
    [[' {"a":', '[1,{"b":2}', ']', '}', '\n ']],
    [['{"a":"}', '\\', '"}', '\\\\', '"', '}']],
    [['{"a"', ':', '{}}']],
  ])('%j is one call with its last brace, and not before', async (pieces) => {
    const end = pieces.findLastIndex((piece) => piece.endsWith('}')) + 1
    for (let length = 1; length <= pieces.length; length++) {
      const text = pieces.slice(0, length).join('')
      expect(await callsOf(pieces.slice(0, length))).toEqual(length < end ? [`${text}{}`] : [text, '{}'])
    }
  })

  test.each([' \n', '1', '"{}"', '[{}]', '}', '{}{}', '{} x', '{a}', '{"a":1]'])(
    '%j is no whole object, and goes on',
    async (text) => {
      expect(await callsOf([text])).toEqual([`${text}{}`])
    },
  )

  /** The calls that a run makes of these fragments, as name and arguments, and what its stream told of their arguments. */
  async function assembled(fragments: readonly CallFragment[], options: Partial<AssemblerOptions> = {}) {
    const model: Adapter = {
      ...scriptedAdapter([]),
      async *turn({ turn }) {
        const out: TurnEvent[] = [{ type: 'turn-start' }]
        let part = 0
        const calls = createToolCallAssembler({ turn, nextPart: () => part++, ...options })
        for (const fragment of fragments) calls.push(fragment, out)
        calls.end(out, false)
        yield [...out, { type: 'turn-end', finishReason: 'tool-calls' }]
      },
    }
    const tools = { look: tool({ inputSchema: { type: 'object' } }) }
    const stream = makeLoop({ model, tools, unknownTools: 'client', maxRetries: 0 }).stream('x')
    const streamed: Record<number, string> = {}
    for await (const event of stream) {
      if (event.type === 'tool-call-start') streamed[event.part] = ''
      if (event.type === 'tool-call-delta') streamed[event.part] += event.inputText
    }
    const { steps } = await stream.result
    const calls = steps[0]?.toolCalls.map(({ toolName, inputText }) => `${toolName} ${inputText}`)
    return { calls, streamed: Object.values(streamed) }
  }

  const begin = (text: string, rest: CallFragment = {}) => ({ name: 'look', argumentsText: `{"${text}":`, ...rest })
  const more = (argumentsText: string, rest: CallFragment = {}) => ({ argumentsText, ...rest })
  const isToolName = (name: string) => name === 'look' || name === 'see'

  const cases: readonly (readonly [
    what: string,
    fragments: readonly CallFragment[],
    expected: readonly string[],
    options?: Partial<AssemblerOptions>,
  ])[] = [
    [
      'ids of which two indexes have the same ones, in turns',
      [
        begin('a', { index: 0, id: 'x' }),
        begin('b', { index: 1, id: 'x' }),
        begin('c', { index: 0, id: 'y' }),
        begin('d', { index: 1, id: 'y' }),
        more('1}', { index: 0, id: 'x' }),
        more('2}', { index: 1, id: 'x' }),
        more('3}', { index: 0, id: 'y' }),
        more('4}', { index: 1, id: 'y' }),
      ],
      ['look {"a":1}', 'look {"b":2}', 'look {"c":3}', 'look {"d":4}'],
    ],
    [
      'ids without indexes, in turns',
      [begin('a', { id: 'x' }), begin('b', { id: 'y' }), more('1}', { id: 'x' }), more('2}', { id: 'y', index: null })],
      ['look {"a":1}', 'look {"b":2}'],
    ],
    [
      'an id that comes after its first piece, and ids that are empty',
      [more('{"a":', { id: '' }), { id: 'x', name: 'look', argumentsText: '1}' }, begin('b', { id: 'y' }), more('2}')],
      ['look {"a":1}', 'look {"b":2}'],
    ],
    [
      'no index and no id, with a name at the beginning alone',
      [begin('a'), more('1}'), begin('b'), more('2}')],
      ['look {"a":1}', 'look {"b":2}'],
    ],
    [
      'no index and no id, with the name on every piece',
      [begin('a'), more('1', { name: 'look' }), more('}', { name: 'look' }), begin('b'), more('2}', { name: 'look' })],
      ['look {"a":1}', 'look {"b":2}'],
    ],
    [
      'no index and no id, with the name again and an object within another',
      [begin('a'), more('{}', { name: 'look' }), more('}')],
      ['look {"a":{}}'],
    ],
    [
      'no index and no id, with two names',
      [begin('a'), more('1}'), more('{}', { name: 'see' })],
      ['look {"a":1}', 'see {}'],
    ],
    ['no index and two names without arguments', [{ name: 'look' }, { name: 'look' }], ['look ', 'look ']],
    [
      'no index, and no id for the second of two',
      [more('{}', { id: 'x', name: 'look' }), more('{}', { name: 'look' })],
      ['look {}', 'look {}'],
    ],
    [
      'a name in pieces, and the whole of it again',
      [
        { index: 0, name: 'lo' },
        { index: 0, name: 'ok' },
        begin('a', { index: 0 }),
        more('1}', { index: 0, name: 'see' }),
      ],
      ['look {"a":1}'],
    ],
    [
      'a tool without arguments before one that has some, both of one index',
      [{ index: 0, name: 'look' }, more('{}', { index: 0, name: 'see' })],
      ['look ', 'see {}'],
      { isToolName },
    ],
    ...(['look', 'see'] as const).map((whole): [string, CallFragment[], string[], Partial<AssemblerOptions>] => [
      `pieces of a name of which one alone is that of a tool, ${whole}`,
      [
        { index: 0, name: whole === 'look' ? 'look' : 'my_' },
        more('{}', { index: 0, name: whole === 'look' ? '_up' : 'see' }),
      ],
      [whole === 'look' ? 'look_up {}' : 'my_see {}'],
      { isToolName },
    ]),
    [
      'a name without arguments, twice, of one index',
      [{ index: 0, name: 'look' }, more('{}', { index: 0, name: 'look' })],
      ['look {}'],
      { isToolName },
    ],
    [
      'another name in the midst of arguments, of one index',
      [begin('a', { index: 0 }), more('{}', { index: 0, name: 'see' }), more('}', { index: 0 })],
      ['look {"a":{}}'],
    ],
    [
      'two calls of one index, one after the other',
      [begin('a', { index: 0 }), more('1}', { index: 0 }), more('{}', { index: 0, name: 'see' })],
      ['look {"a":1}', 'see {}'],
    ],
  ]

  test.each(
    cases.map(([what, fragments, expected, options = {}]) => [what, { fragments, expected, options }] as const),
  )('pieces of calls are put together where a server gives %s', async (_what, { fragments, expected, options }) => {
    const { calls, streamed } = await assembled(fragments, options)
    expect(calls).toEqual(expected)
    expect(streamed).toEqual(expected.map((text) => text.slice(text.indexOf(' ') + 1)))
  })

  test.each([
    ['arguments', [more('{}', { index: 0, id: 'x' })]],
    ['an id', [begin('a', { index: 0 }), more('1}', { index: 0 }), { index: 1, id: 'y', name: '' }]],
  ])('a call of which a server says %s, and never a name, fails its turn', async (_what, fragments) => {
    await expect(assembled(fragments)).rejects.toMatchObject({
      cause: { code: 'malformed-response', message: expect.stringContaining('a call has no name') },
    })
  })
}
