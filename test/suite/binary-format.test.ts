import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readCassette, writeCassette } from '@steploop/cassette'
import { runConformance, type Subject } from '@steploop/conformance'
import { cassettePath, printMatrix, type CheckReport } from '@steploop/conformance/cli'
import { hasFindings, printTraffic, recordScenario, runTraffic, type TrafficReport } from '@steploop/lab'
import { AdapterError, type Adapter } from '@steploop/core'
import { expect, test } from 'vitest'
import { faulty } from './broken-subject.ts'
import { scenarioNamed, scratchFolder } from '../scratch.ts'
import { tideSubject, type TideFaults } from './tide-subject.ts'

/** What makes a subject of the cassette of a text, right or broken. */
async function recorded(): Promise<(faults?: TideFaults) => Subject> {
  const cassettes = scratchFolder()
  const scenario = scenarioNamed('text-only')
  await recordScenario({ subject: tideSubject({ cassettes }), scenario, mode: 'stream', from: 'simulator' })
  return (faults) => tideSubject({ cassettes }, faults)
}

function stressed(subject: Subject, ...stress: readonly string[]) {
  return stressedWithin(undefined, subject, ...stress)
}

async function stressedWithin(deadline: number | undefined, subject: Subject, ...stress: readonly string[]) {
  const options = { scenario: ['text-only'], mode: 'stream', stress, full: true, deadline } as const
  const { cases } = await runConformance([subject], options)
  return cases[0]?.checks.filter(({ id }) => stress.includes(id)) ?? []
}

const messages = (checks: readonly CheckReport[]): string =>
  checks.flatMap(({ failures }) => failures.map(({ message }) => message)).join('\n')

test('a stream in a framing that nobody knows is cut all the same, and whoever takes its end for the end is red', async () => {
  const subject = await recorded()
  const [honest] = await stressed(subject(), 'truncate')
  expect(honest).toMatchObject({ verdict: 'pass' })
  expect(honest?.variants).toBeGreaterThan(20)
  const [credulous] = await stressed(subject({ trustsTheEnd: true }), 'truncate')
  expect(credulous?.verdict).toBe('fail')
  expect(messages([credulous!])).toMatch(/let `end` throw `incomplete-stream`/)
})

test('whoever reads past the checksums of frames is red; where there are none, it says so', async () => {
  const subject = await recorded()
  const [careful] = await stressed(subject(), 'checksum')
  expect(careful).toMatchObject({ verdict: 'pass' })
  expect(careful?.variants).toBeGreaterThan(500)
  const [careless] = await stressed(subject({ trustsFrames: true }), 'checksum')
  expect(messages([careless!])).toMatch(/one bit flipped at byte \d+ .*ends well all the same/)
  const [unmarked] = await stressed({ ...subject(), checksums: undefined }, 'checksum')
  expect(unmarked).toMatchObject({ verdict: 'not-applicable', variants: 0, reason: expect.stringMatching(/checksum/) })
})

test('the line end behind the last frame bears no checksum', async () => {
  const subject = await recorded()
  const path = cassettePath(subject(), 'text-only', 'stream')
  const { header, exchanges } = readCassette(path)
  const withLineEnd = exchanges.map(({ request, response }) => ({
    request,
    response: {
      ...response,
      body: Buffer.concat([response.body, Buffer.from('\n')]),
      chunks: [...response.chunks, { ms: 0, bytes: 1 }],
    },
  }))
  writeCassette(path, { header, exchanges: withLineEnd })
  const [careful] = await stressed(subject(), 'checksum')
  expect(careful).toMatchObject({ verdict: 'pass' })
})

test('whoever waits for the connection to close is red, where the provider has a last word and leaves it open', async () => {
  const subject = await recorded()
  const [prompt] = await stressed(subject(), 'tolerate')
  expect(prompt).toMatchObject({ verdict: 'pass', variants: 4 })
  const [patient] = await stressedWithin(2_000, subject({ waitsForTheEnd: true }), 'tolerate')
  expect(messages([patient!])).toMatch(/the connection stays open after its end; let `progress` of the decoder say/)
  const [unsaid] = await stressed({ ...subject({ waitsForTheEnd: true }), simulate: undefined }, 'tolerate')
  expect(unsaid).toMatchObject({ verdict: 'not-applicable', variants: 0, reason: expect.stringMatching(/'tide-talk'/) })
})

test('whoever leaves what was written to a cache out of the input is red, in a framing that nobody knows too', async () => {
  const subject = await recorded()
  const [careless] = await stressed(subject({ forgetsStored: true }), 'tolerate')
  expect(messages([careless!])).toMatch(/`inputTokens` is 2825, and the provider counted 4327/)
})

test('a caller leaves a stream in a framing that nobody knows between its chunks', async () => {
  const subject = await recorded()
  const [abort] = await stressed(subject(), 'abort')
  expect(abort).toMatchObject({ verdict: 'pass' })
  expect(abort?.variants).toBeGreaterThan(0)
})

test('a stressor that has nothing to try says why, how many it tried, and takes no time in the sum', async () => {
  const subject = await recorded()
  const report = await runConformance([subject()], { scenario: ['text-only'], mode: 'stream', full: true })
  const idle = ['noise', 'fragments', 'refuse', 'hand-over']
  for (const id of idle) {
    const check = report.cases[0]?.checks.find((one) => one.id === id)
    expect(check).toMatchObject({ verdict: 'not-applicable', variants: 0 })
    expect(check?.reason).toMatch(/stream of events|Chat Completions|'tide-talk'|no calls/)
  }
  const reported = printMatrix(report)
  expect(reported).toContain('#noise tried nothing (0 variants) over tide: no response is a stream of events')
  for (const id of idle) expect(reported.split('\n').at(-1)).not.toContain(id)
})

test('a subject whose streams nobody could cut is red, though no case of it fails', async () => {
  const subject = await recorded()
  const path = cassettePath(subject(), 'text-only', 'stream')
  const { header, exchanges } = readCassette(path)
  writeCassette(path, { header, exchanges: [...exchanges, ...exchanges] })
  // It asks twice in each turn, so that nobody knows which response belongs to which turn.
  const { adapter } = subject()
  const twice: Subject = {
    ...subject(),
    adapter: ({ fetch = globalThis.fetch, ...options }) =>
      adapter({
        ...options,
        async fetch(input, init) {
          await (await fetch(input, init)).arrayBuffer()
          return fetch(input, init)
        },
      }),
  }
  // Checks of its own would count the requests.
  const textOnly = [{ ...scenarioNamed('text-only'), checks: [] }]
  const report = await runConformance([twice], { scenarios: textOnly, mode: 'stream', stress: ['truncate'] })
  expect(report.cases.map(({ verdict }) => verdict)).toEqual(['pass'])
  expect(report.ok).toBe(false)
  expect(report.problems.map(({ message }) => message).join()).toContain('tide#truncate: streams that nobody tried: 1')
})

/** Recorded traffic of the subject, as one file. */
async function traffic(subject: Subject, change: (interaction: object) => object = (same) => same) {
  const directory = scratchFolder()
  const interactions = readCassette(cassettePath(subject, 'text-only', 'stream')).exchanges.map((exchange) => {
    const { method, url } = exchange.request
    const bytesBase64 = Buffer.from(exchange.response.body).toString('base64')
    const response = { status: 200, headers: { ...exchange.response.headers }, bytesBase64 }
    return { wire: subject.wire, request: { method, url, headers: {}, body: {} }, response }
  })
  const recording = change({ interactions })
  writeFileSync(join(directory, 'one.json'), JSON.stringify(recording))
  return runTraffic({ directory, subjects: [subject] })
}

const found = ({ findings }: TrafficReport) => findings.map(({ type, message }) => `${type} ${message}`).join('\n')

test('recorded traffic in binary frames is re-chunked and cut, with an answer key or without', async () => {
  const subject = await recorded()
  const sound = await traffic(subject())
  expect(found(sound)).toBe('')
  expect(Object.values(sound.wires)).toMatchObject([{ turns: 1, errors: 0, rechunked: 1, notTurns: 0 }])
  expect(Object.values(sound.wires)[0]?.cuts).toBeGreaterThan(10)
  expect(found(await traffic(subject({ trustsTheEnd: true })))).toMatch(/cut-accepted .* taken for a finished turn/)
})

async function* failing(): ReturnType<Adapter['turn']> {
  yield [{ type: 'turn-start' }]
  throw new AdapterError({ provider: 'tide', model: 'tide-1', code: 'malformed-response', message: 'no frame' })
}

async function* overloaded(): ReturnType<Adapter['turn']> {
  yield [{ type: 'turn-start' }]
  throw new AdapterError({ provider: 'tide', model: 'tide-1', code: 'overloaded', retryAfterMs: 45_000 })
}

test('an adapter that fails again and again is refused at once: a recording from a simulator keeps no pauses', async () => {
  const subject = faulty(tideSubject({ cassettes: scratchFolder() }), () => overloaded)
  const scenario = scenarioNamed('text-only')
  const { status } = await recordScenario({ subject, scenario, mode: 'stream', from: 'simulator' })
  expect(status).toBe('refused')
})

test('without an answer key an answer that fails with a 2xx is a finding, unless its recording says that it may', async () => {
  const subject = await recorded()
  const throwing = faulty(subject(), () => failing)
  const report = await traffic(throwing)
  expect(found(report)).toMatch(/^error an answer with status 200 fails as 'malformed-response'/)
  expect(hasFindings(report)).toBe(true)
  expect(printTraffic(report, { command: 'pnpm traffic' })).toContain('error  one.json #0')
  const allowed = await traffic(throwing, (recording) => ({ ...recording, mayFail: ['malformed-response'] }))
  expect(found(allowed)).toBe('')
  await expect(traffic(throwing, (recording) => ({ ...recording, mayFail: 'all' }))).rejects.toThrow(
    /one.json .*mayFail/,
  )
})

test('an answer that was recorded without its bytes is no turn, and a run that decoded nothing is not green', async () => {
  const subject = await recorded()
  const bare = {
    interactions: [{ wire: subject().wire, response: { status: 200, events: [{ type: 'messageStart' }] } }],
  }
  const report = await traffic(subject(), () => bare)
  expect(Object.values(report.wires)).toMatchObject([{ turns: 0, errors: 0, notTurns: 1 }])
  expect(hasFindings(report)).toBe(true)
  expect(printTraffic(report, { command: 'pnpm traffic' })).toMatch(/0 turns, .*nothing tried/)
})
