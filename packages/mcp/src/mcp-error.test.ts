import { createRedactor } from '@steploop/core/adapter'
import { expect, test } from 'vitest'
import { plainCause } from './mcp-error.ts'

test('a long message is not cut within a secret, of which a piece would be left', () => {
  const secret = 's3cr3t0123456789'
  const redact = createRedactor([secret])
  const pieces = Array.from({ length: secret.length }, (_, at) => `${'x'.repeat(500 - at)}${secret} and more`)
  expect(
    pieces.map((text) => plainCause(new Error(text), redact).message).filter((said) => said.includes('s3')),
  ).toEqual([])
})
