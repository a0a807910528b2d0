import type { Adapter } from '@steploop/core'
import { expect, test } from 'vitest'
import { defineSubject, type PlayableTurn, type TurnScript } from '../subject.ts'
import { runConformance } from './run-conformance.ts'

/** Answers what the script says, in text alone. */
function parrot({ model, next }: TurnScript): Adapter {
  return {
    provider: 'parrot',
    model,
    capabilities: { streamUsage: true },
    async *turn() {
      const turn = next()
      yield [{ type: 'turn-start' }, { type: 'text-start', part: 0 }]
      for (const said of turn.type === 'failure' ? [] : turn.parts) {
        if (said.type === 'text') yield [{ type: 'text-delta', part: 0, text: said.text }]
      }
      yield [
        { type: 'text-end', part: 0 },
        { type: 'turn-end', finishReason: 'stop', rawFinishReason: 'stop', usage: { inputTokens: 1, outputTokens: 1 } },
      ]
    },
  }
}

function speechless(turn: PlayableTurn): PlayableTurn {
  return turn.type === 'failure' ? turn : { ...turn, parts: [] }
}

const facts = { name: 'parrot', wire: 'parrot', model: 'parrot-1', turnScript: parrot }
const subject = defineSubject({ ...facts, scenarios: ['text-only'] })

const wrong = {
  check: 'parrot/text-onyl/stream#golden',
  reason: 'a slip of the pen',
  issue: 'https://example.com/1',
  expires: '2027-01-01',
}

test.each([
  ['nothing is filtered', {}],
  ['all subjects are named', { only: ['parrot'] }],
])('a known failure that names no check is red where %s', async (_, filter) => {
  const { ok, problems } = await runConformance([subject], { knownFailures: [wrong], today: '2026-11-22', ...filter })
  expect(problems.map(({ message }) => message)).toEqual([expect.stringContaining('text-onyl')])
  expect(ok).toBe(false)
})

test('a known failure that names no check is not judged where a part of the cases is left out', async () => {
  const options = { knownFailures: [wrong], today: '2026-11-22', scenario: ['text-only'] }
  expect((await runConformance([subject], options)).ok).toBe(true)
})

test('with `bail`, the run ends after the first case that is not as expected', async () => {
  const two = { ...facts, scenarios: ['text-only', 'no-tools'] }
  const turnScript = (script: TurnScript): Adapter => parrot({ ...script, next: () => speechless(script.next()) })
  const [mute, sound] = [defineSubject({ ...two, turnScript }), defineSubject(two)]
  const whole = await runConformance([mute])
  expect(whole.cases.length).toBeGreaterThan(1)
  expect((await runConformance([mute], { bail: true })).cases).toMatchObject([{ verdict: 'fail' }])
  expect((await runConformance([sound], { bail: true, scenario: ['text-only'] })).cases).toHaveLength(2)
})

test.each([
  [{ scenarios: ['text-only', 'single-cal'] }, /'parrot' names a scenario 'single-cal'.*`scenarios`.*: .*single-call/],
  [{ noWordsFor: { 'single-cal': 'no' } }, /'parrot' names a scenario 'single-cal'.*`noWordsFor`.*: .*single-call/],
  [{ noWordsFor: { 'single-cal#golden': 'no' } }, /'parrot' names a scenario 'single-cal'.*`noWordsFor`/],
  [{ noWordsFor: { '*': 'no' } }, /'parrot' names a scenario '\*'.*`noWordsFor`/],
  [{ noWordsFor: { '*#goldn': 'no' } }, /'parrot' names a check 'goldn'.*`noWordsFor`.*: .*golden/],
])(
  'a subject that names a scenario or a check which there is not is refused with those that there are: %j',
  async (named, message) => {
    await expect(runConformance([defineSubject({ ...facts, ...named })])).rejects.toThrow(message)
  },
)
