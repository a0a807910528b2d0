import { createHash, createHmac } from 'node:crypto'
import {
  finalMessage,
  iterations,
  signTranscript,
  tool,
  toolInvocations,
  visibleMessages,
  type StepLoopOptions,
  type Transcript,
} from '@steploop/core'
import { scriptedAdapter, type ScriptedTurn } from '@steploop/core/testing'
import { expect, test } from 'vitest'
import { z } from 'zod'
import type { MakeWholeLoop } from '../loop.ts'
import { stored } from '../scenario.ts'
import { call } from './parts.ts'
import { structuredToolName } from '../structured-tool.ts'

export function testConversations(makeLoop: MakeWholeLoop): void {
  const time = tool({ inputSchema: z.object({ tz: z.string() }), execute: ({ tz }) => `noon in ${tz}` })
  const ask = tool({ inputSchema: z.object({}) })
  const play = (script: readonly ScriptedTurn[], options: Partial<StepLoopOptions> = {}) =>
    makeLoop({ model: scriptedAdapter(script), tools: { time, ask }, ...options })
  /** FNV-1a, 32 bits, over UTF-16 units. */
  const fnv = (text: string): number =>
    text.split('').reduce((hash, letter) => Math.imul(hash ^ letter.charCodeAt(0), 0x01000193) >>> 0, 0x811c9dc5)

  test('a transcript tells its final message, its calls with results, its iterations', { tags: ['H12'] }, async () => {
    const loop = play([[call('time', { tz: 'CET' })], 'Noon.', [call('ask', {})]])
    const first = await loop.generate('x')
    const { transcript } = await loop.generate({ transcript: first.transcript, prompt: 'Ask me.' })
    const kept = stored(transcript)
    expect(finalMessage(first.transcript)).toEqual(first.messages.at(-1))
    expect(toolInvocations(kept)).toMatchObject([
      { call: { toolName: 'time', input: { tz: 'CET' } }, result: { output: { value: 'noon in CET' } } },
      { call: { toolName: 'ask' }, result: undefined },
    ])
    const { turns: _, ...older } = kept
    expect([iterations(first.transcript), iterations(kept), iterations(older)]).toEqual([2, 3, 3])
    expect(iterations({ ...kept, turns: 7 })).toBe(7)
  })

  test('a transcript tells what people may read: no hidden call, the object as JSON', { tags: ['H12'] }, async () => {
    const give = (city: unknown) => call(structuredToolName, { city })
    const loop = play(
      [[{ type: 'text', text: 'Let me see.' }, call('time', { tz: 'CET' })], [give(1)], 'Hm.', [give('Paris')]],
      { output: { schema: z.object({ city: z.string() }), maxRepairs: 2 } },
    )
    const { transcript } = await loop.generate({
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Where?' },
      ],
    })
    const kept = stored(transcript)
    const shown = visibleMessages(kept)
    expect(shown.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool', 'assistant', 'assistant'])
    expect(JSON.stringify(shown)).not.toContain(structuredToolName)
    expect(shown.at(-1)).toMatchObject({ role: 'assistant', content: [{ type: 'text', text: '{"city":"Paris"}' }] })
    expect(shown.slice(0, 4)).toEqual(kept.messages.slice(0, 4))
    expect(toolInvocations(kept).map(({ call: { toolName } }) => toolName)).toEqual(['time'])
  })

  test('what a provider keeps is left out with continuation off, each with a warning, and named by the result', async () => {
    const model = scriptedAdapter(['done'])
    const kept = { store: true, previous_response_id: 'r', previousResponseId: 'r', conversation: 'c' }
    const providerOptions = { toy: { ...kept, user: 'u' }, other: { store: false, x: 1 }, none: { store: undefined } }
    const loop = makeLoop({ model, continuation: 'off', providerOptions })
    const { providerState, warnings } = await loop.generate('x')
    expect(model.requests[0]?.request.providerOptions).toEqual({ toy: { user: 'u' }, other: { x: 1 }, none: {} })
    expect(providerState).toEqual({ toy: kept, other: { store: false } })
    const dropped = Object.keys(kept).map((name) => ['dropped', `providerOptions.toy.${name}`])
    expect(warnings.map(({ type, path }) => [type, path])).toEqual(dropped)
    expect(warnings[0]?.message).toContain('`result.providerState` has it')
  })

  test('what one provider keeps is named by the result with continuation too, and stays in the request', async () => {
    for (const continuation of ['auto', 'off'] as const) {
      const model = scriptedAdapter(['done'])
      const providerOptions = { toy: { store: true, user: 'u' } }
      const { providerState, warnings } = await makeLoop({ model, continuation, providerOptions }).generate('x')
      const isKept = continuation === 'auto'
      expect([providerState, warnings.length]).toEqual([{ toy: { store: true } }, isKept ? 0 : 1])
      const sent = isKept ? providerOptions : { toy: { user: 'u' } }
      const { request } = model.requests[0] ?? {}
      expect([request?.providerOptions, request?.stateless]).toEqual([sent, isKept ? undefined : true])
    }
  })

  test('what an approval is bound to is SHA-256 of the tool, and of its arguments: stored ones hold in every release', async () => {
    const schema = { type: 'object', properties: { to: { type: 'string' } } } as const
    const pay = tool({ description: 'Pays', inputSchema: schema, needsApproval: true, execute: () => 1 })
    const { transcript } = await play([[call('pay', { to: 'Ada' })]], { tools: { pay } }).generate('x')
    const sha = (text: string): string => createHash('sha256').update(text).digest('base64url')
    const declared =
      '{"description":"Pays","name":"pay","schema":{"properties":{"to":{"type":"string"}},"type":"object"}}'
    const definition = sha(declared)
    const bound = `${definition}.${sha(`${definition}\n[{"to":"Ada"},{"to":"Ada"}]`)}`
    expect(transcript.pendingCalls[0]?.hash).toBe(bound)
  })

  test('a signature is HMAC-SHA-256 of key, audience and transcript: stored ones hold in every release', async () => {
    const key = { id: 'k', secret: 'thirty-two bytes of a test secret' }
    const transcript: Transcript = { version: 1, id: 't', messages: [], pendingCalls: [] }
    const text = '{"id":"t","messages":[],"pendingCalls":[],"version":1}'
    for (const audience of ['user 1', undefined]) {
      const signed = JSON.stringify(['steploop-transcript', 1, 'k', audience ?? '', text])
      const hmac = createHmac('sha256', key.secret).update(signed).digest('base64url')
      expect((await signTranscript(transcript, { keys: [key], audience })).signature).toBe(`k.${hmac}`)
    }
  })

  test('the key of a call is made of the conversation, the turn, the call and its arguments, in every release', async () => {
    const keys: string[] = []
    const pay = tool({ inputSchema: z.object({}), execute: (_, { idempotencyKey }) => void keys.push(idempotencyKey) })
    const loop = play([[call('pay', {})], [call('pay', {})], 'done'], { tools: { pay } })
    const { transcript } = await loop.generate('x')
    const hash = fnv('pay {}').toString(36).padStart(7, '0')
    expect(keys).toEqual([1, 2].map((turn) => `${transcript.id}:${turn}:call_${turn - 1}_0:${hash}`))
  })
}
