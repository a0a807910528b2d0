import { expect, test } from 'vitest'
import { isSecretHeader } from './secret-header.ts'

const secret =
  'Authorization proxy-authorization x-auth X-Auth-Token x-oauth Cookie x-api-key api-key apikey x-goog-api-key Ocp-Apim-Subscription-Key x-apikey x_access_token x-accesstoken x-amz-security-token x-client-secret clientSecret x-password x-credentials x-portkey-virtual-key session-key authtoken'

test.each(secret.split(' '))('the value of %s is a secret', (name) => {
  expect(isSecretHeader(name)).toBe(true)
})

const plain =
  'x-portkey-provider x-author x-authored-by x-tokenizer x-max-tokens x-keyboard x-monkey x-keystone content-type user-agent x-secretary x-cookiecutter openai-organization'

test.each(plain.split(' '))('the value of %s is none: only whole words count', (name) => {
  expect(isSecretHeader(name)).toBe(false)
})
