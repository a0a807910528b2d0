import { expect, test } from 'vitest'
import type { PendingCall, ToolAnswer, Transcript } from '../contract/transcript.ts'
import { checkAnswers, isClientToolOutput, withEveryApproval } from './check-answers.ts'

const pending = (toolCallId: string, reason: PendingCall['reason'] = 'approval'): PendingCall => ({
  toolCallId,
  toolName: 't',
  input: {},
  reason,
})
const yes = { approved: true } as const

test.each<[string, Record<string, ToolAnswer>, readonly PendingCall[], Record<string, ToolAnswer>]>([
  [
    'an answer of its own wins',
    { '*': yes, a: { approved: false } },
    [pending('a'), pending('b')],
    { a: { approved: false }, b: yes },
  ],
  [
    'other input may be for the one that is left',
    { '*': { ...yes, input: { n: 1 } }, a: yes },
    [pending('a'), pending('b')],
    { a: yes, b: { ...yes, input: { n: 1 } } },
  ],
  ['without approvals it stays', { '*': yes }, [pending('a', 'client-tool')], { '*': yes }],
])('one answer decides every approval: %s', (_what, given, calls, answers) => {
  expect(withEveryApproval(given, calls)).toEqual(answers)
})

test('one answer for every approval has to be a decision', () => {
  const given = JSON.parse('{"*":{"output":1}}') as Record<string, ToolAnswer>
  expect(() => withEveryApproval(given, [pending('a')])).toThrow(expect.objectContaining({ code: 'invalid-input' }))
})

test.each<[unknown, boolean]>([
  [{ output: undefined }, true],
  [{ error: 'no' }, true],
  [{ error: 1 }, false],
  [{ approved: true, output: 1 }, false],
  ['text', false],
  [null, false],
])('the output of a tool of the caller’s is one of output and error: %j', (answer, isOne) => {
  expect(isClientToolOutput(answer)).toBe(isOne)
})

test('the answer to a call whose tool is not declared any more is taken, and one that no run can have left is refused with the transcript', () => {
  const transcript: Transcript = { version: 1, id: 'id', messages: [], pendingCalls: [pending('a', 'client-tool')] }
  const answers = { a: { output: 1 } }
  expect(() => checkAnswers(transcript, answers, {})).not.toThrow()
  const tools = { t: { type: 'function', inputSchema: {}, execute: () => 1 } } as const
  const refused = expect.objectContaining({ code: 'invalid-transcript', transcript })
  expect(() => checkAnswers(transcript, answers, tools)).toThrow(refused)
})
