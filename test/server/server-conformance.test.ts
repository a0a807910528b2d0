import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { scenarios } from '@steploop/conformance'
import { recordScenario } from '@steploop/lab'
import { expect, onTestFinished, test } from 'vitest'
import { serverSubject } from './server-subject.ts'
import { subjectNamed } from '../scratch.ts'

const chosen = [
  'text-only',
  'parallel-calls',
  'repeated-ids',
  'reasoning-replay',
  'client-tool',
  'continuation',
  'continuation-lost',
  'provider-tool',
  'provider-tool-fails',
  'structured',
  'unknown-model',
  'error-mid-stream',
]
const named = (name: string) => subjectNamed(name)

test.each([
  ['anthropic', 'stream', []],
  ['gemini', 'generate', ['error-mid-stream']],
  ['openai-compatible', 'stream', ['provider-tool', 'provider-tool-fails']],
] as const)(
  'behind our server %s is a Responses provider to our own client (%s)',
  async (name, mode, notApplicable) => {
    const cassettes = mkdtempSync(join(tmpdir(), 'server-over-'))
    const { subject, close } = serverSubject({ client: named('openai'), upstream: named(name), cassettes, mode })
    onTestFinished(async () => {
      await close()
      rmSync(cassettes, { recursive: true })
    })
    const outcomes: Record<string, string> = {}
    for (const id of chosen) {
      const scenario = scenarios.find((each) => each.id === id)!
      const { status, problems } = await recordScenario({ subject, scenario, mode, from: 'simulator' })
      outcomes[id] = status === 'refused' ? problems.join('\n') : status
    }
    const expected = chosen.map((id) => [
      id,
      (notApplicable as readonly string[]).includes(id) ? 'not-applicable' : 'written',
    ])
    expect(outcomes).toEqual(Object.fromEntries(expected))
  },
)
