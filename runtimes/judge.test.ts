import { expect, test } from 'vitest'
import { judge, type DrivenTask } from './judge.ts'
import { city, finalText } from './task.ts'

const answer = {
  agent: 'Deno/2.9.6',
  text: finalText,
  status: 'completed',
  steps: 2,
  executions: [{ city }],
  events: 29,
  textDeltas: 10,
}

function request(text: string): DrivenTask['simulator']['requests'][number] {
  return { method: 'POST', path: '/', headers: {}, text, body: undefined, status: 200 }
}

const simulator = { requests: [request('weather?'), request('{"celsius":21.5}')], remaining: 0 }
const good: DrivenTask = { mode: 'stream', answer, agent: /^Deno\/2/, simulator }

test('a loop that ran as it should has no problem', () => {
  expect(judge(good)).toBe('')
  expect(judge({ ...good, mode: 'generate', answer: { ...answer, events: 0, textDeltas: 0 } })).toBe('')
})

test.for([
  ['a text with damaged letters', { ...good, answer: { ...answer, text: 'In Z?rich' } }, 'text: "In Z?rich"'],
  ['a damaged tool input', { ...good, answer: { ...answer, executions: [{ city: 'Z?rich' }] } }, 'tool executions: '],
  ['a tool that ran twice', { ...good, answer: { ...answer, executions: [{ city }, { city }] } }, 'tool executions: '],
  ['a loop of one step', { ...good, answer: { ...answer, steps: 1 } }, 'steps: 1 instead of 2'],
  ['a stream in one piece', { ...good, answer: { ...answer, textDeltas: 1 } }, 'text in several deltas: false'],
  ['a stream where none was asked for', { ...good, mode: 'generate' }, 'text in several deltas: true'],
  ['another runtime', { ...good, agent: /^Bun/ }, 'runtime is /^Bun/: "Deno/2.9.6"'],
  ['what the driver caught', { ...good, answer: { error: 'fetch is not defined' } }, 'fetch is not defined'],
  ['a turn that nobody asked for', { ...good, simulator: { ...simulator, remaining: 1 } }, 'turns that were not'],
  [
    'a second request without the result',
    { ...good, simulator: { ...simulator, requests: [request('weather?'), request('')] } },
    'tool result in the second request: false',
  ],
] as const)('%s is a problem', ([, evidence, problem]) => {
  expect(judge(evidence)).toContain(problem)
})

test('an answer of another shape is refused', () => {
  expect(() => judge({ ...good, answer: { text: finalText } })).toThrow('agent')
})
