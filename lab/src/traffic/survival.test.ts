import { expect, it } from 'vitest'
import { parseRecording, type Interaction } from '@steploop/conformance/cli'
import { compareSurvival } from './survival.ts'

const first = `first-${'a'.repeat(90)}`
const second = `second${'b'.repeat(90)}`

function interaction(response: object): Interaction {
  const recording = parseRecording(JSON.stringify({ interactions: [{ response: { status: 200, ...response } }] }), 'a')
  return recording.interactions[0]!
}

const answer = interaction({
  body: {
    content: [
      { type: 'thinking', signature: first },
      { type: 'redacted_thinking', data: second },
    ],
  },
})

const sent = { messages: [{ content: [{ signature: first }, { type: 'redacted_thinking', data: second }] }] }

it('what the recorded client sent back has to be in our request, in its order', () => {
  expect(compareSurvival(answer, sent, JSON.stringify(sent))).toMatchObject({ lost: [], edited: false })
  const swapped = { content: [{ type: 'redacted_thinking', data: second }, { signature: first }] }
  expect(compareSurvival(answer, sent, JSON.stringify(swapped))?.lost).toHaveLength(1)
  expect(compareSurvival(answer, sent, '{}')?.lost).toHaveLength(2)
})

it('what the recorded client sent back is all that counts: what it left out we may leave out', () => {
  const part = { messages: [{ signature: first }] }
  expect(compareSurvival(answer, part, JSON.stringify(part))).toMatchObject({
    sentBack: [expect.any(String)],
    lost: [],
  })
})

it('what the recorded client sent back from another response is none of this one', () => {
  expect(compareSurvival(answer, { signature: 'c'.repeat(90) }, '{}')).toBeUndefined()
})

it('what the recorded client sent back in another order is an edited history', () => {
  const swapped = { content: [{ type: 'redacted_thinking', data: second }, { signature: first }] }
  expect(compareSurvival(answer, swapped, '{}')?.edited).toBe(true)
})

it('what the recorded client sent back in the URL-safe alphabet of base64 is the same', () => {
  const gemini = interaction({ body: { thoughtSignature: `+/${'d'.repeat(40)}` } })
  const theirs = { thoughtSignature: `-_${'d'.repeat(40)}` }
  const ours = JSON.stringify({ thoughtSignature: `+/${'d'.repeat(40)}` })
  expect(compareSurvival(gemini, theirs, ours)).toMatchObject({ sentBack: [expect.any(String)], lost: [] })
})

it('what the recorded client sent back is found in a stream whose signature came in pieces', () => {
  const event = (signature: string): string =>
    `event: content_block_delta\ndata: ${JSON.stringify({ index: 0, delta: { signature } })}\n\n`
  const streamed = interaction({ sse: event(first.slice(0, 40)) + event(first.slice(40)) })
  expect(compareSurvival(streamed, { signature: first }, '{}')?.lost).toHaveLength(1)
})

it('what the recorded client sent back includes the ids of reasoning items, which are refused without', () => {
  const responses = interaction({
    body: {
      output: [
        { type: 'reasoning', id: 'rs_1' },
        { type: 'message', id: 'm_1' },
      ],
    },
  })
  const theirs = {
    input: [
      { type: 'reasoning', id: 'rs_1' },
      { type: 'message', id: 'm_1' },
    ],
  }
  expect(compareSurvival(responses, theirs, '{}')).toMatchObject({ sentBack: ['rs/1'], lost: ['rs/1'] })
})
