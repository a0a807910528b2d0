import { expect, test } from 'vitest'
import { alphanumericCallId, defaultCallId, wireToolName } from './names.ts'

test('ids that are made up are of letters and digits, as long as wanted, and stay apart', () => {
  const made = Array.from({ length: 500 }, (_, index) => alphanumericCallId(9)(`call_${index}`))
  expect(new Set(made).size).toBe(500)
  for (const id of made) expect(id).toMatch(/^[A-Za-z0-9]{9}$/)
  expect(alphanumericCallId(9)('abcDEF123')).toBe('abcDEF123')
})

test('ids and names are as long as OpenAI takes them', () => {
  const long = 'x'.repeat(80)
  expect(defaultCallId(long)).toMatch(/^[a-zA-Z0-9_-]{1,40}$/)
  expect(defaultCallId(long.slice(0, 40))).toHaveLength(40)
  expect(wireToolName(long, /^[a-zA-Z0-9_-]{1,64}$/)).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
})
