import type { LoopEvent } from '@steploop/core'
import { expect, test } from 'vitest'
import type { Evidence } from '../evidence.ts'
import { eventOrder } from './event-checks.ts'

const call = { toolCallId: 'a', toolName: 'work' }
const state = (name: string) => ({ type: 'tool-state', ...call, state: name }) as LoopEvent
const report: LoopEvent = { type: 'tool-progress', ...call, progress: 1 }

function problems(events: readonly LoopEvent[]): readonly string[] {
  const all = [{ type: 'run-start' }, { type: 'step-start', step: 0 }, ...events]
  const evidence = { mode: 'stream', runs: [{ number: 1, events: all }] } as unknown as Evidence
  return eventOrder.judge(evidence).map(({ message }) => message)
}

test('a tool reports its progress while it runs, not before and not after', () => {
  expect(problems([state('queued'), state('running'), report, report, state('completed')])).toEqual([])
  expect(problems([state('queued'), report, state('running'), state('completed'), report])).toEqual([
    'the tool reports its progress and is queued',
    'the tool reports its progress and is completed',
  ])
})
