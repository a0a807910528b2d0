import { existsSync } from 'node:fs'
import { readCassette } from '@steploop/cassette'
import { runConformance, scenarios, type Subject } from '@steploop/conformance'
import { cassettePath } from '@steploop/conformance/cli'
import { expect, test, vi } from 'vitest'
import config from '../../steploop.config.ts'

// Every scenario, for one subject after the other.
vi.setConfig({ testTimeout: 120_000 })

/** The subject, with one field more in every body that its adapter sends. */
function withJunk(subject: Subject): Subject {
  return {
    ...subject,
    adapter: ({ fetch: send = fetch, ...options }) => {
      const adding: typeof fetch = (input, init) => {
        // All adapters send their bodies as texts.
        const sent = typeof init?.body === 'string' ? init.body : '{}'
        const body = JSON.stringify({ ...(JSON.parse(sent) as object), junk_of_the_test: 1 })
        return send(input, { ...init, body })
      }
      return subject.adapter({ ...options, fetch: adding })
    },
  }
}

/** Cases with a cassette in which anything was sent at all. */
function sendingCases(subject: Subject): readonly string[] {
  return scenarios.flatMap(({ id }) =>
    (['generate', 'stream'] as const).flatMap((mode) => {
      const path = cassettePath(subject, id, mode)
      return existsSync(path) && readCassette(path).exchanges.length > 0 ? [`${subject.name}/${id}/${mode}`] : []
    }),
  )
}

const chosen = config.subjects.filter(({ name }) => ['openai-compatible', 'anthropic'].includes(name))

test.each(chosen)(
  '$name: one field too many in every request turns every scenario red, and the difference names it',
  async (subject) => {
    const expected = sendingCases(subject)
    expect(expected.length).toBeGreaterThan(80)
    const report = await runConformance([withJunk(subject)], { stress: [], frontEnds: ['fetch'] })
    const reported = report.cases.filter(({ checks }) =>
      checks.some(({ id, verdict, failures }) => {
        const isNamed = failures.some(({ message }) => /body\.junk_of_the_test/.test(message))
        return id === 'as-recorded' && verdict === 'fail' && isNamed
      }),
    )
    const addresses = reported.map(({ address }) => address)
    expect(expected.filter((address) => !addresses.includes(address))).toEqual([])
  },
)
