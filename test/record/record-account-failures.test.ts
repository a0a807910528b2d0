import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { scenarios, type ScriptedFailure, type Subject } from '@steploop/conformance'
import { cassettePath } from '@steploop/conformance/cli'
import { recordScenario } from '@steploop/lab'
import { startSimulator } from '@steploop/conformance/simulator'
import { test, vi, type TestContext } from 'vitest'
import config from '../../steploop.config.ts'

// A provider that asks for a pause is given it, twice.
vi.setConfig({ testTimeout: 60_000 })

const scenario = scenarios.find(({ id }) => id === 'text-only')!

/** The subject with its cassettes in a folder of this test. */
function withFolder(subject: Subject, onTestFinished: TestContext['onTestFinished']): Subject {
  const cassettes = mkdtempSync(join(tmpdir(), 'steploop-account-'))
  onTestFinished(() => rmSync(cassettes, { recursive: true }))
  return { ...subject, cassettes }
}

type Location = NonNullable<ScriptedFailure['location']>

/** Records from a provider that fails in one way, whatever is asked. */
async function recordFailing(subject: Subject, failure: ScriptedFailure['failure'], location: Location) {
  const script = Array.from({ length: 3 }, () => ({ type: 'failure', failure, location }) as const)
  const simulator = await startSimulator({ wire: subject.wire, baseURL: subject.baseURL, script })
  const from = { baseURL: simulator.url, origin: 'simulated' } as const
  try {
    return await recordScenario({ subject, scenario, mode: 'stream', from })
  } finally {
    await simulator.close()
  }
}

const kinds = {
  'bad-key': /refuses the key/,
  forbidden: /permissions of the account/,
  'insufficient-credit': /credit of the account/,
  // Google speaks of the quota in both cases.
  'rate-limited': /still asks for a pause|credit of the account/,
} as const

const failures = Object.keys(kinds) as (keyof typeof kinds)[]
const rows = (['status', 'body'] as const).flatMap((location) => failures.map((failure) => ({ location, failure })))

// At once: nearly all of their time they wait for the pauses that the provider asks for.
test.concurrent.for(config.subjects.filter((subject) => subject.scenarios?.includes(scenario.id) !== false))(
  'an account of $name that is refused is never recorded, and the old cassette stays as it is',
  async (original, { expect, onTestFinished }) => {
    const subject = withFolder(original, onTestFinished)
    const path = cassettePath(subject, scenario.id, 'stream')
    const written = await recordScenario({ subject, scenario, mode: 'stream', from: 'simulator' })
    expect(written.status).toBe('written')
    const before = readFileSync(path, 'utf8')
    const outcomes = await Promise.all(
      rows.map(async ({ location, failure }) => ({
        location,
        failure,
        ...(await recordFailing(subject, failure, location)),
      })),
    )
    for (const { location, failure, status, problems } of outcomes) {
      expect({ failure, location, status, problems }).toEqual({
        failure,
        location,
        status: 'account-failure',
        problems: [expect.stringMatching(kinds[failure])],
      })
      expect(problems[0]).toMatch(location === 'body' ? /inside a 200/ : /with status 4\d\d/)
    }
    expect(readFileSync(path, 'utf8')).toBe(before)
  },
)

test('where there was no cassette, there is none after an account failure', async ({ expect, onTestFinished }) => {
  const subject = withFolder(
    config.subjects.find(({ name }) => name === 'anthropic')!,
    onTestFinished,
  )
  await recordFailing(subject, 'bad-key', 'status')
  expect(existsSync(cassettePath(subject, scenario.id, 'stream'))).toBe(false)
})

test.concurrent.for(config.subjects)(
  'a model that there is not is no failure of the account: what $name says of it is recorded',
  async (original, { expect, onTestFinished }) => {
    const subject = withFolder(original, onTestFinished)
    const unknownModel = scenarios.find(({ id }) => id === 'unknown-model')!
    const { status } = await recordScenario({ subject, scenario: unknownModel, mode: 'generate', from: 'simulator' })
    expect(status).toMatch(/^(written|not-applicable)$/)
  },
)
