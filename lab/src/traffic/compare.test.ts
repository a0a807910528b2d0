import type { ToolCallPart } from '@steploop/core'
import { describe, expect, it } from 'vitest'
import type { ExpectedTurn } from './answer-key.ts'
import { compareTurn, type FieldResult } from './compare.ts'
import type { Observed } from './observe.ts'

const nothing: Observed = {
  error: null,
  text: '',
  reasoningText: '',
  refusal: null,
  toolCalls: [],
  finish: 'stop',
  rawFinish: null,
  usage: { inputTokens: null, outputTokens: null, cachedInputTokens: null, reasoningTokens: null },
  responseId: null,
  responseModel: null,
  sources: 0,
}

function compare(expected: ExpectedTurn, observed: Partial<Observed> = {}, body?: string): readonly FieldResult[] {
  return compareTurn(expected, { ...nothing, ...observed }, body)
}

function wrong(results: readonly FieldResult[]): readonly string[] {
  return results.filter((result) => !result.agrees).map(({ field }) => field)
}

function call(change: Partial<ToolCallPart>): ToolCallPart {
  return { type: 'tool-call', toolCallId: 'id', toolName: 'f', input: {}, inputText: '{}', owner: 'client', ...change }
}

it('values agree whatever the order of members, and never when one has more', () => {
  const expected = { id: 'id', name: 'f', inputValid: true, owner: 'client' }
  const agrees = (input: unknown, observed: unknown): boolean =>
    wrong(compare({ toolCalls: [{ ...expected, input }] }, { toolCalls: [call({ input: observed })] })).length === 0
  expect(agrees({ a: 1, b: [1, { c: null }] }, { b: [1, { c: null }], a: 1 })).toBe(true)
  expect(agrees({ a: 1 }, { a: 1, b: 2 })).toBe(false)
  expect(agrees([1], [1, 2])).toBe(false)
  expect(agrees([], {})).toBe(false)
  expect(agrees(null, {})).toBe(false)
  expect(agrees({ a: undefined }, { b: undefined })).toBe(false)
})

it('usage takes 0 and null as equal in cached and reasoning tokens only', () => {
  const none = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0, reasoningTokens: 0 }
  expect(wrong(compare({ usage: none }))).toEqual(['usage.inputTokens', 'usage.outputTokens'])
})

it('usage: a key of null says that the turn has no usage at all', () => {
  const usage = { inputTokens: 5, outputTokens: 0, cachedInputTokens: 2, reasoningTokens: 0 }
  const results = compare({ usage: null }, { usage })
  expect(results).toHaveLength(4)
  expect(wrong(results)).toEqual(['usage.inputTokens', 'usage.outputTokens', 'usage.cachedInputTokens'])
})

it('usage leaves a single undecided count out', () => {
  const usage = { inputTokens: 'UNDECIDED', outputTokens: null, cachedInputTokens: 0, reasoningTokens: 0 } as const
  expect(compare({ usage }).map(({ field }) => field)).not.toContain('usage.inputTokens')
})

describe('the id of a call', () => {
  const expected = (id: string | null): ExpectedTurn => ({
    toolCalls: [{ id, name: 'f', input: {}, inputValid: true, owner: 'client' }],
  })

  it("the id of a call is the provider's own, or is kept in the part's `providerMetadata`", () => {
    const wire = { provider: 'p', model: 'm', data: { item: { call_id: 'own' } } }
    expect(wrong(compare(expected('own'), { toolCalls: [call({ toolCallId: 'own' })] }))).toEqual([])
    expect(
      wrong(compare(expected('own'), { toolCalls: [call({ toolCallId: 'other', providerMetadata: wire })] })),
    ).toEqual([])
    expect(wrong(compare(expected('own'), { toolCalls: [call({ toolCallId: 'other' })] }))).toEqual(['toolCalls[0].id'])
  })

  it('the id of a call that the provider did not give is made from ordinals', () => {
    expect(wrong(compare(expected(null), { toolCalls: [call({ toolCallId: 'call_3_0' })] }))).toEqual([])
    expect(wrong(compare(expected(null), { toolCalls: [call({ toolCallId: 'a1b2' })] }))).toEqual(['toolCalls[0].id'])
  })
})

it('calls that were not expected are one wrong number', () => {
  expect(wrong(compare({ toolCalls: [] }, { toolCalls: [call({})] }))).toEqual(['toolCalls.length'])
})

it('calls that do not parse have the input null', () => {
  const toolCalls = [{ id: 'id', name: 'f', input: null, inputValid: false, owner: 'client' }]
  const unparsable = call({ input: undefined, inputText: '{', invalid: 'unparsable' })
  expect(wrong(compare({ toolCalls }, { toolCalls: [unparsable] }))).toEqual([])
  expect(wrong(compare({ toolCalls }, { toolCalls: [call({})] }))).toEqual([
    'toolCalls[0].input',
    'toolCalls[0].inputValid',
  ])
})

it('opaque strings have to be in the next request, each of them', () => {
  const expected = { opaque: ['first"quoted', 'second'] }
  expect(wrong(compare(expected, {}, JSON.stringify(['first"quoted', 'second'])))).toEqual([])
  const [result] = compare(expected, {}, '["second"]')
  expect(result).toMatchObject({ agrees: false, observed: expect.stringContaining('first') })
})

it('opaque strings of two encryptions need one of each group', () => {
  const expected = {
    opaqueOneOf: [
      ['a1', 'a2'],
      ['b1', 'b2'],
    ],
  }
  expect(wrong(compare(expected, {}, '["a2","b1"]'))).toEqual([])
  expect(wrong(compare(expected, {}, '["a1","a2"]'))).toEqual(['opaqueOneOf'])
})

it('opaque strings are lost when there is no next request', () => {
  expect(wrong(compare({ opaque: ['a'] }))).toEqual(['opaque'])
})

it('opaque strings that the key does not name are no comparison', () => {
  expect(compare({ opaque: [], opaqueOneOf: [] })).toEqual([])
})
