import { expect, test } from 'vitest'
import type { Transcript } from '../contract/transcript.ts'
import { signTranscript, verifyTranscript, type SigningOptions } from './sign-transcript.ts'

const transcript: Transcript = { version: 1, id: 'id', messages: [], pendingCalls: [] }
const secret = 'x'.repeat(32)
const options: SigningOptions = { keys: [{ id: 'k', secret }] }

test('what was signed verifies, whatever letters its signature has', async () => {
  for (let index = 0; index < 20; index++) {
    const signed = await signTranscript({ ...transcript, id: `id ${index}` }, options)
    expect(await verifyTranscript(signed, options)).toEqual({ ...transcript, id: `id ${index}` })
  }
})

test('a transcript that verifies is what was signed, whatever else has the same JSON', async () => {
  const pending = { toolCallId: 'a', toolName: 'pay', reason: 'client-tool', input: { least: null, most: 0 } } as const
  const signed = JSON.stringify(await signTranscript({ ...transcript, pendingCalls: [pending] }, options))
  const changed = signed.replace('"least":null', '"least":1e999').replace('"most":0', '"most":-0')
  const verified = await verifyTranscript(JSON.parse(changed), options)
  expect(verified.pendingCalls).toStrictEqual([pending])
})

test.each<[string, object, RegExp]>([
  ['no signature', {}, /no signature/],
  ['another key', { signature: 'other.AAAA' }, /not among `keys`/],
  ['another signature', { signature: 'k.AAAA' }, /not what was signed/],
  ['what no JSON can say', { signature: 'k.AAAA', extra: 1n }, /not what was signed/],
])('a transcript is not trusted with %s', async (_what, more, message) => {
  const refused = verifyTranscript({ ...transcript, ...more }, options)
  await expect(refused).rejects.toMatchObject({ code: 'invalid-transcript', message: expect.stringMatching(message) })
})

test.each([
  '{"keys":{}}',
  '{"keys":[null]}',
  `{"keys":[{"id":7,"secret":"${secret}"}]}`,
  `{"keys":[{"id":"k","secret":"${secret.slice(1)}"}]}`,
])('keys that are none are told before anything is signed: %s', async (text) => {
  const none = JSON.parse(text) as SigningOptions
  await expect(signTranscript(transcript, none)).rejects.toMatchObject({ code: 'invalid-options' })
})
