import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseCassette, printCassette } from '@steploop/cassette'
import { runConformance, scenarios, type Scenario, type Subject } from '@steploop/conformance'
import { expect, test } from 'vitest'
import config from '../../steploop.config.ts'
import { scratchFolder, subjectNamed } from '../scratch.ts'

const subject = subjectNamed('openai-compatible')
const only = { scenario: ['single-call'], mode: 'stream', stress: [] } as const

/** The subject with a copy of its cassettes, one of them edited. */
function withEdited(edit: (text: string) => string): Subject {
  const folder = scratchFolder()
  cpSync(fileURLToPath(subject.cassettes), folder, { recursive: true })
  const file = join(folder, 'single-call.stream.yaml')
  writeFileSync(file, edit(readFileSync(file, 'utf8')))
  return { ...subject, cassettes: folder }
}

async function failuresOf(broken: Subject, replaced?: readonly Scenario[]): Promise<Record<string, string>> {
  const report = await runConformance([broken], { ...only, scenarios: replaced })
  const red = report.cases.flatMap(({ checks }) => checks.filter(({ verdict }) => verdict === 'fail'))
  return Object.fromEntries(red.map(({ id, failures }) => [id, failures.map(({ message }) => message).join('\n')]))
}

test('a flipped byte of a cassette is red, with the file and what to do', async () => {
  const failures = await failuresOf(withEdited((text) => text.replace('"get_weather"', '"get_weathes"')))
  expect(Object.keys(failures)).toEqual(['cassette'])
  expect(failures['cassette']).toMatch(/single-call\.stream\.yaml.*(hash|sha256)/is)
  expect(failures['cassette']).toMatch(/record|restore/i)
})

test('a cut cassette is red, with the file and what to do', async () => {
  const failures = await failuresOf(withEdited((text) => text.slice(0, text.length / 2)))
  expect(failures['cassette']).toMatch(/single-call\.stream\.yaml/)
  expect(failures['cassette']).toMatch(/record|restore/i)
})

test('a cassette that says `live` without the host is red', async () => {
  const live = withEdited((text) => {
    const { header, exchanges } = parseCassette(text, 'single-call.stream.yaml')
    return printCassette({ header: { ...header, origin: { ...header.origin, kind: 'live' } }, exchanges })
  })
  const failures = await failuresOf(live)
  expect(failures['cassette']).toMatch(/single-call\.stream\.yaml: A live recording says no host/)
})

test('a cassette of another wire format is red', async () => {
  const failures = await failuresOf({ ...subject, wire: 'ollama-chat' })
  expect(failures['cassette']).toMatch(/over openai-chat/)
})

test('one changed line of a golden is red, with the line and what to do', async () => {
  const changed = scenarios.map((scenario): Scenario => {
    if (scenario.id !== 'single-call' || typeof scenario.golden !== 'string') return scenario
    return { ...scenario, golden: scenario.golden.replace('result get_weather json', 'result get_weather text') }
  })
  const failures = await failuresOf(subject, changed)
  expect(Object.keys(failures)).toEqual(['golden'])
  expect(failures['golden']).toMatch(/-\s+result get_weather text\n\+\s+result get_weather json/)
  expect(failures['golden']).toMatch(/change its golden.*declare a quirk/)
})

test('only a declared quirk replaces a golden', async () => {
  const golden = `
    run 1
      step 1 stop
        text
      completed answer
  `
  const failures = await failuresOf({ ...subject, quirks: { 'single-call': { reason: 'to see it fail', golden } } })
  expect(failures['golden']).toMatch(/the quirk of `openai-compatible`/)
})

test.each([
  [{ only: ['nobody'] }, /no subject 'nobody'.*openai/],
  [{ scenario: ['nothing'] }, /no scenario 'nothing'.*text-only/],
])('a filter that matches nothing says what there is: %o', async (filter, message) => {
  await expect(runConformance(config.subjects, filter)).rejects.toThrow(message)
})

test.each([
  ['generate', ['one-terminal-event', 'event-order'], 'a run in generate mode gives no events'],
  ['stream', ['grows', 'same-builder'], 'no run has a second request'],
] as const)(
  'a scenario of one text in mode `%s` has checks that do not apply, %j, because %s',
  async (mode, ids, reason) => {
    const { cases } = await runConformance([subject], { scenario: ['text-only'], mode, stress: [] })
    const checks = cases.flatMap((one) => one.checks.filter(({ id }) => ids.some((asked) => asked === id)))
    expect(checks).toMatchObject(ids.map(() => ({ verdict: 'not-applicable', reason })))
  },
)
