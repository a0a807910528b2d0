import { expect, test } from 'vitest'
import { readings } from './encodings.ts'

const secret = 'the secret is sk-test-0123456789abcdef'

test('what is base64 is read as what it says, wherever it stands and however long it is', () => {
  expect(readings(`{"a":"${btoa(secret)}"}`)).toContain(secret)
  const long = `${'long text '.repeat(20_000)}${secret}`
  expect(readings(btoa(long))).toContain(long)
})

test('runs of many megabytes are read too', () => {
  expect(readings('A'.repeat(20_000_000))).toHaveLength(1)
  expect(readings('%41'.repeat(1_000_000))[1]).toBe('A'.repeat(1_000_000))
})
