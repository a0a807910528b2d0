import { describe, expect, test } from 'vitest'
import { readStream, readWhole } from './testing.ts'

const finished = [{ finish_reason: 'stop' }, '[DONE]']

test.each([
  ['SUQzBAAA', 'audio/mpeg'],
  ['//vQAAAA', 'audio/mpeg'],
  ['//PQAAAA', 'audio/mpeg'],
  ['ZkxhQwAA', 'audio/flac'],
  ['T2dnUwAA', 'audio/ogg'],
  ['//FQAAAA', 'audio/aac'],
  ['AAAAAAAA', 'audio/pcm'],
])('an answer in audio that begins with %s is %s', (data, mediaType) => {
  const { message } = readWhole({ content: null, audio: { id: 'a', data } }).turn
  expect(message.content).toMatchObject([{ mediaType, providerMetadata: { data: { audio: { id: 'a' } } } }])
  expect(message.content).not.toHaveProperty('0.providerMetadata.data.audio.transcript')
})

test('an answer in audio may come in pieces, each padded on its own', () => {
  const { turn } = readStream([
    { audio: { id: 'audio_1', transcript: 'Hel' } },
    { audio: { data: 'AQ==' } },
    { audio: { data: 'AgM=', transcript: 'lo.' } },
    { audio: { expires_at: 9 } },
    ...finished,
  ])
  const wire = { data: { audio: { id: 'audio_1', transcript: 'Hello.', expires_at: 9 } } }
  expect(turn.message.content).toMatchObject([
    { type: 'file', mediaType: 'audio/pcm', data: 'AQID', providerMetadata: wire },
  ])
})

describe('the legacy `function_call`', () => {
  const functionCall = { name: 'get_weather', arguments: '{"city":"Oslo"}' }

  test('the legacy `function_call` is not run, and a warning says so', () => {
    for (const { turn } of [
      readWhole({ content: null, function_call: functionCall }, { finish: 'function_call' }),
      readStream([
        { function_call: { name: 'get_weather', arguments: '' } },
        { function_call: { arguments: '{}' } },
        { finish_reason: 'function_call' },
        '[DONE]',
      ]),
    ]) {
      expect(turn.warnings).toMatchObject([{ type: 'dropped', path: 'message.function_call' }])
      expect(turn.warnings[0]?.message).toContain("'get_weather'")
      expect(turn.message.content).toEqual([])
    }
  })
})
