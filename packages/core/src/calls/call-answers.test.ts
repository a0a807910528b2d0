import { expect, test } from 'vitest'
import type { ToolCallPart } from '../contract/messages.ts'
import {
  abortedOutput,
  endedOutput,
  failedRunOutput,
  limitOutput,
  tooManyOutput,
  undecidedOutput,
  unknownOutput,
} from './call-answers.ts'
import { timeoutOutput, unparsableOutput } from './resolve-input.ts'

const call: ToolCallPart = {
  type: 'tool-call',
  toolCallId: 'c',
  toolName: 'look',
  input: undefined,
  inputText: 'x'.repeat(201),
  invalid: 'unparsable',
  owner: 'loop',
}

test.each([
  ['limit-reached', limitOutput(), 'no calls left'],
  ['too-many-calls', tooManyOutput(3), 'At most 3 calls'],
  ['unknown-tool', unknownOutput(call, []), "There is no tool 'look'. There are no tools."],
  ['unknown-tool', unknownOutput(call, ['see']), "There is no tool 'look'. Available tools: see."],
  ['tool-timeout', undecidedOutput(call, 50), "within 50 ms whether 'look' may run"],
  ['tool-timeout', timeoutOutput(call, 50), "'look' did not finish within 50 ms."],
  ['aborted', abortedOutput(), 'The run was aborted before'],
  ['aborted', failedRunOutput(), 'The run ended before'],
  ['not-executed', endedOutput(), 'The run was ended before'],
])('a call that is answered `%s` says why, for the model: %j', (code, output, words) => {
  expect(output).toEqual({ type: 'error', value: { code, message: expect.stringContaining(words) } })
})

test('arguments that cannot be parsed are shown as they came, the first 200 characters of them, and no half of one', () => {
  const received = 'x'.repeat(200)
  expect(unparsableOutput(call)).toMatchObject({ value: { code: 'unparsable-input', received } })
  const inputText = `${received.slice(1)}🌤️`
  expect(unparsableOutput({ ...call, inputText })).toMatchObject({ value: { received: `${received.slice(1)}\uFFFD` } })
})
