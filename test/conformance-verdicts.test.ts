import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { printCassette, readCassette } from '@steploop/cassette'
import { runConformance, scenarios, type Subject } from '@steploop/conformance'
import type { CheckReport } from '@steploop/conformance/cli'
import { expect, test } from 'vitest'
import { scratchFolder, subjectNamed } from './scratch.ts'

const subject = subjectNamed('openai-compatible')

/** A copy of the subject's cassettes, with one file changed. */
function withCassette(name: string, change: (path: string) => void): string {
  const folder = scratchFolder()
  cpSync(fileURLToPath(subject.cassettes), folder, { recursive: true })
  change(join(folder, name))
  return folder
}

async function checksOf(one: Subject, scenario: string, mode: 'generate' | 'stream'): Promise<readonly CheckReport[]> {
  const report = await runConformance([one], { scenario: [scenario], mode, stress: [] })
  return report.cases[0]!.checks
}

const verdictOf = (checks: readonly CheckReport[], id: string) => checks.find((check) => check.id === id)

test('checks of events are not applicable in generate mode, and judged in stream mode', async () => {
  const generated = await checksOf(subject, 'text-only', 'generate')
  const streamed = await checksOf(subject, 'text-only', 'stream')
  for (const id of ['one-terminal-event', 'event-order']) {
    expect(verdictOf(generated, id)).toMatchObject({
      verdict: 'not-applicable',
      reason: 'a run in generate mode gives no events',
    })
    expect(verdictOf(streamed, id)?.verdict).toBe('pass')
  }
})

test('checks of request bodies are not applicable over a wire format that nobody wrote a reader for', async () => {
  const cassettes = withCassette('single-call.stream.yaml', (path) => {
    const cassette = readCassette(path)
    writeFileSync(path, printCassette({ ...cassette, header: { ...cassette.header, wire: 'talk-chat' } }))
  })
  const unread = await checksOf({ ...subject, wire: 'talk-chat', cassettes }, 'single-call', 'stream')
  const read = await checksOf(subject, 'single-call', 'stream')
  for (const id of ['paired', 'whole-history', 'grows', 'same-builder']) {
    expect(verdictOf(unread, id)).toMatchObject({
      verdict: 'not-applicable',
      reason: "the suite has no reader for request bodies of the wire format 'talk-chat'",
    })
    expect(verdictOf(read, id)?.verdict).toBe('pass')
  }
})

test('nothing is compared where there is one request only', async () => {
  const checks = await checksOf(subject, 'text-only', 'stream')
  for (const id of ['grows', 'same-builder']) {
    expect(verdictOf(checks, id)).toMatchObject({ verdict: 'not-applicable', reason: 'no run has a second request' })
  }
})

test.each(['live', 'local'] as const)('a cassette that says `%s` without the host is refused', async (kind) => {
  const cassettes = withCassette('text-only.stream.yaml', (path) => {
    const cassette = readCassette(path)
    const origin = { ...cassette.header.origin, kind }
    writeFileSync(path, printCassette({ ...cassette, header: { ...cassette.header, origin } }))
  })
  const checks = await checksOf({ ...subject, cassettes }, 'text-only', 'stream')
  const { verdict, failures } = verdictOf(checks, 'cassette')!
  expect(verdict).toBe('fail')
  expect(failures[0]?.message).toMatch(new RegExp(`text-only\\.stream\\.yaml: A ${kind} recording says no host`))
})

test('a cassette whose origin was changed by hand is refused for its hash', async () => {
  const cassettes = withCassette('text-only.stream.yaml', (path) => {
    writeFileSync(path, readFileSync(path, 'utf8').replace('kind: "simulated"', 'kind: "live"'))
  })
  const { failures } = verdictOf(await checksOf({ ...subject, cassettes }, 'text-only', 'stream'), 'cassette')!
  expect(failures[0]?.message).toMatch(/sha256|hash/)
})

test('a line of known failures that is expired, unknown, or for something that passes is red', async () => {
  const line = { reason: 'to see it', issue: 'https://example.com/1' }
  const at = (check: string, expires: string) => ({ ...line, check: `openai-compatible/${check}`, expires })
  const knownFailures = [
    at('text-only/stream#golden', '2026-12-31'),
    at('text-only/generate#golden', '2026-01-01'),
    at('text-only/generate#no-such-check', '2026-12-31'),
  ]
  const all = await runConformance([subject], {
    knownFailures,
    today: '2026-11-22',
    scenarios: scenarios.filter(({ id }) => id === 'text-only'),
  })
  expect(all.ok).toBe(false)
  expect(all.cases.map(({ verdict }) => verdict)).toEqual(['pass', 'unexpected-pass'])
  expect(all.problems.map(({ message }) => message)).toEqual([
    expect.stringMatching(/generate#golden' expired on 2026-01-01/),
    expect.stringMatching(/#no-such-check': no such check ran/),
  ])
})
