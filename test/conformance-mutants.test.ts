import {
  mutants,
  runConformance,
  scenarios,
  type CheckReport,
  type Scenario,
  type Subject,
} from '@steploop/conformance'
import { expect, test } from 'vitest'
import config from '../steploop.config.ts'

const named = (name: string): Subject => config.subjects.find((subject) => subject.name === name)!

interface Row {
  readonly mutant: string
  readonly subject?: string
  readonly scenario: string
  /** Checks that turn red, among others. */
  readonly killers: readonly string[]
  readonly stress?: readonly string[]
}

const rows: readonly Row[] = [
  { mutant: 'lose-second-call', scenario: 'parallel-calls', killers: ['golden', 'triples'] },
  { mutant: 'array-position-index', scenario: 'parallel-same-tool', killers: ['triples', 'input-is-fold'] },
  { mutant: 'results-in-completion-order', scenario: 'parallel-calls', killers: ['as-recorded', 'whole-history'] },
  { mutant: 'result-by-name', scenario: 'parallel-same-tool', killers: ['as-recorded', 'whole-history'] },
  { mutant: 'orphan-call', scenario: 'single-call', killers: ['paired', 'call-before-result'] },
  { mutant: 'duplicate-result', scenario: 'single-call', killers: ['paired', 'whole-history'] },
  { mutant: 'text-beside-call-lost', scenario: 'text-then-call', killers: ['text-stays-in-history', 'whole-history'] },
  { mutant: 'latest-step-only', scenario: 'five-turn', killers: ['grows', 'each-once'] },
  {
    mutant: 'provider-options-first-turn-only',
    scenario: 'provider-options',
    killers: ['in-every-body', 'same-builder'],
  },
  {
    mutant: 'instructions-first-turn-only',
    scenario: 'five-turn',
    killers: ['settings-in-every-turn', 'same-builder'],
  },
  { mutant: 'tools-missing-on-continuation', scenario: 'single-call', killers: ['same-builder', 'as-recorded'] },
  { mutant: 'calls-only-if-finish-tool-calls', scenario: 'single-call', killers: ['golden', 'as-recorded'] },
  { mutant: 'double-encoded-arguments', scenario: 'single-call', killers: ['golden', 'input-is-fold'] },
  { mutant: 'two-terminal-events', scenario: 'text-only', killers: ['turn-events'] },
  { mutant: 'events-after-end', scenario: 'text-only', killers: ['turn-events', 'text-arrives-whole'] },
  { mutant: 'usage-lost', scenario: 'text-only', killers: ['usage-adds-up'] },
  { mutant: 'usage-added-not-last', scenario: 'text-only', killers: ['usage-adds-up'] },
  { mutant: 'delta-repeated', scenario: 'text-only', killers: ['text-arrives-whole', 'modes'] },
  { mutant: 'key-in-error-message', scenario: 'bad-key', killers: ['no-secrets'] },
  { mutant: 'retry-4xx', scenario: 'bad-key', killers: ['not-retried', 'as-recorded'] },
  { mutant: 'plain-errors', scenario: 'bad-key', killers: ['typed-with-provider-message', 'golden'] },
  { mutant: 'utf8-per-chunk', scenario: 'text-only', killers: ['text-arrives-whole'] },
  { mutant: 'utf8-per-chunk', scenario: 'no-arguments', killers: ['rechunk'], stress: ['rechunk'] },
  { mutant: 'split-on-lf-lf', scenario: 'text-only', killers: ['noise'], stress: ['noise'] },
  { mutant: 'state-between-turns', scenario: 'text-only', killers: ['stable'], stress: ['stable'] },
  { mutant: 'identity-of-messages', scenario: 'single-call', killers: ['resume'], stress: ['resume'] },
  { mutant: 'foreign-turns-dropped', scenario: 'parallel-calls', killers: ['hand-over'], stress: ['hand-over'] },
  { mutant: 'complete-on-eof', scenario: 'cut-stream', killers: ['golden'] },
  { mutant: 'complete-on-eof', scenario: 'text-only', killers: ['truncate'], stress: ['truncate'] },
  { mutant: 'changed-header', scenario: 'text-only', killers: ['as-recorded'] },
  { mutant: 'added-field', scenario: 'text-only', killers: ['as-recorded'] },
  { mutant: 'pause-is-stop', scenario: 'pause-turn', killers: ['golden', 'counters'] },
  { mutant: 'refusal-is-empty-success', scenario: 'content-filter', killers: ['golden'] },
  { mutant: 'forced-choice-forever', scenario: 'tool-choice', killers: ['forced-once', 'as-recorded'] },
  { mutant: 'retry-after-ignored', scenario: 'rate-limited', killers: ['waits'] },
  { mutant: 'run-truncated-call', scenario: 'truncated-call', killers: ['golden'] },
  { mutant: 'usage-without-input', scenario: 'token-budget', killers: ['within-budget'] },
  { mutant: 'drop-signature', scenario: 'reasoning-replay', killers: ['replayed-as-it-was'] },
  { mutant: 'schema-dropped', scenario: 'structured', killers: ['schema-reaches-the-model', 'as-recorded'] },
  { mutant: 'results-in-completion-order', scenario: 'mixed-owners', killers: ['call-order-after-resuming'] },
]

async function redChecks({
  mutant,
  subject = 'anthropic',
  scenario,
  stress = [],
}: Row): Promise<readonly CheckReport[]> {
  const broken = mutants.find(({ id }) => id === mutant)!.apply(named(subject))
  const others = config.subjects.filter(({ name }) => name !== broken.name)
  const report = await runConformance([broken, ...others], { only: [subject], scenario: [scenario], stress })
  expect(report.ok).toBe(false)
  return report.cases.flatMap(({ checks }) => checks.filter(({ verdict }) => verdict !== 'pass'))
}

test.each(rows)('`$mutant` is turned red by $scenario and its checks $killers', async (row) => {
  const red = await redChecks(row)
  for (const killer of row.killers) expect(red.map(({ id }) => id)).toContain(killer)
})

test('every mutant of the catalogue has a row', () => {
  expect(new Set(rows.map(({ mutant }) => mutant))).toEqual(new Set(mutants.map(({ id }) => id)))
})

test('correct adapters pass what mutants fail', async () => {
  const scenario = [...new Set(rows.map((row) => row.scenario))]
  const report = await runConformance([named('anthropic')], { scenario, stress: ['truncate'] })
  expect(report.cases.filter(({ verdict }) => verdict !== 'pass')).toEqual([])
})

test('what rechunk finds is shrunk to one cut, and shown with its bytes and the events on both sides', async () => {
  const red = await redChecks({ mutant: 'utf8-per-chunk', scenario: 'no-arguments', killers: [], stress: ['rechunk'] })
  const message = red.find(({ address }) => address.includes('/stream#rechunk'))?.failures[0]?.message
  expect(message).toMatch(/response \d+ gives other events when it is cut at byte \d+ of \d+, ….*\|.*…/)
  expect(message).toMatch(/^> .*text-delta.*\| .*text-delta.*\uFFFD/m)
})

test.each([
  ['changed-header', /headers\.content-type[\s\S]*Record the cassette anew, or rebase it/],
  ['added-field', /surprise[\s\S]*Record the cassette anew, or rebase it/],
])('`%s` is reported with the difference and what to do', async (mutant, message) => {
  const red = await redChecks({ mutant, scenario: 'text-only', killers: [] })
  const recorded = red.find(({ id }) => id === 'as-recorded')
  expect(recorded?.failures[0]?.message).toMatch(message)
})

test('a tool whose output depends on when it finishes turns `order` red', async () => {
  const known = scenarios.find(({ id }) => id === 'parallel-calls')!
  const racing: Scenario = {
    ...known,
    async run({ run, tools }) {
      const { get_weather, get_time } = tools({ order: [1, 0] })
      let timeIsKnown = false
      const raced = {
        get_weather: {
          ...get_weather,
          execute: async (...given: Parameters<NonNullable<typeof get_weather.execute>>) => {
            const output = await get_weather.execute?.(...given)
            return timeIsKnown ? output : 'I was first'
          },
        },
        get_time: {
          ...get_time,
          execute: async (...given: Parameters<NonNullable<typeof get_time.execute>>) => {
            const output = await get_time.execute?.(...given)
            timeIsKnown = true
            return output
          },
        },
      }
      await run('Wetter in Zürich und Zeit in 東京?', { tools: raced })
    },
  }
  const report = await runConformance([named('anthropic')], { scenarios: [racing], mode: 'stream', stress: ['order'] })
  const red = report.cases.flatMap(({ checks }) => checks.filter(({ verdict }) => verdict !== 'pass'))
  expect(red.map(({ id }) => id)).toEqual(['order'])
  expect(red[0]?.failures[0]?.message).toMatch(/finish in the order 1, 2[\s\S]*I was first/)
})
