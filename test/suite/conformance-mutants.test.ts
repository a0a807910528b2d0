import { runConformance, scenarios, type Scenario } from '@steploop/conformance'
import { mutants, prepareBaseline } from '@steploop/conformance/cli'
import { expect, test } from 'vitest'
import { silent } from './broken-subject.ts'
import { subjectNamed } from '../scratch.ts'

test('there are at least sixty mutants, each with an id of its own and one sentence that says what is wrong', () => {
  const ids = mutants.map(({ id }) => id)
  expect(ids.length).toBeGreaterThanOrEqual(60)
  expect(new Set(ids).size).toBe(ids.length)
  expect(mutants.filter(({ bug }) => !/^[A-Z].*\.$/s.test(bug))).toEqual([])
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
  const uncounted = [silent(anthropic)]
  const textOnly = scenarios.filter(({ id }) => id === 'text-only')
  const { red } = await prepareBaseline(uncounted, { scenarios: textOnly })
  expect(red).toContain('anthropic/text-only/generate#usage-adds-up')
  const line = { reason: 'it counts nothing', issue: 'https://example.com/1', expires: '2099-01-01' }
  const knownFailures = [{ ...line, check: 'anthropic/text-only/*#usage-adds-up' }]
  expect((await prepareBaseline(uncounted, { scenarios: textOnly, knownFailures })).red).toEqual([])
})
