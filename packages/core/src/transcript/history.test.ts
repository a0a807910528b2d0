import { expect, test, vi } from 'vitest'
import type { Message, ToolResultPart } from '../contract/messages.ts'
import { ownHistory, repairHistory } from './history.ts'

const user: Message = { role: 'user', content: 'x' }
const said: Message = { role: 'assistant', content: [{ type: 'text', text: 'x' }] }
const calls = (...ids: readonly string[]): Message => ({
  role: 'assistant',
  content: ids.map((toolCallId) => ({
    type: 'tool-call',
    toolCallId,
    toolName: 't',
    input: {},
    inputText: '{}',
    owner: 'loop',
  })),
})
const result = (toolCallId: string, value = ''): ToolResultPart => ({
  type: 'tool-result',
  toolCallId,
  toolName: 't',
  output: { type: 'text', value },
})
const results = (...content: readonly ToolResultPart[]): Message => ({ role: 'tool', content })
const notRun = (toolCallId: string): ToolResultPart => ({
  ...result(toolCallId),
  output: { type: 'error', value: { code: 'not-executed', message: 'This call was not run.' } },
})
const gone = (index: number, id: string) => `messages[${index}] a result without a call ('${id}') was dropped`
const moved = (index: number) => `messages[${index}] results were put into one message, in call order`
const missing = (index: number, id: string) =>
  `messages[${index}] call '${id}' had no result and was answered 'not-executed'`

test.each<[string, readonly Message[], readonly Message[], readonly string[]]>([
  ['nothing of the model', [user, user], [user, user], []],
  ['results without any call', [results(result('a')), user], [user], [gone(0, 'a')]],
  [
    'calls in two messages in a row',
    [calls('a'), calls('b'), results(result('b'))],
    [calls('a'), results(notRun('a')), calls('b'), results(result('b'))],
    [missing(1, 'a')],
  ],
  ['a list of no results behind a text', [said, results()], [said], []],
  [
    'a second list of results at once',
    [calls('a'), results(result('a', '1')), results(result('a', '2'))],
    [calls('a'), results(result('a', '1'))],
    ["messages[2] a second result for call 'a' was dropped"],
  ],
  [
    'a second list of results later',
    [calls('a'), results(result('a', '1')), user, results(result('b'))],
    [calls('a'), results(result('a', '1')), user],
    [gone(3, 'b')],
  ],
  [
    'a result behind what the user said',
    [calls('a'), user, results(result('a'))],
    [calls('a'), results(result('a')), user],
    [moved(1)],
  ],
  [
    'results in another order',
    [calls('a', 'b'), results(result('b'), result('a'))],
    [calls('a', 'b'), results(result('a'), result('b'))],
    [moved(1)],
  ],
  [
    'one result twice that no call asked for',
    [said, results(result('a'), result('a'))],
    [said],
    [gone(1, 'a'), gone(1, 'a')],
  ],
])('a history is made legal: %s', (_what, given, messages, warnings) => {
  const repaired = repairHistory(given)
  expect(repaired.messages).toEqual(messages)
  expect(repaired.warnings.map(({ path, message }) => `${path} ${message}`)).toEqual(warnings)
  expect(repaired.messages).not.toBe(given)
})

test('results at the beginning answer calls that a provider keeps, where it keeps what came before', () => {
  const given = [results(result('a')), user]
  expect(repairHistory(given, true)).toEqual({ messages: given, warnings: [] })
})

test('the loop’s own history is frozen, what a repair has put into it as well', () => {
  const { messages } = ownHistory([calls('a')])
  expect(messages.map((message) => Object.isFrozen(message))).toEqual([true, true])
})

test('a suffix is looked for once, however many calls of a history have the same id, and each call has its own result', () => {
  const ids = Array.from({ length: 500 }, () => 'same')
  const given = [calls(...ids), results(...ids.map((id, index) => result(id, String(index))))]
  const looked = vi.spyOn(Set.prototype, 'has')
  const { messages } = repairHistory(given)
  const count = looked.mock.calls.length
  looked.mockRestore()
  expect(count).toBeLessThan(3_000)
  expect(messages[1]?.content.slice(2, 4)).toEqual([result('same_3', '2'), result('same_4', '3')])
})
