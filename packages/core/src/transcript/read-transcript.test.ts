import { expect, test } from 'vitest'
import type { Message, ToolCallPart } from '../contract/messages.ts'
import type { Transcript } from '../contract/transcript.ts'
import { structuredToolName } from '../output/structured.ts'
import { iterations, visibleMessages } from './read-transcript.ts'

const transcriptOf = (...messages: readonly Message[]): Transcript => ({
  version: 1,
  id: 'id',
  messages,
  pendingCalls: [],
})

test('the model was asked as often as it answered, and as often as the transcript counts at least', () => {
  const answer: Message = { role: 'assistant', content: [] }
  expect(iterations(transcriptOf())).toBe(0)
  expect(iterations(transcriptOf({ role: 'user', content: 'x' }, answer, { role: 'user', content: 'x' }))).toBe(1)
  expect(iterations({ ...transcriptOf(answer), turns: 3 })).toBe(3)
})

test('of the calls of core’s own tool only the object that was taken is visible', () => {
  const call: ToolCallPart = {
    type: 'tool-call',
    toolCallId: 'a',
    toolName: structuredToolName,
    input: {},
    inputText: '{}',
    owner: 'loop',
  }
  const result = (value: string): Message => ({
    role: 'tool',
    content: [{ type: 'tool-result', toolCallId: 'a', toolName: structuredToolName, output: { type: 'text', value } }],
  })
  const answer: Message = { role: 'assistant', content: [call] }
  expect(visibleMessages(transcriptOf(answer, result('Taken.')))).toEqual([
    { role: 'assistant', content: [{ type: 'text', text: '{}' }] },
  ])
  expect(visibleMessages(transcriptOf(answer, result('Not this.')))).toEqual([])
})
