import { expect, test } from 'vitest'
import { type Transcript } from '@steploop/core'
import { scriptedAdapter } from '@steploop/core/testing'
import type { MakeWholeLoop } from '../loop.ts'
import { failing } from './parts.ts'

export function testMigratedTranscripts(makeLoop: MakeWholeLoop): void {
  const messages = [{ role: 'user', content: 'Grüezi' }]

  /** What comes from a file has any type. */
  function run(stored: unknown, script: readonly string[] = ['Hallo.']) {
    const model = scriptedAdapter(script)
    return { model, result: makeLoop({ model }).generate({ transcript: stored as Transcript, prompt: 'Und?' }) }
  }

  test('a stored transcript of version 0 goes on as one of this version, with an id that its conversation decides', async () => {
    const { model, result } = run({ version: 0, messages })
    const { transcript } = await result
    expect(model.requests[0]?.request.messages.map(({ content }) => content)).toEqual(['Grüezi', 'Und?'])
    expect(transcript).toMatchObject({ version: 1, pendingCalls: [] })
    expect((await run({ version: 0, messages }).result).transcript.id).toBe(transcript.id)
    const other = run({ version: 0, messages: [{ role: 'user', content: 'Guete Morge' }] })
    expect((await other.result).transcript.id).not.toBe(transcript.id)
  })

  test('a stored transcript of version 0 is checked like any other after its migration', async () => {
    await expect(run({ version: 0, messages: 'lost' }).result).rejects.toMatchObject({ code: 'invalid-transcript' })
  })

  test.each([2, 1.5, -1, '1', null])(
    'a stored transcript of the unknown version %j is refused with its version',
    async (version) => {
      const { model, result } = run({ version, id: 't', messages, pendingCalls: [] })
      await expect(result).rejects.toThrow(failing('transcript-version', `version ${String(version)}`))
      expect(model.requests).toHaveLength(0)
    },
  )
}
