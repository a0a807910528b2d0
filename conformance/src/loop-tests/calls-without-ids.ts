import { expect, test } from 'vitest'
import { tool, type Adapter } from '@steploop/core'
import { createToolCallAssembler, type TurnEvent } from '@steploop/core/adapter'
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
}
