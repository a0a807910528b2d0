import { expect, test } from 'vitest'
import { canary } from '../play/play-scenario.ts'
import type { AttemptDetails, CaseDetails } from '../details-schema.ts'
import { withhold } from './withhold.ts'

const key = `sk-ant-${'x9Yz'.repeat(8)}`

function detailsWith(attempt: Partial<AttemptDetails>): CaseDetails {
  const steps = [{ attempts: [{ events: [], ...attempt }], executions: [] }]
  const end = { type: 'error', code: 'turn-failed', message: 'no' } as const
  return { runs: [{ number: 1, steps, otherExecutions: [], waits: [], end }], unused: [] }
}

test('details without a secret stay as they are', () => {
  const details = detailsWith({ error: 'nothing to hide' })
  expect(withhold(details, { env: {} })).toEqual(details)
})

test('details in which a key shows are withheld as a whole, without the key', () => {
  const request = { method: 'POST', url: 'https://api.example.com', headers: {}, body: `{"note":"${key}"}` }
  const { runs, withheld } = withhold(detailsWith({ request }), { env: {} })
  expect(runs).toEqual([])
  expect(withheld).toContain('anthropic-key')
  expect(withheld).not.toContain(key)
})

test('a key that arrives in pieces, event by event, is found', () => {
  const events = [key.slice(0, 9), key.slice(9)].map((text) => ({ type: 'text-delta', content: { part: 0, text } }))
  expect(withhold(detailsWith({ events }), { env: {} }).withheld).toContain('anthropic-key')
})

test('the value of a variable that is named as a secret is one', () => {
  const details = detailsWith({ error: 'failed with hunter2hunter2' })
  expect(withhold(details, { env: { ACME_TOKEN: 'hunter2hunter2' } }).withheld).toContain('environment:ACME_TOKEN')
})

test('the key of the run is no secret, and is replaced', () => {
  const details = withhold(detailsWith({ error: `refused ${canary}` }), { env: {} })
  expect(details.runs[0]?.steps[0]?.attempts[0]?.error).toBe('refused [redacted]')
})
