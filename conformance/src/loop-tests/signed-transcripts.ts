import { expect, test } from 'vitest'
import { z } from 'zod'
import { signTranscript, tool, verifyTranscript, type Transcript } from '@steploop/core'
import { scriptedAdapter } from '@steploop/core/testing'
import type { MakeWholeLoop } from '../loop.ts'
import { stored } from '../scenario.ts'

export function testSignedTranscripts(makeLoop: MakeWholeLoop): void {
  const old = { id: '2026-10', secret: 'an older secret of 32 bytes or so' }
  const current = { id: '2026-11', secret: new TextEncoder().encode('a newer secret, which is also long') }
  const keys = [current, old]

  const pay = tool({ inputSchema: z.object({ amount: z.number() }), needsApproval: true, execute: () => 'paid' })

  async function suspended() {
    const call = { type: 'call', toolName: 'pay', input: { amount: 5 } } as const
    const loop = makeLoop({ model: scriptedAdapter([[call], 'done']), tools: { pay } })
    const { transcript } = await loop.generate('buy')
    return { loop, transcript }
  }

  test('a signed transcript comes back from JSON as what was signed, and its run goes on', async () => {
    const { loop, transcript } = await suspended()
    const signed = stored(await signTranscript(transcript, { keys, audience: 'user 1' }))
    expect(signed.signature).toMatch(/^2026-11\.[\w-]{43}$/)
    const verified = await verifyTranscript(signed, { keys, audience: 'user 1' })
    expect(verified).toEqual(stored(transcript))
    const { text } = await loop.generate({ transcript: verified, toolOutputs: { '*': { approved: true } } })
    expect(text).toBe('done')
  })

  test('a signed transcript does not depend on the order of members, which a store may change', async () => {
    const { transcript } = await suspended()
    const { signature, ...rest } = await signTranscript(transcript, { keys })
    const reordered = Object.fromEntries(Object.entries({ ...rest, signature }).toReversed())
    expect(await verifyTranscript(reordered, { keys })).toEqual(transcript)
  })

  test.each<[string, (transcript: Transcript) => unknown]>([
    [
      'message',
      (signed) => ({ ...signed, messages: [{ role: 'user', content: 'sell' }, ...signed.messages.slice(1)] }),
    ],
    ['pending input', (signed) => stored(JSON.parse(JSON.stringify(signed).replaceAll('"amount":5', '"amount":6')))],
    ['pending call', (signed) => ({ ...signed, pendingCalls: [] })],
    ['count', (signed) => ({ ...signed, progress: undefined })],
    ['member more', (signed) => ({ ...signed, admin: true })],
    ['signature', (signed) => ({ ...signed, signature: `2026-11.${'A'.repeat(43)}` })],
    ['signature that is none', (signed) => ({ ...signed, signature: '2026-11.%%%' })],
    ['key that nobody has', (signed) => ({ ...signed, signature: 'other.AAAA' })],
    ['lost signature', ({ ...signed }) => ({ ...signed, signature: undefined })],
    ['text in its place', () => 'transcript'],
  ])('a signed transcript is refused with another %s', async (_what, alter) => {
    const { transcript } = await suspended()
    const signed = await signTranscript(transcript, { keys })
    const verified = verifyTranscript(alter(signed), { keys })
    await expect(verified).rejects.toMatchObject({ code: 'invalid-transcript' })
  })

  test('what is written to a signed transcript while it is verified is not taken for what was signed', async () => {
    const { transcript } = await suspended()
    const signed = stored(await signTranscript(transcript, { keys }))
    const verifying = verifyTranscript(signed, { keys })
    Object.assign(signed.pendingCalls[0]!, { input: { amount: 6 } })
    expect(await verifying).toEqual(stored(transcript))
  })

  test('a signed transcript is refused for another audience, and for none', async () => {
    const { transcript } = await suspended()
    const signed = await signTranscript(transcript, { keys, audience: 'user 1' })
    for (const audience of ['user 2', undefined]) {
      await expect(verifyTranscript(signed, { keys, audience })).rejects.toMatchObject({ code: 'invalid-transcript' })
    }
  })

  test('a signed transcript holds as long as its key is among the keys', async () => {
    const { transcript } = await suspended()
    const signed = await signTranscript(transcript, { keys: [old] })
    expect(await verifyTranscript(signed, { keys })).toEqual(transcript)
    await expect(verifyTranscript(signed, { keys: [current] })).rejects.toMatchObject({ code: 'invalid-transcript' })
    const forged = { ...signed, signature: signed.signature.replace('2026-10', '2026-11') }
    await expect(verifyTranscript(forged, { keys })).rejects.toMatchObject({ code: 'invalid-transcript' })
  })

  test('a signed transcript is signed anew when it was signed before', async () => {
    const { transcript } = await suspended()
    const twice = await signTranscript(await signTranscript(transcript, { keys: [old] }), { keys })
    expect(await verifyTranscript(twice, { keys })).toEqual(transcript)
  })

  test.each([
    [{ keys: [] }, /no key/],
    [{}, /no key/],
    [{ keys: [{ id: 'a', secret: 'short' }] }, /keys\[0\].*32 bytes/],
    [{ keys: [{ id: 'a.b', secret: old.secret }] }, /keys\[0\].*id/],
    [{ keys: [current, { id: 'b' }] }, /keys\[1\].*secret/],
    [{ keys: [current], audience: 7 }, /audience/],
  ])('keys that are none are refused without being shown: %#', async (given, message) => {
    const { transcript } = await suspended()
    const options = given as unknown as { readonly keys: typeof keys }
    const failed: unknown = await signTranscript(transcript, options).catch((error: unknown) => error)
    expect(failed).toMatchObject({ code: 'invalid-options', message: expect.stringMatching(message) })
    expect(String(failed)).not.toContain('short')
  })
}
