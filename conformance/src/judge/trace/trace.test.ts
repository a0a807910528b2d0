import { LoopError, type AssistantMessage, type Message } from '@steploop/core'
import { expect, test } from 'vitest'
import type { RunRecord } from '../../evidence.ts'
import { printSkeleton } from './print-skeleton.ts'
import { traceOf } from './trace.ts'

const inputText = '{"city":"Zürich"}'
const object = { type: 'tool-call', toolName: 'output_structured_data', toolCallId: 'c1', inputText } as const
const given: AssistantMessage = {
  role: 'assistant',
  content: [{ ...object, input: { city: 'Zürich' }, owner: 'loop' }],
}
const refused: Message = {
  role: 'tool',
  content: [
    {
      type: 'tool-result',
      toolCallId: 'c1',
      toolName: 'output_structured_data',
      output: { type: 'error', value: { code: 'invalid-input', message: 'celsius is missing' } },
    },
  ],
}

/** A run that failed after one turn with these messages. */
function failedRun(messages: readonly Message[]): RunRecord {
  const transcript = { version: 1, id: 'run-1', messages, pendingCalls: [] } as const
  const request = { messages: [], turn: 0 }
  const events = [{ type: 'turn-end', finishReason: 'tool-calls', rawFinishReason: 'tool_calls' }] as const
  return {
    number: 1,
    input: 'x',
    events: [],
    turns: [{ request, events, error: undefined }],
    requests: [],
    executions: [],
    waits: [],
    result: undefined,
    error: new LoopError('invalid-output', 'no object', { transcript }),
  }
}

test('an object that came by core’s own tool is traced as an object that was written down', () => {
  const trace = traceOf([failedRun([given, refused])])
  expect(trace.runs[0]?.steps[0]?.parts).toEqual([{ type: 'text', text: inputText }])
  expect(printSkeleton(trace)).toBe('run 1\n  step 1 stop\n    text\n  failed invalid-output')
})
