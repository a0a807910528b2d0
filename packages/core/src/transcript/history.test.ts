import { expect, test } from 'vitest'
import { repairHistory } from './history.ts'
import type { Message, ToolMessage } from '../contract/messages.ts'

const assistant = (...ids: string[]): Message => ({
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
const results = (...ids: string[]): ToolMessage => ({
  role: 'tool',
  content: ids.map((id) => ({
    type: 'tool-result',
    toolCallId: id,
    toolName: 't',
    output: { type: 'text', value: id },
  })),
})
const user: Message = { role: 'user', content: 'x' }

/** Roles, and for tool messages the ids with their outputs. */
function outline(messages: readonly Message[]): string[] {
  return messages.map((message) =>
    message.role === 'tool'
      ? message.content
          .map((part) => `${part.toolCallId}:${part.output.type === 'error' ? part.output.value.code : 'ok'}`)
          .join(' ')
      : message.role,
  )
}

test('a history that is right comes back with the same messages and no warning', () => {
  const messages = [user, assistant('a', 'b'), results('a', 'b'), assistant(), user]
  const repaired = repairHistory(messages)
  expect(repaired.warnings).toEqual([])
  expect(repaired.messages.every((message, index) => message === messages[index])).toBe(true)
})

test('a missing result is answered not-executed, where the call was made', { tags: ['H01'] }, () => {
  const { messages, warnings } = repairHistory([user, assistant('a', 'b'), results('b'), user])
  expect(outline(messages)).toEqual(['user', 'assistant', 'a:not-executed b:ok', 'user'])
  expect(warnings).toHaveLength(1)
  expect(outline(repairHistory([user, assistant('a')]).messages)).toEqual(['user', 'assistant', 'a:not-executed'])
})

test('orphan and repeated results are dropped and reported', { tags: ['H01'] }, () => {
  const { messages, warnings } = repairHistory([results('z'), user, assistant('a'), results('a', 'a', 'y')])
  expect(outline(messages)).toEqual(['user', 'assistant', 'a:ok'])
  expect(warnings.map((warning) => warning.type)).toEqual(['repaired', 'repaired', 'repaired'])
})

test('results in several messages, in another order, or after the user’s words come into one message in call order', () => {
  const { messages, warnings } = repairHistory([assistant('a', 'b'), user, results('b'), results('a')])
  expect(outline(messages)).toEqual(['assistant', 'a:ok b:ok', 'user'])
  expect(warnings).toHaveLength(1)
})

test('a reused call id is made unique, and answered by the result that follows its own call', () => {
  const history = [assistant('a'), results('a'), assistant('a', 'a'), results('a', 'a')]
  const { messages, warnings } = repairHistory(history)
  expect(outline(messages)).toEqual(['assistant', 'a:ok', 'assistant', 'a_2:ok a_3:ok'])
  expect(messages.flatMap(({ role, content }) => (role === 'assistant' ? content : []))).toMatchObject([
    { toolCallId: 'a' },
    { toolCallId: 'a_2' },
    { toolCallId: 'a_3' },
  ])
  expect(warnings).toMatchObject([{ type: 'repaired', path: 'messages[2]' }])
})
