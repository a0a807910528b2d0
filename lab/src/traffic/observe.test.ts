import { AdapterError, type AdapterErrorCode } from '@steploop/core'
import { decodeEvents } from '@steploop/core/testing'
import { expect, test } from 'vitest'
import { observe } from './observe.ts'

const origin = { provider: 'acme', model: 'm-1' }

function kindOf(code: AdapterErrorCode, status?: number): string | undefined {
  const error = new AdapterError({ ...origin, code, status })
  const { events, turn } = decodeEvents(() => {
    throw error
  }, origin)
  return observe({ events, turn, error, completed: false, crash: undefined }).error?.kind
}

// real-traffic/README.md, "Error kinds".
test.each([
  ['rate-limit', 429, 'rate-limit'],
  ['server-error', 500, 'server'],
  ['context-overflow', 400, 'context-overflow'],
  ['unknown', 200, 'unknown'],
] as const)('an error that the key has a word for is recognised by it: %s', (code, status, kind) => {
  expect(kindOf(code, status)).toBe(kind)
})

test.each([
  ['content-filter', 400, 'bad-request'],
  ['continuation-not-found', 400, 'bad-request'],
  ['continuation-not-found', 404, 'not-found'],
  ['timeout', 408, 'bad-request'],
  ['timeout', 504, 'server'],
  ['content-filter', 200, 'unknown'],
  ['content-filter', undefined, 'unknown'],
] as const)('one that it has no word for is recognised by its status: %s with %s', (code, status, kind) => {
  expect(kindOf(code, status)).toBe(kind)
})
