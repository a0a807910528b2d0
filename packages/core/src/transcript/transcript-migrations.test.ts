import { expect, test } from 'vitest'
import { StepLoop, type Transcript } from '../index.ts'
import { scriptedAdapter } from '../testing/index.ts'
import {
  migrateTranscript,
  transcriptMigrations,
  transcriptVersion,
  type TranscriptMigration,
} from './transcript-migrations.ts'

const messages = [{ role: 'user', content: 'Grüezi' }]

/** What comes from a file has any type. */
function run(stored: unknown, script: readonly string[] = ['Hallo.']) {
  const model = scriptedAdapter(script)
  return { model, result: new StepLoop({ model }).generate({ transcript: stored as Transcript, prompt: 'Und?' }) }
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

test('a stored transcript of this version is not touched', () => {
  const stored = { version: 1, id: 't', messages, pendingCalls: [] }
  expect(migrateTranscript(stored)).toBe(stored)
})

test('a stored transcript of version 0 is checked like any other after its migration', async () => {
  await expect(run({ version: 0, messages: 'lost' }).result).rejects.toMatchObject({ code: 'invalid-transcript' })
})

test.each([2, 1.5, -1, '1', null])(
  'a stored transcript of the unknown version %j is refused with its version',
  async (version) => {
    const { model, result } = run({ version, id: 't', messages, pendingCalls: [] })
    await expect(result).rejects.toMatchObject({
      code: 'transcript-version',
      message: expect.stringContaining(`version ${String(version)}`),
    })
    expect(model.requests).toHaveLength(0)
  },
)

test('migrations are applied one after the other', () => {
  const steps = new Map<number, TranscriptMigration>([
    [0, () => ({ version: 1, names: ['zero'] })],
    [1, (stored) => ({ ...stored, version: 2, later: true })],
  ])
  expect(migrateTranscript({ version: 0 }, steps, 2)).toEqual({ version: 2, names: ['zero'], later: true })
  expect(migrateTranscript({ version: 1 }, steps, 2)).toEqual({ version: 2, later: true })
})

test('migrations exist for every version below that of this package', () => {
  const versions = Array.from({ length: transcriptVersion }, (_, version) => version)
  expect([...transcriptMigrations.keys()]).toEqual(versions)
})
