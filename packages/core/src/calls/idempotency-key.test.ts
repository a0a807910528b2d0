import { expect, test } from 'vitest'
import { idempotencyKeys } from './idempotency-key.ts'
import type { ToolCallPart } from '../contract/messages.ts'

const call: ToolCallPart = {
  type: 'tool-call',
  toolCallId: 'c',
  toolName: 't',
  input: { a: 1 },
  inputText: '{"a":1}',
  owner: 'loop',
}

// As version 1 of transcripts has made them: a key that changes is a second payment.
test.each([
  ['{"a":1}', 'T:1:c:0s30tlx'],
  ['{"a":"é😀\u2028"}', 'T:1:c:1sba388'],
  [undefined, 'T:1:c:1x22xpr'],
  [null, 'T:1:c:01uaddk'],
  [5, 'T:1:c:0w09o10'],
])(
  'the key of a call stays what it was for arguments %j, in a transcript that lost their text as well',
  (inputText, key) => {
    const edited: ToolCallPart = Object.assign({}, call, { inputText })
    expect(idempotencyKeys({ transcriptId: 'T' }, 1)(edited)).toBe(key)
  },
)
