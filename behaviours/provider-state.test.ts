import { StepLoop, type Message } from '@steploop/core'
import { responsesServerPreset } from '../examples/presets.ts'
import { createXai } from '@steploop/xai'
import { describe, expect, test } from 'vitest'
import {
  ask,
  openaiModel,
  play,
  responsesAnswer,
  responsesCall,
  responsesText,
  serverOf,
  time,
  type Parsed,
} from './testing.ts'

const calls = (n: number) => responsesAnswer(`resp_${n}`, [responsesCall(`c${n}`, 'time', { tz: 'CET' })])
const done = responsesAnswer('resp_9', [responsesText('Noon.')])
const originals = { store: true, previous_response_id: 'resp_0', conversation: 'conv_1' }

/** What the bodies name of what the provider keeps. */
function named(bodies: readonly Parsed[]) {
  return bodies.map(({ store, previous_response_id: previous, conversation }) => [store, previous, conversation])
}

function kinds({ input }: Parsed): readonly string[] {
  return input.map(({ type, role }: Parsed) => role ?? type)
}

const result: Message = {
  role: 'tool',
  content: [{ type: 'tool-result', toolCallId: 'c0', toolName: 'time', output: { type: 'text', value: 'noon' } }],
}

test(
  'what a provider keeps is cleared with continuation off, and the result has the originals',
  { tags: ['H03'] },
  async () => {
    const { model, bodies } = openaiModel([calls(1), done], { store: true })
    const loop = new StepLoop({ model, tools: { time }, ...responsesServerPreset() })
    const providerOptions = { openai: { ...originals, user: 'u' }, anthropic: { x: 1 } }
    const { status, providerState, responseId, warnings } = await loop.generate('x', { providerOptions })
    expect(named(bodies)).toEqual([
      [false, undefined, undefined],
      [false, undefined, undefined],
    ])
    expect(bodies.map(({ user }) => user)).toEqual(['u', 'u'])
    expect(kinds(bodies[1])).toEqual(['user', 'function_call', 'function_call_output'])
    expect([status, responseId, providerState]).toEqual(['completed', 'resp_9', { openai: originals }])
    expect(warnings.map(({ type, path }) => [type, path])).toEqual([
      ['dropped', 'providerOptions.openai.store'],
      ['dropped', 'providerOptions.openai.previous_response_id'],
      ['dropped', 'providerOptions.openai.conversation'],
    ])
  },
)

test(
  'what a provider keeps is on the result of a run that a limit ended, where any was named',
  { tags: ['H03'] },
  async () => {
    const { model } = openaiModel([calls(1), calls(2), calls(3)])
    const loop = new StepLoop({ model, tools: { time }, ...responsesServerPreset(), maxSteps: 1 })
    const limited = await loop.generate('x', { providerOptions: { openai: originals } })
    expect([limited.status, limited.providerState]).toEqual(['incomplete', { openai: originals }])
    const { loop: plain } = play(['Hi.'], { providerOptions: { openai: { user: 'u' } } })
    expect((await plain.generate('x')).providerState).toBeUndefined()
  },
)

test('what a provider keeps is named once: the loop’s takes the place of the caller’s', { tags: ['H03'] }, async () => {
  const openai = openaiModel([calls(1), done], { store: true })
  const xai = serverOf([calls(1), done])
  const models = [openai.model, createXai({ apiKey: 'k-1234', fetch: xai.fetch, store: true })('grok-4')]
  const previous = { previous_response_id: 'resp_0' }
  const providerOptions = { openai: previous, xai: previous }
  for (const model of models) await new StepLoop({ model, tools: { time }, providerOptions }).generate('x')
  for (const { bodies } of [openai, xai]) {
    expect(named(bodies)).toEqual([
      [true, 'resp_0', undefined],
      [true, 'resp_1', undefined],
    ])
    expect(bodies.map(kinds)).toEqual([['user'], ['function_call_output']])
  }
})

test(
  'what a provider keeps without storage every turn goes on from the caller’s response',
  { tags: ['H03'] },
  async () => {
    const { model, bodies } = openaiModel([calls(1), done])
    const providerOptions = { openai: { previous_response_id: 'resp_0' } }
    await new StepLoop({ model, tools: { time }, providerOptions }).generate('x')
    expect(named(bodies)).toEqual([
      [false, 'resp_0', undefined],
      [false, 'resp_0', undefined],
    ])
    expect(kinds(bodies[1])).toEqual(['user', 'function_call', 'function_call_output'])
  },
)

test.each([true, undefined, false])(
  'what a provider keeps: a conversation gets each item once, with store %s',
  { tags: ['H03'] },
  async (store) => {
    const { model, bodies } = openaiModel([calls(1), done], { store })
    const providerOptions = { openai: { conversation: 'conv_1' } }
    await new StepLoop({ model, tools: { time }, providerOptions }).generate('x')
    expect(named(bodies)).toEqual([
      [store ?? true, undefined, 'conv_1'],
      [store ?? true, undefined, 'conv_1'],
    ])
    expect(bodies.map(kinds)).toEqual([['user'], ['function_call_output']])
  },
)

describe('a run', () => {
  const providerOptions = { openai: { previous_response_id: 'resp_0' } }

  test.each([
    ['answers by id', { toolOutputs: { c0: { output: 'noon' } } }],
    ['messages', { messages: [result] }],
  ] as const)(
    'a run begins with outputs alone, for calls behind a response: %s',
    { tags: ['L14'] },
    async (_form, input) => {
      const { model, bodies } = openaiModel([calls(1), done], { store: true })
      const { text, warnings, transcript } = await new StepLoop({ model, tools: { time } }).generate(input, {
        providerOptions,
      })
      expect([text, warnings]).toEqual(['Noon.', []])
      expect(bodies[0].input).toEqual([{ type: 'function_call_output', call_id: 'c0', output: 'noon' }])
      expect(named(bodies)).toEqual([
        [true, 'resp_0', undefined],
        [true, 'resp_1', undefined],
      ])
      expect(transcript.messages.map(({ role }) => role)).toEqual(['tool', 'assistant', 'tool', 'assistant'])
    },
  )

  test('a run that began with outputs alone is stored, and goes on', { tags: ['L14'] }, async () => {
    const { model, bodies } = openaiModel([responsesAnswer('resp_1', [responsesText('Noon.')]), done, done], {
      store: true,
    })
    const loop = new StepLoop({ model, tools: { time } })
    const first = await loop.generate({ toolOutputs: { c0: { error: 'no clock' } } }, { providerOptions })
    const transcript = JSON.parse(JSON.stringify(first.transcript))
    const second = await loop.generate({ transcript, prompt: 'And now?' })
    expect([named(bodies)[1], kinds(bodies[1]), second.warnings]).toEqual([[true, 'resp_1', undefined], ['user'], []])
  })

  test('a run does not begin with outputs of calls that nobody knows', { tags: ['L14'] }, async () => {
    const { model, bodies } = openaiModel([done])
    const loop = new StepLoop({ model, tools: { ask } })
    const refused = { code: 'invalid-input', message: expect.stringContaining('previous_response_id') }
    await expect(loop.generate({ toolOutputs: { c0: { output: 'x' } } })).rejects.toMatchObject(refused)
    const away = { continuation: 'off', providerOptions } as const
    await expect(loop.generate({ toolOutputs: { c0: { output: 'x' } } }, away)).rejects.toMatchObject(refused)
    await expect(loop.generate({ messages: [result] })).rejects.toMatchObject({ code: 'invalid-input' })
    const odd = { toolOutputs: { c0: { approved: true } } } as never
    await expect(loop.generate(odd, { providerOptions })).rejects.toMatchObject({ code: 'invalid-input' })
    expect(bodies).toEqual([])
  })
})
