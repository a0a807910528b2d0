import { expect, test, vi } from 'vitest'
import { claimId, createCallIds, keepTurn, nextTurn } from './call-ids.ts'

const call = (part: number, toolCallId: string) => ({
  type: 'tool-call-start' as const,
  part,
  toolCallId,
  toolName: 't',
  owner: 'client' as const,
})

const kept = { toolName: 't', input: {}, inputText: '{}', owner: 'client' } as const

test('repeated ids get the next free suffix, whatever suffixes there are', { tags: ['E22'] }, () => {
  const ids = createCallIds([])
  const given = ['a', 'a', 'a_3', 'a', 'a'].map((id, part) => claimId(ids, call(part, id)).toolCallId)
  expect(given).toEqual(['a', 'a_2', 'a_3', 'a_4', 'a_5'])
})

test('ids of an attempt that was not kept are free again, and so are their suffixes', { tags: ['E22'] }, () => {
  const ids = createCallIds([{ role: 'assistant', content: [{ type: 'tool-call', ...kept, toolCallId: 'a' }] }])
  for (let attempt = 0; attempt < 3; attempt++) {
    nextTurn(ids)
    expect(['a', 'a'].map((id, part) => claimId(ids, call(part, id)).toolCallId)).toEqual(['a_2', 'a_3'])
  }
})

test('a result goes to the latest call of its own turn with its id, and to none of a turn before', () => {
  const ids = createCallIds([])
  const output = { type: 'text', value: '' } as const
  const resultFor = () =>
    claimId(ids, { type: 'tool-result', part: 2, toolCallId: 'a', toolName: 't', output }).toolCallId
  for (const part of [0, 1]) claimId(ids, call(part, 'a'))
  expect(resultFor()).toBe('a_2')
  keepTurn(ids)
  expect(resultFor()).toBe('a')
})

test('a suffix is looked for once, however many calls have the same id', () => {
  const ids = createCallIds([])
  const looked = vi.spyOn(Set.prototype, 'has')
  for (let part = 0; part < 10_000; part++) claimId(ids, call(part, 'same'))
  const count = looked.mock.calls.length
  looked.mockRestore()
  expect(count).toBeLessThan(30_000)
})
