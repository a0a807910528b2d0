import { expect, test } from 'vitest'
import { z } from 'zod'
import { AdapterError, tool, type RunInput, type StepLoopOptions, type Transcript } from '@steploop/core'
import { forceFirstTool } from '@steploop/core/policies'
import { fakeClock, scriptedAdapter, type ScriptedTurn } from '@steploop/core/testing'
import type { MakeWholeLoop } from '../loop.ts'
import { stored } from '../scenario.ts'
import { call, failureOf, hasty, idle, throws } from './parts.ts'

export function testResuming(makeLoop: MakeWholeLoop): void {
  const ask = tool({ inputSchema: z.object({}) })
  const pay = tool({ inputSchema: z.object({}), needsApproval: true, execute: () => 'paid' })
  const tools = { ask, pay }

  test.each<[string, Partial<StepLoopOptions>]>([
    ['a forced choice', { toolChoice: 'required' }],
    ['one tool', { toolChoice: { type: 'tool', toolName: 'ask' } }],
    ['a policy', { policies: [forceFirstTool({ tool: 'ask' })] }],
  ])('a run that goes on does not begin anew with %s that holds for the first step', async (_what, options) => {
    const model = scriptedAdapter([[call('ask')], [call('pay')], 'done'])
    const loop = makeLoop({ model, tools, ...options })
    const first = await loop.generate('x')
    const second = await loop.generate({
      transcript: stored(first.transcript),
      toolOutputs: { call_0_0: { output: 1 } },
    })
    await loop.generate({ transcript: second.transcript, toolOutputs: { '*': { approved: true } } })
    const choices = model.requests.map(({ request }) => request.toolChoice)
    expect(choices.slice(1)).toEqual([undefined, undefined])
    expect(choices[0]).toBeDefined()
  })

  const asks = (turns: number): ScriptedTurn[] => Array.from({ length: turns }, () => [call('ask')])

  async function answerAll(options: Partial<StepLoopOptions>, script: readonly ScriptedTurn[]) {
    const loop = makeLoop({ model: scriptedAdapter(script), tools, ...options })
    let result = await loop.generate('x')
    let runs = 1
    while (result.status === 'requires-action') {
      const toolOutputs = Object.fromEntries(
        result.transcript.pendingCalls.map(({ toolCallId }) => [toolCallId, { output: 'yes' }]),
      )
      result = await loop.generate({ transcript: stored(result.transcript), toolOutputs })
      runs++
    }
    return { result, runs }
  }

  test('a run that goes on counts its steps on towards `maxSteps`', async () => {
    const { result, runs } = await answerAll({ maxSteps: 3, onLimit: 'incomplete' }, asks(9))
    expect([result.stopReason, result.stopDetail, runs]).toEqual(['max-steps', 'max-steps reached (3/3)', 4])
  })

  test('a run that goes on counts its tokens on towards the budget', async () => {
    const usage = { inputTokens: 10, outputTokens: 0 }
    const script = asks(9).map((parts) => ({ parts: parts as readonly ReturnType<typeof call>[], usage }))
    const { result, runs } = await answerAll({ maxTokens: 35, onLimit: 'incomplete' }, script)
    expect([result.stopReason, runs]).toEqual(['token-budget', 3])
  })

  test('a run that goes on begins anew for a new prompt, which is a new run, after all', async () => {
    const loop = makeLoop({ model: scriptedAdapter(asks(9)), tools, maxSteps: 1, onLimit: 'incomplete' })
    const first = await loop.generate('x')
    const second = await loop.generate({ transcript: first.transcript, prompt: 'never mind' })
    expect(second.status).toBe('requires-action')
  })

  test('a run that goes on with answers and a prompt is the same run', async () => {
    const loop = makeLoop({ model: scriptedAdapter(asks(9)), tools, maxSteps: 1, onLimit: 'incomplete' })
    const { transcript } = await loop.generate('x')
    const { stopReason } = await loop.generate({ transcript, toolOutputs: { call_0_0: { output: 1 } }, prompt: 'And?' })
    expect(stopReason).toBe('max-steps')
  })

  test('a run that goes on does not begin anew after a failure in the calls of its first step', async () => {
    const controller = new AbortController()
    const stops = tool({ inputSchema: z.object({}), execute: () => controller.abort() })
    const model = scriptedAdapter([[call('stops')], 'done'])
    const loop = makeLoop({ model, tools: { stops }, toolChoice: 'required' })
    const { transcript } = await failureOf(loop.generate('x', { abortSignal: controller.signal }))
    await loop.generate(transcript as Transcript)
    expect(model.requests.map(({ request }) => request.toolChoice)).toEqual(['required', undefined])
  })

  test('a run that goes on counts on in the numbers of its steps', async () => {
    const numbers: number[] = []
    const loop = makeLoop({
      model: scriptedAdapter([[call('ask')], 'done']),
      tools,
      prepareStep: ({ step }) => void numbers.push(step),
    })
    const { transcript } = await loop.generate('x')
    const { steps } = await loop.generate({ transcript, toolOutputs: { call_0_0: { output: 1 } } })
    expect([numbers, steps.map(({ number }) => number)]).toEqual([[0, 1], [1]])
  })

  const down = throws(new Error('the bank is down'))
  const fails = tool({ inputSchema: z.object({}), needsApproval: true, execute: down })
  const other = tool({ inputSchema: z.object({}), needsApproval: true, execute: () => 'ok' })
  const waiting = { fails, other, ask }
  const turn = [call('fails', {}, 'f'), call('other', {}, 'o'), call('ask', {}, 'a')]

  test('a call that waits goes on waiting when an approved call ends the run', async () => {
    const loop = makeLoop({ model: scriptedAdapter([turn, 'done']), tools: waiting, onToolError: 'throw' })
    const { transcript } = await loop.generate('x')
    const failure = await failureOf(loop.generate({ transcript, toolOutputs: { f: { approved: true } } }))
    expect([failure.code, failure.transcript?.progress?.toolCalls]).toEqual(['tool-failed', 1])
    expect(failure.transcript?.pendingCalls.map(({ toolCallId }) => toolCallId)).toEqual(['o', 'a'])
    const toolOutputs = { o: { approved: true }, a: { output: 'me' } } as const
    const done = await loop.generate({ transcript: stored(failure.transcript) as Transcript, toolOutputs })
    expect(done.toolResults.map(({ output }) => output.value)).toMatchObject([{ code: 'tool-failed' }, 'ok', 'me'])
  })

  test('a call that waits goes on waiting when an abort comes before an approved call has begun', async () => {
    const controller = new AbortController()
    const hangs = tool({
      inputSchema: z.object({}),
      needsApproval: true,
      execute() {
        controller.abort()
        return new Promise(() => undefined)
      },
    })
    const given = { ...waiting, fails: hangs }
    const loop = makeLoop({ model: scriptedAdapter([turn]), tools: given, maxToolConcurrency: 1 })
    const { transcript } = await loop.generate('x')
    const approved: RunInput = { transcript, toolOutputs: { '*': { approved: true } } }
    const failure = await failureOf(loop.generate(approved, { abortSignal: controller.signal }))
    expect(failure.transcript?.pendingCalls.map(({ toolCallId }) => toolCallId)).toEqual(['o', 'a'])
    // It counts as none of those that ran.
    const later: RunInput = {
      transcript: stored(failure.transcript) as Transcript,
      toolOutputs: { o: { approved: true } },
    }
    const { toolResults } = await loop.generate(later, { maxToolCalls: 2 })
    expect(toolResults.map(({ output }) => output.value)).toMatchObject([{ code: 'aborted' }, 'ok'])
  })

  test('a run that was aborted before it goes on leaves its transcript as it was', async () => {
    const loop = makeLoop({ model: scriptedAdapter([[call('look', {}, 'l'), ...turn]]), tools: { ...waiting, look } })
    const { transcript } = await loop.generate('x')
    const input: RunInput = { transcript, toolOutputs: { '*': { approved: true } } }
    const failure = await failureOf(loop.generate(input, { abortSignal: AbortSignal.abort() }))
    expect(stored(failure.transcript)).toEqual(stored(transcript))
  })

  test('a call that waits goes on waiting when the time of the run is over', async () => {
    const clock = fakeClock()
    const hangs = tool({ inputSchema: z.object({}), execute: () => new Promise(() => clock.advance(100)) })
    const model = scriptedAdapter([[call('hangs', {}, 'h'), call('ask', {}, 'a')], 'done'])
    const loop = makeLoop({ model, tools: { hangs, ask }, clock, timeout: 100 })
    const { stopReason, transcript } = await loop.generate('x')
    expect([stopReason, transcript.pendingCalls.map(({ toolCallId }) => toolCallId)]).toEqual(['timeout', ['a']])
    expect(transcript.progress?.steps).toBe(1)
    expect((await loop.generate({ transcript, toolOutputs: { a: { output: 1 } } })).text).toBe('done')
  })

  test('a call that waits goes on waiting when a hook fails after the step, or while tools run', async () => {
    const mine = throws(new Error('mine'))
    const hooks: Partial<StepLoopOptions>[] = [{ onStepEnd: mine }, { onToolExecuted: mine }]
    for (const hook of hooks) {
      const given = [...turn, call('fails', {}, 'f2')]
      const loop = makeLoop({ model: scriptedAdapter([given]), tools: { ...waiting, look }, ...hook })
      const model = scriptedAdapter([[call('look', {}, 'l'), ...turn]])
      const failure = await failureOf(loop.generate('x', { model }))
      expect([failure.code, failure.transcript?.pendingCalls.length]).toEqual(['hook-failed', 3])
    }
  })

  const look = tool({ inputSchema: z.object({}), execute: () => 'seen' })

  test('an approved call does not begin while the reader rests at the warning that another one is asked again', async () => {
    const ran: string[] = []
    const declared = (description: string) => {
      const execute = () => void ran.push(description)
      return tool({ description, inputSchema: z.object({}), needsApproval: true, execute })
    }
    const model = scriptedAdapter([[call('fee'), call('pay')]])
    const given = { fee: declared('Shows the fee'), pay: declared('Pays') }
    const { transcript } = await makeLoop({ model, tools: given }).generate('x')
    const loop = makeLoop({ model, tools: { ...given, fee: declared('Takes the fee') } })
    for await (const { type } of loop.stream({ transcript, toolOutputs: { '*': { approved: true } } })) {
      await idle()
      if (type === 'warning') break
    }
    expect(ran).toEqual([])
  })

  test('a run that goes on, and fails behind an answer without calls, ends with that answer', async () => {
    const model = scriptedAdapter([[call('look', {}, 'l'), call('ask', {}, 'a')], 'done'])
    const mine = throws(new Error('mine'))
    const loop = makeLoop({ model, tools: { look, ask }, onStepEnd: ({ step }) => (step === 2 ? mine() : undefined) })
    const { transcript } = await loop.generate('x')
    const failure = await failureOf(loop.generate({ transcript, toolOutputs: { a: { output: 1 } } }))
    expect(failure.transcript?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant'])
  })

  const continues = { capabilities: { continuation: true, tools: true } }
  const said = (text: string, responseId: string): ScriptedTurn => ({ parts: [{ type: 'text', text }], responseId })

  test.each<[string, (transcript: Transcript) => Transcript, boolean]>([
    ['is none after the way through a store', (transcript) => stored(transcript), true],
    [
      'is none when a store orders members anew',
      (transcript) =>
        ({
          ...transcript,
          messages: transcript.messages.map((message) => Object.fromEntries(Object.entries(message).toReversed())),
        }) as unknown as Transcript,
      true,
    ],
    [
      'with a text that was redacted',
      (transcript) => JSON.parse(JSON.stringify(transcript).replace('is 4111', 'is …')) as Transcript,
      false,
    ],
    ['that lost its beginning', (transcript) => ({ ...transcript, messages: transcript.messages.slice(1) }), false],
    [
      'with another answer',
      (transcript) => JSON.parse(JSON.stringify(transcript).replace('Noted', 'No')) as Transcript,
      false,
    ],
  ])('an edited history: %s', async (_what, edit, goesOn) => {
    const model = scriptedAdapter([said('Noted.', 'resp_1'), said('Hm.', 'resp_2')], continues)
    const loop = makeLoop({ model })
    const { transcript } = await loop.generate('My card is 4111')
    await loop.generate({ transcript: edit(transcript), prompt: 'What is it?' })
    const { continuation } = model.requests[1]?.request ?? {}
    expect(continuation).toEqual(goesOn ? { responseId: 'resp_1', from: 2 } : undefined)
  })

  const paying = (keys: string[]) =>
    tool({ inputSchema: z.object({}), execute: (_input, { idempotencyKey }) => keys.push(idempotencyKey) })

  test('idempotency keys differ for each call, however short the history is kept', async () => {
    const keys: string[] = []
    const loop = makeLoop({
      model: scriptedAdapter(Array.from({ length: 12 }, (_, index) => (index % 2 === 0 ? [call('pay')] : 'paid'))),
      tools: { pay: paying(keys) },
      prepareStep: ({ messages }) => ({ messages: messages.slice(-2) }),
    })
    let { transcript } = await loop.generate('pay')
    for (let run = 1; run < 6; run++) transcript = (await loop.generate({ transcript, prompt: 'pay' })).transcript
    expect(new Set(keys).size).toBe(6)
  })

  test('idempotency keys are the same for two processes that go on from one transcript: the service sees one payment', async () => {
    const keys: string[] = []
    const asked = { ...paying(keys), needsApproval: true }
    const { transcript } = await makeLoop({
      model: scriptedAdapter([[call('pay')]]),
      tools: { pay: asked },
    }).generate('x')
    const text = JSON.stringify(transcript)
    const processes = [0, 1].map(() => makeLoop({ model: scriptedAdapter(['done']), tools: { pay: asked } }))
    await Promise.all(
      processes.map((loop) =>
        loop.generate({ transcript: JSON.parse(text) as Transcript, toolOutputs: { '*': { approved: true } } }),
      ),
    )
    expect([keys.length, new Set(keys).size]).toEqual([2, 1])
  })

  test('idempotency keys are the same for each attempt at a turn in which the call was started early', async () => {
    const keys: string[] = []
    const early = { ...paying(keys), effect: 'read' } as const
    const parts = [call('early'), call('early')]
    const error = new AdapterError({ provider: 'scripted', model: 'scripted-1', code: 'connection' })
    const model = scriptedAdapter([{ parts, error }, parts, 'done'])
    const loop = makeLoop({ model, tools: { early }, eagerTools: true, toolTimeout: 0, clock: hasty })
    const { toolCalls } = await loop.generate('x')
    expect([keys.length, new Set(keys).size, toolCalls.map(({ toolCallId }) => toolCallId)]).toEqual([
      3,
      2,
      ['call_0_0', 'call_0_1'],
    ])
  })

  test.each([7, '', null, undefined])(
    'a `generateId` that gives %j ends the run before it begins',
    { tags: ['E16'] },
    async (id) => {
      const model = scriptedAdapter(['x'])
      const failure = await failureOf(makeLoop({ model, generateId: () => id as string }).generate('a'))
      expect([failure.code, model.requests.length]).toEqual(['hook-failed', 0])
      expect(failure.message).toContain(`\`generateId\` gave ${id === '' ? "''" : String(id)}.`)
    },
  )

  test.each<[string, () => unknown]>([
    ['nested without end', () => ({ transcript: deepTranscript() })],
    ['of an older version, nested without end', () => ({ version: 0, messages: deepTranscript().messages })],
    [
      'a proxy that throws',
      () => ({
        messages: new Proxy([], {
          get: throws(new Error('trap')),
        }),
      }),
    ],
    ['a number for a prompt', () => ({ prompt: 5 })],
    ['a misspelt member', () => ({ prompt: 'x', toolOutput: {} })],
    ['answers without a transcript', () => ({ prompt: 'x', toolOutputs: {} })],
  ])('input that is %s is refused with a LoopError', async (_what, input) => {
    const model = scriptedAdapter(['x'])
    const failure = await failureOf(makeLoop({ model }).generate(input() as RunInput))
    expect([failure.code.startsWith('invalid-'), model.requests.length]).toEqual([true, 0])
  })

  function deepTranscript(): { readonly messages: readonly unknown[] } & Record<string, unknown> {
    let deep: unknown = {}
    for (let level = 0; level < 20_000; level++) deep = { deep }
    const common = { toolCallId: 'a', toolName: 't', input: deep }
    const content = [{ type: 'tool-call', ...common, inputText: '', owner: 'loop' }]
    return {
      version: 1,
      id: 'x',
      messages: [{ role: 'assistant', content }],
      pendingCalls: [{ ...common, reason: 'approval' }],
    }
  }

  test('`{ prompt }` and `{ messages, prompt }` are input, also beside a transcript', { tags: ['L13'] }, async () => {
    const model = scriptedAdapter(['a', 'b', 'c'])
    const loop = makeLoop({ model })
    const { transcript } = await loop.generate({ prompt: 'one' })
    const messages = [{ role: 'user', content: 'two' }] as const
    await loop.generate({ messages, prompt: 'three' })
    await loop.generate({ transcript, messages, prompt: 'three' })
    const sent = model.requests.map(({ request }) =>
      request.messages.map(({ content }) => (typeof content === 'string' ? content : '')),
    )
    expect(sent).toEqual([['one'], ['two', 'three'], ['one', '', 'two', 'three']])
  })

  test('the output of a call and an image go in together: the image comes after the result', async () => {
    const model = scriptedAdapter([[call('ask')], 'seen'])
    const loop = makeLoop({ model, tools: { ask: tool({ inputSchema: z.object({}) }) } })
    const { transcript } = await loop.generate('x')
    const image = { type: 'file', mediaType: 'image/png', data: 'aGk=' } as const
    const messages = [{ role: 'user', content: [image] }] as const
    await loop.generate({ transcript, messages, toolOutputs: { call_0_0: { output: 'yes' } } })
    expect(model.requests[1]?.request.messages.slice(2)).toEqual([
      {
        role: 'tool',
        content: [
          { type: 'tool-result', toolCallId: 'call_0_0', toolName: 'ask', output: { type: 'text', value: 'yes' } },
        ],
      },
      { role: 'user', content: [image] },
    ])
  })

  test('a call that comes in beside a transcript keeps its id for itself', async () => {
    const model = scriptedAdapter([[call('ask', {}, 'own')], [call('ask', {}, 'own')], 'done'])
    const loop = makeLoop({ model, tools: { ask: tool({ inputSchema: z.object({}) }) } })
    const asked = await loop.generate('x')
    const output = { type: 'json', value: 1 } as const
    const answer = {
      role: 'tool',
      content: [{ type: 'tool-result', toolCallId: 'own', toolName: 'ask', output }],
    } as const
    const transcript = { version: 1, id: 't', messages: [], pendingCalls: [] } as const
    const again = await loop.generate({ transcript, messages: [...asked.transcript.messages, answer] })
    expect(again.transcript.pendingCalls.map(({ toolCallId }) => toolCallId)).toEqual(['own_2'])
    const last = await loop.generate({ transcript: again.transcript, toolOutputs: { own_2: { output: 2 } } })
    expect(last.text).toBe('done')
  })
}
