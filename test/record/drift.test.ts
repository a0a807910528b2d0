import { cpSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readCassette } from '@steploop/cassette'
import { scenarios, type Subject } from '@steploop/conformance'
import {
  printDrift,
  printDriftMarkdown,
  runDrift,
  trafficDrift,
  type DriftFinding,
  type DriftReport,
} from '@steploop/lab'
import { isObject, type JsonObject } from '@steploop/core/adapter'
import { startSimulator } from '@steploop/conformance/simulator'
import { describe, expect, test, vi } from 'vitest'
import { drifting, type Drift } from './drifting-simulator.ts'
import { scratchFolder, subjectNamed } from '../scratch.ts'
import { hasTraffic, trafficFolders, trafficNote } from '../recorded-traffic.ts'

vi.setConfig({ testTimeout: 60_000 })

const chosen = ['text-only', 'single-call', 'text-then-call', 'parallel-calls']

/** One subject per wire format, with a member of its answers that no run depends on. */
const subjects = [
  { name: 'anthropic', member: 'model' },
  { name: 'openai', member: 'created_at' },
  { name: 'openai-compatible', member: 'created' },
  { name: 'gemini', member: 'modelVersion' },
  { name: 'ollama', member: 'created_at' },
].map(({ name, member }) => ({ member, subject: subjectNamed(name) }))

/** A copy of the cassettes, so that a test which writes where it must not is seen. */
function setUp(subject: Subject): { readonly subject: Subject; readonly folder: string; readonly scratch: string } {
  const folder = scratchFolder()
  const kept = join(folder, 'kept')
  cpSync(fileURLToPath(subject.cassettes), kept, {
    recursive: true,
    filter: (file) => !file.endsWith('.yaml') || chosen.some((id) => file.includes(`/${id}.`)),
  })
  return { subject: { ...subject, cassettes: kept }, folder: kept, scratch: join(folder, 'scratch') }
}

interface Drifted {
  readonly report: DriftReport
  readonly findings: readonly DriftFinding[]
}

async function driftOf(original: Subject, drift: Drift, scenario: readonly string[] = chosen): Promise<Drifted> {
  const { subject, scratch } = setUp(original)
  const report = await runDrift({
    sources: [{ subject, from: 'simulator', apiKey: undefined }],
    scenarios: scenarios.filter(({ id }) => scenario.includes(id)),
    modes: ['generate', 'stream'],
    scratch,
    simulate: drifting(drift),
  })
  return { report, findings: report.wires.flatMap(({ findings }) => findings) }
}

const each = (change: (payload: JsonObject) => JsonObject): Drift => ({ payloads: (all) => all.map(change) })

/** Changes a member wherever it stands; `undefined` takes it away. */
function withMember(value: unknown, name: string, change: (value: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((entry: unknown) => withMember(entry, name, change))
  if (!isObject(value)) return value
  const members = Object.entries(value).map(([key, member]) => {
    return [key, key === name ? change(member) : withMember(member, name, change)]
  })
  return Object.fromEntries(members.filter(([, member]) => member !== undefined))
}

const changing = (name: string, change: (value: unknown) => unknown): Drift =>
  each((payload) => withMember(payload, name, change) as JsonObject)

const gradesOf = (findings: readonly DriftFinding[]): readonly string[] => [
  ...new Set(findings.map(({ grade, kind }) => `${grade} ${kind}`)),
]

describe.each(subjects)('$subject.name', ({ subject, member }) => {
  test('a provider that did not change has not drifted', async () => {
    const { report, findings } = await driftOf(subject, {})
    expect(findings).toEqual([])
    expect(report.wires).toMatchObject([{ wire: subject.wire, subject: subject.name, cases: chosen.length * 2 }])
  })

  test('an added field is reported, and alarms nobody', async () => {
    const { report, findings } = await driftOf(
      subject,
      each((payload) => ({ ...payload, brand_new: 1 })),
    )
    expect(gradesOf(findings)).toEqual(['info new-field'])
    expect(report.counts).toMatchObject({ warning: 0, error: 0 })
    expect(findings.every(({ where }) => where.endsWith('.brand_new'))).toBe(true)
  })

  test('a field that is gone is a warning', async () => {
    const { findings } = await driftOf(
      subject,
      changing(member, () => undefined),
    )
    expect(gradesOf(findings)).toEqual(['warning missing-field'])
    expect(findings.every(({ where }) => where.endsWith(`.${member}`))).toBe(true)
  })

  test('a field of another type is an error', async () => {
    const { findings } = await driftOf(
      subject,
      changing(member, () => ['changed']),
    )
    const retyped = findings.filter(({ kind }) => kind === 'retyped-field')
    expect(retyped.length).toBeGreaterThan(0)
    expect(retyped.every(({ grade, where }) => grade === 'error' && where.endsWith(`.${member}`))).toBe(true)
    expect(retyped[0]?.message).toMatch(/is array, it was (?:string|number)/)
  })

  test('a run that takes another course is an error, with the difference', async () => {
    const { subject: kept, scratch } = setUp(subject)
    const report = await runDrift({
      sources: [{ subject: kept, from: 'simulator', apiKey: undefined }],
      scenarios: scenarios.filter(({ id }) => id === 'single-call'),
      modes: ['stream'],
      scratch,
      simulate: (options) =>
        startSimulator({ ...options, script: [{ type: 'answer', parts: [{ type: 'text', text: 'Nein, 東京.' }] }] }),
    })
    const [first] = report.wires.flatMap(({ findings }) => findings)
    expect(first).toMatchObject({ grade: 'error', kind: 'skeleton', where: `${subject.name}/single-call/stream` })
    expect(first?.message).toMatch(/^- .*call get_weather/m)
  })
})

test.each(['anthropic', 'openai'])('an event that %s did not have is a warning', async (name) => {
  const { findings } = await driftOf(subjectNamed(name), {
    payloads: (all, isStream) => (isStream ? [...all.slice(0, 1), { type: 'telemetry', ms: 3 }, ...all.slice(1)] : all),
  })
  expect(gradesOf(findings)).toEqual(['warning new-event'])
  expect(findings[0]?.message).toBe('the event `telemetry` is new')
})

test('an event that is gone is a warning, and its neighbours are no new order', async () => {
  const { findings } = await driftOf(subjectNamed('openai'), {
    payloads: (all) => all.filter(({ type }) => type !== 'response.content_part.done'),
  })
  expect(gradesOf(findings)).toEqual(['warning missing-event'])
})

test('a new word of an enumeration is a warning', async () => {
  const { findings } = await driftOf(
    subjectNamed('openai-compatible'),
    changing('object', () => 'chat.answer'),
  )
  expect(gradesOf(findings)).toEqual(['warning new-value'])
  expect(findings[0]?.message).toContain('`chat.answer`')
})

test('a part of a type not seen before is a warning', async () => {
  const { findings } = await driftOf(subjectNamed('gemini'), {
    payloads: (all) =>
      all.map(
        (payload) =>
          withMember(payload, 'parts', (parts) => [...(parts as unknown[]), { hologram: { depth: 3 } }]) as JsonObject,
      ),
  })
  expect(findings).toContainEqual(expect.objectContaining({ grade: 'warning', message: 'the event `hologram` is new' }))
})

test.each(['openai', 'openai-compatible'])('events of %s in another order are an error', async (name) => {
  // The last two events change places.
  const swap = (all: readonly JsonObject[]): readonly JsonObject[] =>
    name === 'openai'
      ? all.toSorted((one, other) => rank(one) - rank(other))
      : [...all.slice(0, -2), ...all.slice(-2).toReversed()]
  const rank = ({ type }: JsonObject): number =>
    (type === 'response.created' ? 1 : 0) + (type === 'response.in_progress' ? 0 : 2)
  const { findings } = await driftOf(subjectNamed(name), { payloads: (all, isStream) => (isStream ? swap(all) : all) })
  expect(gradesOf(findings)).toContain('error order')
})

test('other line ends are an error', async () => {
  const { findings } = await driftOf(subjectNamed('anthropic'), { text: (text) => text.replaceAll('\n', '\r\n') })
  expect(gradesOf(findings)).toEqual(['error framing'])
  expect(findings[0]?.message).toContain('CR LF')
})

test('an account that is refused is no drift of the format: the subject was not recorded', async () => {
  const { subject, scratch } = setUp(subjectNamed('anthropic'))
  const report = await runDrift({
    sources: [{ subject, from: 'simulator', apiKey: undefined }],
    scenarios: scenarios.filter(({ id }) => chosen.includes(id)),
    modes: ['stream'],
    scratch,
    simulate: (options) => startSimulator({ ...options, script: [{ type: 'failure', failure: 'bad-key' }] }),
  })
  const [first, second] = report.wires.flatMap(({ findings }) => findings)
  expect(first).toMatchObject({ grade: 'error', kind: 'not-recorded' })
  expect(first?.message).toContain('refuses the key')
  expect(second).toBeUndefined()
})

test('the cassettes stay as they are, and the fresh recordings stand beside them', async () => {
  const { subject, folder, scratch } = setUp(subjectNamed('anthropic'))
  const texts = () => readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'))
  const before = texts()
  await runDrift({
    sources: [{ subject, from: 'simulator', apiKey: undefined }],
    scenarios: scenarios.filter(({ id }) => id === 'text-only'),
    modes: ['stream'],
    scratch,
    simulate: drifting(each((payload) => ({ ...payload, brand_new: 1 }))),
  })
  expect(texts()).toEqual(before)
  const fresh = readCassette(join(scratch, 'anthropic', 'text-only.stream.yaml'))
  expect(new TextDecoder().decode(fresh.exchanges[0]?.response.body)).toContain('brand_new')
})

test('the report reads well as text and as Markdown', async () => {
  const { report } = await driftOf(
    subjectNamed('anthropic'),
    changing('model', () => ['changed']),
    ['text-only'],
  )
  const { error, warning, info } = report.counts
  expect(printDrift(report)).toMatch(/^anthropic-messages, anthropic: \d+ changes in 2 cases$/m)
  expect(printDrift(report)).toMatch(/^ {2}error {3}retyped-field {2}`.*\.model` is array, it was string$/m)
  expect(printDrift(report).trimEnd()).toMatch(new RegExp(`${error} errors, ${warning} warnings, ${info} info$`))
  expect(printDriftMarkdown(report)).toMatch(/^- \*\*error\*\* \(retyped-field\) `/m)
})

test(`cassettes of a simulator that makes a field up are told from recorded traffic${trafficNote}`, async () => {
  const { subject, scratch } = setUp(subjectNamed('anthropic'))
  await runDrift({
    sources: [{ subject, from: 'simulator', apiKey: undefined }],
    scenarios: scenarios.filter(({ id }) => chosen.includes(id)),
    modes: ['generate', 'stream'],
    scratch,
    simulate: drifting(each((payload) => ({ ...payload, brand_new: 1 }))),
  })
  const findingsOf = async (judged: Subject): Promise<readonly DriftFinding[]> => {
    const { wires } = await trafficDrift({ subjects: [judged], directory: trafficFolders[0]! })
    return wires.flatMap(({ findings }) => findings)
  }
  expect(hasTraffic ? await findingsOf(subject) : []).toEqual([])
  const madeUp = { ...subject, cassettes: join(scratch, 'anthropic') }
  expect(hasTraffic ? gradesOf(await findingsOf(madeUp)) : ['info new-field']).toEqual(['info new-field'])
})
