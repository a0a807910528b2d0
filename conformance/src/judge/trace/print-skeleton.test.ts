import { expect, test } from 'vitest'
import { lineDiff } from './line-diff.ts'
import { skeletonIn, printSkeleton } from './print-skeleton.ts'
import type { Trace, TraceStep } from './trace.ts'

const step: TraceStep = {
  finish: 'tool-calls',
  usage: undefined,
  parts: [
    { type: 'text', text: 'one moment' },
    { type: 'call', call: 1, toolName: 'weather', input: { b: 2, a: 'Zürich' }, owner: 'loop', invalid: undefined },
    { type: 'call', call: 2, toolName: 'ask', input: undefined, owner: 'client', invalid: 'truncated' },
  ],
  results: [
    { call: 1, toolName: 'weather', output: { type: 'json', value: 7 } },
    { call: 2, toolName: 'ask', output: { type: 'error', value: { code: 'truncated-call', message: 'cut' } } },
  ],
}

test('what a provider runs itself has neither name nor input in a skeleton, since each provider has its own', () => {
  const ran = { type: 'call', call: 1, toolName: 'x_search', input: { q: 'Zürich' }, owner: 'provider' } as const
  const parts = [
    { ...ran, invalid: undefined },
    { type: 'other', kind: 'tool-result' },
  ] as const
  const end = { type: 'error', code: 'aborted', cause: undefined } as const
  const trace: Trace = { runs: [{ steps: [{ ...step, parts, results: [] }], requests: 1, executions: [], end }] }
  const lines = ['run 1', '  step 1 tool-calls', '    call by provider', '    tool-result', '  failed aborted']
  expect(printSkeleton(trace)).toBe(lines.join('\n'))
})

test('a skeleton holds order, names, inputs, owners and outcomes, and no text, id or number of tokens', () => {
  const trace: Trace = {
    runs: [
      {
        steps: [step],
        requests: 1,
        executions: [],
        end: {
          type: 'result',
          status: 'requires-action',
          stopReason: 'client-tool',
          text: '',
          pending: ['ask'],
          usage: { inputTokens: 9 },
        },
      },
      { steps: [], requests: 1, executions: [], end: { type: 'error', code: 'turn-failed', cause: 'authentication' } },
    ],
  }
  expect(printSkeleton(trace)).toBe(
    skeletonIn(`
      run 1
        step 1 tool-calls
          text
          call weather {"a":"Zürich","b":2} by loop
          call ask truncated by client
          result weather json
          result ask error truncated-call
        requires-action client-tool
          pending ask
      run 2
        failed turn-failed from authentication
    `),
  )
})

test('a step may stand in one line, and the only run has no line of its own', () => {
  expect(skeletonIn('\n  step 1 stop: text + file\n  completed answer\n')).toBe(
    'run 1\n  step 1 stop\n    text\n    file\n  completed answer',
  )
})

test('a diff marks what was expected, what came, and leaves the rest unmarked', () => {
  expect(lineDiff('a\nb\nc', 'a\nx\nc\nd')).toBe('  a\n- b\n+ x\n  c\n+ d')
  expect(lineDiff('same', 'same')).toBe('  same')
  expect(lineDiff('gone', '')).toBe('- gone\n+ ')
})
