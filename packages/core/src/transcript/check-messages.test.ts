import { expect, test } from 'vitest'
import type { Message } from '../contract/messages.ts'
import { callsProblem, messagesProblem, readMessages } from './check-messages.ts'

const user: Message = { role: 'user', content: 'x' }
const calling = (toolCallId: string): Message => ({
  role: 'assistant',
  content: [{ type: 'tool-call', toolCallId, toolName: 't', input: {}, inputText: '{}', owner: 'loop' }],
})
const answering = (...ids: readonly string[]): Message => ({
  role: 'tool',
  content: ids.map((toolCallId) => ({
    type: 'tool-result',
    toolCallId,
    toolName: 't',
    output: { type: 'text', value: '' },
  })),
})

const twice = "messages[2] has the call id 'a', which an earlier call has"
const unasked = (index: number, id: string) =>
  `messages[${index}] has a result for '${id}', which no call before it waits for`

test.each<[string, readonly Message[], boolean, string | undefined]>([
  ['calls that are answered', [user, calling('a'), answering('a'), calling('b'), answering('b')], false, undefined],
  ['a call without a result', [calling('a'), user, calling('b')], false, undefined],
  ['two calls with one id', [calling('a'), answering('a'), calling('a')], false, twice],
  ['two results of one call', [calling('a'), answering('a', 'a')], false, unasked(1, 'a')],
  ['a result that comes too late', [calling('a'), calling('b'), answering('a')], false, unasked(2, 'a')],
  ['a result of no call', [calling('a'), answering('b')], false, unasked(1, 'b')],
  ['a result before any call', [answering('a')], false, unasked(0, 'a')],
  ['a result before any call, of one that a provider keeps', [answering('a')], true, undefined],
  [
    'a result of no call behind one that a provider keeps',
    [answering('a'), calling('b'), answering('c')],
    true,
    unasked(2, 'c'),
  ],
])('what no run leaves behind is named: %s', (_what, messages, behind, problem) => {
  expect(callsProblem(messages, behind)).toBe(problem)
})

test.each<[unknown, string]>([
  [7, 'messages[0] is not an object'],
  [{ role: 'bot', content: 'x' }, 'messages[0] has the role "bot"'],
])('what is no message is named: %j', (message, problem) => {
  expect(messagesProblem([message])).toBe(problem)
})

test('messages of a hook get ids that no earlier call has, and no results of calls that nobody knows', () => {
  const { messages } = readMessages('prepareStep', [calling('a')], false, ['a'])
  expect(messages[0]?.content).toMatchObject([{ toolCallId: expect.not.stringMatching(/^a$/) }])
  expect(readMessages('prepareStep', [answering('a'), user]).messages).toEqual([user])
})
