import { runConformance, scenarios, type ConformanceOptions, type Scenario, type Subject } from '@steploop/conformance'
import { mutants, prepareGround, type CheckReport, type Mutant } from '@steploop/conformance/cli'
import { expect, test } from 'vitest'
import config from '../steploop.config.ts'
import { subjectNamed } from './scratch.ts'

/** Scenario and check that a mutant names as its own. */
function ownCheck({ killer }: Mutant): { readonly scenario: string; readonly check: string } {
  const [scenario = '', check = ''] = killer.split('#')
  return { scenario, check }
}

async function redChecks(broken: Subject, options: ConformanceOptions): Promise<readonly CheckReport[]> {
  const others = config.subjects.filter(({ name }) => name !== broken.name)
  const report = await runConformance([broken, ...others], { stress: [], ...options, only: [broken.name] })
  expect(report.ok).toBe(false)
  return report.cases.flatMap(({ checks }) => checks.filter(({ verdict }) => verdict === 'fail'))
}

const mutant = (id: string): Mutant => mutants.find((one) => one.id === id)!

test('there are at least sixty mutants, each with an id of its own and one sentence that says what is wrong', () => {
  const ids = mutants.map(({ id }) => id)
  expect(ids.length).toBeGreaterThanOrEqual(60)
  expect(new Set(ids).size).toBe(ids.length)
  expect(mutants.filter(({ bug }) => !/^[A-Z].*\.$/s.test(bug))).toEqual([])
})

test('each mutant names a scenario that there is', () => {
  const known = new Set(scenarios.map(({ id }) => id))
  expect(mutants.filter((one) => !known.has(ownCheck(one).scenario)).map(({ id }) => id)).toEqual([])
})

test.each([
  ['array-position-index', 'anthropic', 'parallel-same-tool'],
  ['utf8-per-chunk', 'anthropic', 'single-call'],
  ['complete-on-eof', 'anthropic', 'cut-stream'],
  ['calls-only-if-finish-tool-calls', 'gemini', 'single-call'],
  ['drop-signature', 'anthropic', 'reasoning-replay'],
])('`%s`, which a real project shipped, is killed by two checks at least', async (id, subject, scenario) => {
  const red = await redChecks(mutant(id).apply(subjectNamed(subject)), { scenario: [scenario] })
  expect(new Set(red.map((one) => one.id)).size).toBeGreaterThanOrEqual(2)
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
  const report = await runConformance([subjectNamed('anthropic')], {
    scenarios: [racing],
    mode: 'stream',
    stress: ['order'],
  })
  const red = report.cases.flatMap(({ checks }) => checks.filter(({ verdict }) => verdict !== 'pass'))
  expect(red.map(({ id }) => id)).toEqual(['order'])
  expect(red[0]?.failures[0]?.message).toMatch(/finish in the order 1, 2[\s\S]*I was first/)
})

test('what fails for a known reason does not keep mutants from being tried', async () => {
  const anthropic = subjectNamed('anthropic')
  const silent: Subject = {
    ...anthropic,
    adapter: (options) => {
      const adapter = anthropic.adapter(options)
      return {
        ...adapter,
        async *turn(request, context) {
          for await (const batch of adapter.turn(request, context)) {
            yield batch.map((event) => (event.type === 'turn-end' ? { ...event, usage: undefined } : event))
          }
        },
      }
    },
  }
  const textOnly = scenarios.filter(({ id }) => id === 'text-only')
  const { red } = await prepareGround([silent], { scenarios: textOnly })
  expect(red).toContain('anthropic/text-only/generate#usage-adds-up')
  const line = { reason: 'it counts nothing', issue: 'https://example.com/1', expires: '2099-01-01' }
  const knownFailures = [{ ...line, check: 'anthropic/text-only/*#usage-adds-up' }]
  expect((await prepareGround([silent], { scenarios: textOnly, knownFailures })).red).toEqual([])
})
