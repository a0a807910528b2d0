import type { Capabilities } from '@steploop/core'
import { runConformance, scenarios, type Subject } from '@steploop/conformance'
import {
  choiceShownBy,
  existsFor,
  falseClaims,
  features,
  requiredChoices,
  requiredFeatures,
  shownBy,
  type Mutant,
} from '@steploop/conformance/cli'
import { expect, test } from 'vitest'
import config from '../../steploop.config.ts'
import { hostile, mutantNamed, plain } from './broken-subject.ts'
import { subjectNamed } from '../scratch.ts'

/** The subject with other claims than its adapter makes. */
function claiming(subject: Subject, change: (capabilities: Capabilities) => Capabilities): Subject {
  const claims = hostile(subject, (adapter) => ({
    ...plain(adapter),
    capabilities: change(adapter.capabilities),
    turn: adapter.turn.bind(adapter),
  }))
  return { ...claims, limits: undefined }
}

const capabilitiesOf = (subject: Subject): Capabilities => subject.adapter({ apiKey: 'none' }).capabilities

const needed = [...new Set(scenarios.flatMap(requiredFeatures))]

/** Flags that some subjects lack: for each, these, and the scenarios in which a false claim is seen. */
const overClaims = needed.flatMap((flag) => {
  const lacking = config.subjects.filter((one) => capabilitiesOf(one)[flag] === undefined)
  const ids = scenarios.filter((scenario) => requiredFeatures(scenario).includes(flag)).map(({ id }) => id)
  return lacking.length === 0 ? [] : [{ flag, lacking, ids }]
})

test.each(overClaims)('a false claim of `$flag` turns the suite red', async ({ flag, lacking, ids }) => {
  const claims = lacking.map((subject) => claiming(subject, (capabilities) => ({ ...capabilities, [flag]: true })))
  const report = await runConformance(claims, { scenario: ids, stress: [], deadline: 2_000 })
  // Over some wire formats there are no words for a scenario; where there are, nobody gets away with it.
  const applies = report.cases.filter(({ verdict }) => verdict !== 'not-applicable')
  expect(applies.length).toBeGreaterThan(0)
  expect(applies.filter(({ verdict }) => verdict !== 'fail')).toEqual([])
  expect(report.ok).toBe(false)
})

test('every flag that a subject lacks and a scenario needs is tried', () => {
  const lacking = needed.filter((flag) => config.subjects.some((one) => capabilitiesOf(one)[flag] === undefined))
  expect(overClaims.map(({ flag }) => flag)).toEqual(lacking)
  expect(lacking.length).toBeGreaterThan(3)
})

test('a missing cassette of a claimed flag says that the claim may be the mistake', async () => {
  const subject = config.subjects.find((one) => capabilitiesOf(one).pause === undefined)!
  const claims = claiming(subject, (capabilities) => ({ ...capabilities, pause: true }))
  const report = await runConformance([claims], { scenario: ['pause-turn'], mode: 'stream', stress: [] })
  const message = report.cases[0]?.checks.flatMap(({ failures }) => failures)[0]?.message
  expect(message).toMatch(/there is no cassette .*pause-turn.*or take back the claim of .*`pause`/)
})

const claimed = [
  ...features.map((name) => ({ name, scenario: shownBy[name] })),
  ...Object.values(choiceShownBy).map((scenario) => ({ name: 'toolChoice' as const, scenario })),
]

/** Subjects that play a scenario, of each wire format one. */
function playersOf(scenario: string): readonly Subject[] {
  const known = scenarios.find(({ id }) => id === scenario)!
  const able = config.subjects.filter((subject) => {
    const capabilities = capabilitiesOf(subject)
    return (
      existsFor(known, subject, 'stream') &&
      requiredFeatures(known).every((flag) => capabilities[flag]) &&
      requiredChoices(known).every((one) => capabilities.toolChoice?.includes(one))
    )
  })
  return [...new Map(able.map((subject) => [subject.wire, subject])).values()]
}

async function redChecks(mutant: Mutant, scenario: string): Promise<readonly string[]> {
  const broken = playersOf(scenario).map((subject) => mutant.apply(subject))
  const { cases } = await runConformance(broken, { scenario: [scenario], stress: [], frontEnds: ['fetch'] })
  return cases.flatMap(({ checks }) => checks.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id))
}

test.each(claimed)(
  '$scenario is red where `$name` is claimed and not true, and where it is true and not claimed',
  async (one) => {
    expect(scenarios.map(({ id }) => id)).toContain(one.scenario)
    expect(await redChecks(mutantNamed(falseClaims[one.name]), one.scenario)).not.toEqual([])
    expect(new Set(await redChecks(mutantNamed(`${one.name}-not-claimed`), one.scenario))).toEqual(new Set(['claims']))
  },
)

test('a capability that the adapter could claim is named, with what to do', async () => {
  const subject = subjectNamed('openai-compatible')
  const modest = claiming(subject, (capabilities) => ({ ...capabilities, toolChoice: undefined }))
  const report = await runConformance([modest], { scenario: ['tool-choice-named'], mode: 'stream', stress: [] })
  expect(report.cases[0]?.checks.flatMap(({ failures }) => failures)[0]?.message).toMatch(
    /`toolChoice: tool` is not claimed, .*holds.*: claim it, or name the provider's limit in `limits`/,
  )
})

test('what the provider cannot do, by the subject itself, is not probed', async () => {
  const subject = subjectNamed('openai-compatible')
  const modest = claiming(subject, (capabilities) => ({ ...capabilities, parallel: undefined }))
  const limited = { ...modest, limits: { parallel: 'one call at a time: https://example.com/limits' } }
  const report = await runConformance([limited], { scenario: ['parallel-calls'], mode: 'stream', stress: [] })
  expect(report.cases[0]?.reason).toMatch(/declares no `parallel`.*https:\/\/example\.com\/limits$/)
})

test('a capability that a scenario merely needs is not asked for by it: what shows `reasoning` is another scenario', async () => {
  const subject = subjectNamed('ollama')
  const modest = claiming(subject, (capabilities) => ({
    ...capabilities,
    reasoning: undefined,
    reasoningReplay: undefined,
  }))
  const report = await runConformance([modest], { scenario: ['structured-thinking'], stress: [] })
  expect(report.cases.map(({ verdict, reason }) => [verdict, reason])).toEqual([
    ['not-applicable', 'the adapter declares no `reasoning` in generate mode'],
    ['not-applicable', 'the adapter declares no `reasoning` in stream mode'],
  ])
})
