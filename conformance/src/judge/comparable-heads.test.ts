import type { TurnRequest } from '@steploop/core/adapter'
import { expect, test } from 'vitest'
import { comparableHeads, type AskedRequest } from './comparable-heads.ts'

const tool = { type: 'function', name: 'look', inputSchema: {} } as const
const format = { name: 'answer', schema: {} }

function asked(head: object, request: Partial<TurnRequest>, instructions?: string): AskedRequest {
  const view = {
    head: { ...head },
    tools: [],
    toolChoice: undefined,
    outputSchema: undefined,
    instructions,
    items: [],
    continuation: undefined,
  }
  return { view, turn: { request: { messages: [], turn: 0, ...request }, events: [], error: undefined } }
}

test('requests of one kind are compared as they are', () => {
  const heads = comparableHeads(asked({ tools: [1], format: 2 }, { tools: [tool] }), asked({}, { tools: [tool] }))
  expect(heads).toEqual([{ tools: [1], format: 2 }, {}])
})

test('of a request for the object alone only the format, the tools and what is said of them are left out', () => {
  const first = asked({ tools: [1], temperature: 0, text: { verbosity: 'low' } }, { tools: [tool] }, 'Be brief.')
  const object = { response_format: 3, temperature: 1, text: { verbosity: 'low' } }
  const heads = comparableHeads(first, asked(object, { responseFormat: format }, 'Be brief. Answer as JSON.'))
  expect(heads).toEqual([
    { temperature: 0, text: { verbosity: 'low' } },
    { temperature: 1, text: { verbosity: 'low' } },
  ])
})

test('instructions that are lost on the way to the object stay in the comparison', () => {
  const heads = comparableHeads(
    asked({}, { tools: [tool] }, 'Be brief.'),
    asked({}, { responseFormat: format }, 'JSON.'),
  )
  expect(heads).toEqual([{ instructions: 'Be brief.' }, { instructions: 'JSON.' }])
})

test('tools that are left out although the loop gave them stay in the comparison', () => {
  const both = { responseFormat: format, tools: [tool] }
  expect(comparableHeads(asked({ tools: [1] }, both), asked({}, both))).toEqual([{ tools: [1] }, {}])
})
