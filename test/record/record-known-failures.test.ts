import { scenarios, type KnownFailure, type Scenario } from '@steploop/conformance'
import { recordScenario } from '@steploop/lab'
import { expect, test } from 'vitest'
import { inScratch } from '../scratch.ts'

const singleCall = scenarios.find(({ id }) => id === 'single-call')!

function known(check: string): readonly KnownFailure[] {
  return [{ check, reason: 'planted', issue: 'none', expires: '2099-01-01' }]
}

test('a run that fails, as it is known to, is recorded although the rest of its script is not asked for', async () => {
  const script: Scenario['script'] = [{ type: 'failure', failure: 'bad-request' }, ...singleCall.script]
  const scenario = { ...singleCall, script }
  const order = { subject: inScratch('anthropic'), scenario, mode: 'generate', from: 'simulator' } as const
  const knownFailures = known('anthropic/single-call/*#*')
  expect((await recordScenario(order)).problems).toContain('2 turns of the script were not asked for')
  const notGolden = known('anthropic/single-call/*#counters')
  expect((await recordScenario({ ...order, knownFailures: notGolden })).status).toBe('refused')
  expect((await recordScenario({ ...order, knownFailures })).status).toBe('written')
})

test('a derived cassette that the adapter is known not to ask for is written, one that it should ask for is not', async () => {
  const subject = inScratch('anthropic')
  const order = { subject, scenario: singleCall, mode: 'generate', from: 'simulator' } as const
  expect((await recordScenario(order)).status).toBe('written')
  const scenario: Scenario = {
    ...singleCall,
    id: 'other-name',
    derived: {
      from: 'single-call',
      recipe: 'another name of the tool, in requests',
      change: (exchanges) =>
        exchanges.map((one) => ({ ...one, request: one.request.replaceAll('get_weather', 'get_rain') })),
    },
  }
  const refused = await recordScenario({ ...order, scenario })
  expect(refused.problems.join('\n')).toContain('as-recorded')
  const butThat = known('anthropic/other-name/*#golden')
  expect((await recordScenario({ ...order, scenario, knownFailures: butThat })).status).toBe('refused')
  const knownFailures = known('anthropic/other-name/*#*')
  expect((await recordScenario({ ...order, scenario, knownFailures })).status).toBe('written')
})
