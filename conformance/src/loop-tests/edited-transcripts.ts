import { expect, test } from 'vitest'
import { z } from 'zod'
import {
  tool,
  type Message,
  type RunInput,
  type RunProgress,
  type StepLoopOptions,
  type Transcript,
} from '@steploop/core'
import { scriptedAdapter } from '@steploop/core/testing'
import type { MakeWholeLoop } from '../loop.ts'
import { stored } from '../scenario.ts'
import { call, failing } from './parts.ts'

export function testEditedTranscripts(makeLoop: MakeWholeLoop): void {
  // A store that loses a part, a migration, or somebody who writes to it.

  const inputSchema = z.object({})
  const ask = tool({ inputSchema })
  const pay = tool({ inputSchema, needsApproval: true, execute: () => 'paid' })
  const look = tool({ inputSchema, execute: () => 'seen' })
  const tools = { ask, pay, look }

  function loopOf(options: Partial<StepLoopOptions> = {}) {
    const model = scriptedAdapter([[call('ask', {}, 'a'), call('look', {}, 'l'), call('pay', {}, 'p')], 'done'])
    return { model, loop: makeLoop({ model, tools, ...options }) }
  }

  /** Calls a and p wait, l has its result. */
  async function suspended(): Promise<Transcript> {
    return stored((await loopOf().loop.generate('x')).transcript)
  }

  /** The turn is played; what comes next is the answer. */
  async function goOn(input: RunInput) {
    const { model, loop } = loopOf({ model: scriptedAdapter(['done']) })
    return { model, result: await loop.generate(input) }
  }

  const resultsIn = ({ messages }: Transcript) =>
    messages.flatMap((message) =>
      message.role === 'tool'
        ? message.content.map(({ toolCallId, output }) => [
            toolCallId,
            output.type === 'error' ? output.value.code : output.value,
          ])
        : [],
    )

  const lost = (id: string) => ({
    type: 'repaired',
    path: 'messages[1]',
    message: `call '${id}' had no result and was answered 'not-executed'`,
  })

  test('a call that a store lost is answered in its order, and the application is told which', async () => {
    const transcript = await suspended()
    const pendingCalls = transcript.pendingCalls.filter(({ toolCallId }) => toolCallId === 'p')
    const toolOutputs = { p: { approved: true } } as const
    const { result } = await goOn({ transcript: { ...transcript, pendingCalls }, toolOutputs })
    expect(resultsIn(result.transcript)).toEqual([
      ['a', 'not-executed'],
      ['l', 'seen'],
      ['p', 'paid'],
    ])
    expect(result.warnings).toEqual([lost('a')])
  })

  test('results that a store lost are those of calls that nobody ran', async () => {
    const transcript = await suspended()
    const messages = transcript.messages.filter(({ role }) => role !== 'tool')
    const toolOutputs = { a: { output: 1 }, p: { approved: false } } as const
    const { result } = await goOn({ transcript: { ...transcript, messages }, toolOutputs })
    expect(resultsIn(result.transcript)).toEqual([
      ['a', 1],
      ['l', 'not-executed'],
      ['p', 'denied'],
    ])
    const told = { type: 'error', value: { code: 'not-executed', message: 'This call was not run.' } }
    expect(result.transcript.messages.at(2)).toMatchObject({ content: [{}, { output: told }, {}] })
    expect(result.warnings).toEqual([lost('l')])
  })

  test('what a store lost in steps that are over is told of, with what is wrong in messages after them', async () => {
    const orphan = {
      type: 'tool-result',
      toolCallId: 'x',
      toolName: 'look',
      output: { type: 'text', value: '' },
    } as const
    const next = [
      { role: 'tool', content: [orphan] },
      { role: 'user', content: 'And?' },
    ] as const
    const { loop } = loopOf({ model: scriptedAdapter([[call('look', {}, 'l')], 'done', [call('ask', {}, 'a')]]) })
    const over = (await loop.generate('x')).transcript
    const open = (await loop.generate({ transcript: over, prompt: 'y' })).transcript
    for (const transcript of [over, open]) {
      const messages = transcript.messages.filter(({ role }) => role !== 'tool')
      const { result } = await goOn({ transcript: { ...transcript, messages }, messages: next })
      expect(result.warnings.map(({ message }) => message)).toEqual([
        "call 'l' had no result and was answered 'not-executed'",
        "a result without a call ('x') was dropped",
      ])
    }
  })

  test.each([
    ['plain data', <Data extends object>(data: Data): Data => data],
    ['entities of a store', <Data extends object>(data: Data): Data => Object.assign(Object.create({}), data)],
  ])(
    'the open step of a transcript, and the answers to it, stay as they were given, whoever writes to %s',
    async (_what, made) => {
      const given = structuredClone(await suspended())
      const pendingCalls = given.pendingCalls.map((waiting) => made<{ toolCallId: string }>({ ...waiting }))
      const transcript = { ...given, pendingCalls } as unknown as Transcript
      const message = transcript.messages[1] as { content: unknown }
      const { loop } = loopOf({ model: scriptedAdapter(['done']) })
      const toolOutputs = made({ a: made({ output: [1] }), p: made({ approved: false }) })
      const running = loop.generate({ transcript, toolOutputs })
      message.content = []
      toolOutputs.a.output.push(2)
      toolOutputs.p.approved = true
      for (const waiting of pendingCalls) waiting.toolCallId = 'other'
      const result = await running
      expect(result.transcript.messages[1]?.content).toHaveLength(3)
      expect(resultsIn(result.transcript)).toEqual([
        ['a', [1]],
        ['l', 'seen'],
        ['p', 'denied'],
      ])
    },
  )

  test('a count of turns that a store lost is that of the answers of the model', async () => {
    const { turns, ...uncounted } = await suspended()
    expect(turns).toBe(1)
    const toolOutputs = { a: { output: 1 }, p: { approved: false } } as const
    expect((await goOn({ transcript: uncounted, toolOutputs })).result.transcript.turns).toBe(2)
    const unanswered = { ...uncounted, messages: [{ role: 'user', content: 'x' }], pendingCalls: [] } as const
    expect((await goOn({ transcript: unanswered })).result.transcript.turns).toBe(1)
    const spoken = [...unanswered.messages, { role: 'assistant', content: 'Hm.' }, ...unanswered.messages] as const
    expect((await goOn({ messages: spoken })).result.transcript.turns).toBe(2)
  })

  test('a call that waits with other arguments than it has runs with neither', async () => {
    const transcript = await suspended()
    const [first, ...others] = transcript.pendingCalls
    const named = { ...transcript, pendingCalls: [{ ...first!, toolName: 'look' }, ...others] }
    const refused = failing('invalid-transcript', "Call 'a' waits with another tool")
    await expect(goOn(named)).rejects.toThrow(refused)
    await expect(goOn(named)).rejects.toMatchObject({ transcript: named })
  })

  const progress: RunProgress = {
    steps: 1,
    toolCalls: 0,
    tokens: 0,
    cost: 0,
    lastTokens: 0,
    lastCost: 0,
    batches: [],
    nudged: false,
  }
  const without = (name: keyof RunProgress) => ({ progress: { ...progress, [name]: undefined } })
  const cutOff = (message: Message): unknown =>
    message.role === 'assistant'
      ? { ...message, content: message.content.map((part) => ({ ...part, invalid: 'truncated' })) }
      : message

  test.each<[string, (transcript: Transcript) => object | number | null]>([
    ['it is not an object', () => ({ transcript: 5 })],
    ['it is not an object', () => ({ transcript: null })],
    ['it is not an object', () => ({ transcript: [] })],
    [
      "pending call 'l' has its result already",
      ({ pendingCalls }) => ({
        pendingCalls: [...pendingCalls, { toolCallId: 'l', toolName: 'look', input: {}, reason: 'approval' }],
      }),
    ],
    [
      "messages[3] has the call id 'a', which an earlier call has",
      ({ messages }) => ({ messages: [...messages, messages[1]], pendingCalls: [] }),
    ],
    [
      "messages[3] has a result for 'l', which no call before it waits for",
      ({ messages }) => ({ messages: [...messages, messages[2]], pendingCalls: [] }),
    ],
    ["pending call 'a' was cut off", ({ messages }) => ({ messages: messages.map(cutOff) })],
    [
      '`pendingCalls` is not empty, but the transcript does not end with the calls',
      ({ messages }) => ({ messages: [...messages, { role: 'user', content: 'And?' }] }),
    ],
    ['`progress` cannot be an', () => ({ progress: [] })],
    ['`progress` cannot be an', () => ({ progress: { ...progress, batches: 'none' } })],
    ['`progress` cannot be an', () => ({ progress: { ...progress, nudged: 0 } })],
    ['`progress` cannot be an', () => ({ progress: { ...progress, steps: -1 } })],
    ['`progress` cannot be an', () => ({ progress: { ...progress, tokens: '7' } })],
    ['`progress` cannot be an', () => without('lastCost')],
    ['`progress` cannot be an', () => without('nudged')],
    ['`progress` cannot be an', () => without('batches')],
  ])('an edited transcript is refused before anything runs: %s', async (what, edit) => {
    const transcript = await suspended()
    const edited = edit(transcript) as Partial<Transcript>
    const input = { transcript: 'transcript' in edited ? edited.transcript : { ...transcript, ...edited } } as RunInput
    await expect(goOn(input)).rejects.toThrow(failing('invalid-transcript', what))
  })

  test('what was counted is taken as it was written', async () => {
    const counted = { ...(await suspended()), progress }
    const toolOutputs = { a: { output: 1 }, p: { approved: true } } as const
    const { result } = await goOn({ transcript: counted, toolOutputs })
    expect([result.status, result.warnings]).toEqual(['completed', []])
  })

  test('a tool that is another one now takes no answer that was meant for the first', async () => {
    const transcript = await suspended()
    const answers = { a: { output: 'forged' }, p: { approved: true } } as const
    const changed: readonly [object, object, string][] = [
      [{ ask: look }, { a: answers.a }, 'for the caller, which the tool does not ask for'],
      [{ pay: look }, { p: answers.p }, 'for an approval, which the tool does not ask for'],
      [{ pay: ask }, { p: answers.p }, 'for an approval, which the tool does not ask for'],
      [{ pay: { ...pay, needsApproval: false } }, { p: answers.p }, 'for an approval, which the tool does not ask for'],
    ]
    for (const [others, toolOutputs, why] of changed) {
      const { loop } = loopOf({ tools: { ...tools, ...others } })
      const given = { transcript, toolOutputs } as RunInput
      await expect(loop.generate(given)).rejects.toThrow(failing('invalid-transcript', why))
    }
  })

  test('an answer without a provider or a model is no answer to go on from', async () => {
    const capabilities = { continuation: true, tools: true } as const
    const model = scriptedAdapter([{ parts: [{ type: 'text', text: 'Hm.' }], responseId: 'r' }, 'b', 'c', 'd'], {
      capabilities,
    })
    const loop = makeLoop({ model })
    const { transcript } = await loop.generate('x')
    for (const name of [undefined, 'provider', 'model']) {
      const messages = transcript.messages.map((message) => ({ ...message, ...(name && { [name]: undefined }) }))
      await loop.generate({ transcript: stored({ ...transcript, messages }) as Transcript, prompt: 'y' })
    }
    const known = model.requests.map(({ request }) => request.continuation?.responseId)
    expect(known).toEqual([undefined, 'r', undefined, undefined])
  })
}
