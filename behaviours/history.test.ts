import { finalMessage, iterations, toolInvocations, visibleMessages, type Transcript } from '@steploop/core'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { call, play } from './testing.ts'

test('a transcript tells its final message, its calls with results, its iterations', { tags: ['H12'] }, async () => {
  const { loop } = play([[call('time', { tz: 'CET' })], 'Noon.', [call('ask', { question: '?' })]])
  const first = await loop.generate('x')
  const { transcript } = await loop.generate({ transcript: first.transcript, prompt: 'Ask me.' })
  const stored = JSON.parse(JSON.stringify(transcript))
  expect(finalMessage(first.transcript)).toEqual(first.messages.at(-1))
  expect(toolInvocations(stored)).toMatchObject([
    { call: { toolName: 'time', input: { tz: 'CET' } }, result: { output: { value: 'noon in CET' } } },
    { call: { toolName: 'ask' }, result: undefined },
  ])
  expect([iterations(first.transcript), iterations(stored)]).toEqual([2, 3])
  const typed = play([[call('output_structured_data', { city: 'Paris' })]], {
    output: { schema: { type: 'object' } },
  })
  expect(toolInvocations((await typed.loop.generate('x')).transcript)).toEqual([])
})

test('a transcript tells what people may read: no hidden call, the object as JSON', { tags: ['H12'] }, async () => {
  const give = (city: unknown) => call('output_structured_data', { city })
  const output = { schema: z.object({ city: z.string() }) }
  const { loop } = play(
    [[{ type: 'text', text: 'Let me see.' }, call('time', { tz: 'CET' })], [give(1)], 'Hm.', [give('Paris')]],
    {
      output: { ...output, maxRepairs: 2 },
    },
  )
  const stored: Transcript = JSON.parse(JSON.stringify((await loop.generate('Where?')).transcript))
  const shown = visibleMessages(stored)
  expect(shown.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant', 'assistant'])
  expect(JSON.stringify(shown)).not.toContain('output_structured_data')
  expect(shown.at(-1)).toMatchObject({ role: 'assistant', content: [{ type: 'text', text: '{"city":"Paris"}' }] })
  expect(shown.slice(0, 3)).toEqual(stored.messages.slice(0, 3))
})
