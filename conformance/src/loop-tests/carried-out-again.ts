import { expect, test } from 'vitest'
import { z } from 'zod'
import { tool, type ToolAnswer, type Transcript } from '@steploop/core'
import { scriptedAdapter, type ScriptedTurn } from '@steploop/core/testing'
import type { MakeWholeLoop } from '../loop.ts'
import { stored } from '../scenario.ts'
import { call, failing, failureOf, hang, idle, throws } from './parts.ts'

export function testCarriedOutAgain(makeLoop: MakeWholeLoop): void {
  const ask = tool({ inputSchema: z.object({}) })
  const now = tool({ inputSchema: z.object({}), execute: () => 'noon' })
  const toolsFor = (keys: string[] = []) => ({
    ask,
    restart: tool({
      inputSchema: z.object({ job: z.string() }),
      needsApproval: true,
      execute: ({ job }, { idempotencyKey }) => {
        keys.push(idempotencyKey)
        if (job === 'bad') throw new Error('no such job')
        return job === 'long' ? hang() : `restarted ${job}`
      },
    }),
    now,
  })

  async function suspended(turn: ScriptedTurn, keys?: string[]) {
    const model = scriptedAdapter([turn, 'done'])
    const loop = makeLoop({ model, tools: toolsFor(keys), generateId: () => 'run-1' })
    const result = await loop.generate('x')
    const transcript = stored(result.transcript)
    const outputs = () => {
      const last = model.requests.at(-1)?.request.messages.findLast((message) => message.role === 'tool')
      return last?.role === 'tool' ? last.content.map(({ toolName, output }) => [toolName, output.value]) : []
    }
    return { loop, model, result, transcript, outputs }
  }

  test('a run that suspends for an approval runs the call when it is granted', { tags: ['K04'] }, async () => {
    const { loop, result, transcript, outputs } = await suspended([call('restart', { job: 'a' })])
    expect(result).toMatchObject({ status: 'requires-action', stopReason: 'approval' })
    expect(transcript.pendingCalls).toMatchObject([{ toolName: 'restart', input: { job: 'a' }, reason: 'approval' }])
    const done = await loop.generate({ transcript, toolOutputs: { call_0_0: { approved: true } } })
    expect([done.text, outputs()]).toEqual(['done', [['restart', 'restarted a']]])
  })

  test('an approval of a call with the id `*` is for that call alone', async () => {
    const calls = ['a', 'b'].map((job) => call('restart', { job }, job === 'a' ? '*' : job))
    const { loop, transcript } = await suspended(calls)
    const asked = await loop.generate({ transcript, toolOutputs: { '*': { approved: true } } })
    expect(asked.transcript.pendingCalls).toMatchObject([{ toolCallId: 'b', input: { job: 'b' } }])
    expect(asked.toolResults).toMatchObject([{ toolCallId: '*', output: { value: 'restarted a' } }])
  })

  test('a run that suspends for an approval runs it with the input that the approver changed, and another idempotency key for another attempt at another input', async () => {
    const keys: string[] = []
    const { loop, transcript, outputs } = await suspended([call('restart', { job: 'a' })])
    for (const job of ['c', 'b']) {
      const { loop: other, transcript: kept } = await suspended([call('restart', { job: 'a' })], keys)
      await other.generate({ transcript: kept, toolOutputs: { call_0_0: { approved: true, input: { job } } } })
    }
    expect(new Set(keys).size).toBe(2)
    await loop.generate({ transcript, toolOutputs: { call_0_0: { approved: true, input: { job: 'b' } } } })
    // The model reads its own arguments in the call, so the result has to say which ones were used.
    expect(outputs()).toEqual([['restart', expect.stringMatching(/other arguments.*\{"job":"b"\}\nrestarted b$/)]])
    const failed = await suspended([call('restart', { job: 'a' })])
    const toolOutputs = { call_0_0: { approved: true, input: { job: 'bad' } } } as const
    await failed.loop.generate({ transcript: failed.transcript, toolOutputs })
    expect(failed.outputs()).toMatchObject([['restart', { code: 'tool-failed', executedInput: { job: 'bad' } }]])
  })

  test('a tool that fails with what the approver gave ends the run where a tool that fails does, and a hook is told with what', async () => {
    const { loop, transcript } = await suspended([call('restart', { job: 'a' })])
    const told: unknown[] = []
    const failed = loop.generate(
      { transcript, toolOutputs: { '*': { approved: true, input: { job: 'bad' } } } },
      { onToolError: 'throw', onToolExecuted: ({ toolResult }) => void told.push(toolResult?.output.value) },
    )
    await expect(failed).rejects.toMatchObject({ code: 'tool-failed', cause: { message: 'no such job' } })
    expect(told).toEqual([{ code: 'tool-failed', message: 'no such job', executedInput: { job: 'bad' } }])
  })

  test('a call that is aborted while it runs says with which input of the approver', async () => {
    const keys: string[] = []
    const { loop, transcript } = await suspended([call('restart', { job: 'a' })], keys)
    const controller = new AbortController()
    const aborted = loop.generate(
      { transcript, toolOutputs: { '*': { approved: true, input: { job: 'long' } } } },
      { abortSignal: controller.signal },
    )
    while (keys.length === 0) await Promise.race([aborted, idle()])
    controller.abort()
    const { transcript: reached } = await failureOf(aborted)
    const value = { code: 'aborted', executedInput: { job: 'long' } }
    expect(reached?.messages.at(-1)).toMatchObject({ role: 'tool', content: [{ output: { value } }] })
  })

  test('a run that suspends for an approval answers a denied call with the reason', { tags: ['K04'] }, async () => {
    const { loop, transcript, outputs } = await suspended([call('restart', { job: 'a' })])
    await loop.generate({ transcript, toolOutputs: { call_0_0: { approved: false, reason: 'too risky' } } })
    expect(outputs()).toMatchObject([['restart', { code: 'denied', message: expect.stringContaining('too risky') }]])
  })

  test('a run that suspends for an approval stays suspended until all is answered', { tags: ['K04'] }, async () => {
    const { loop, transcript, outputs } = await suspended([call('restart', { job: 'a' }), call('ask'), call('now')])
    const partly = await loop.generate({ transcript, toolOutputs: { call_0_1: { output: 'yes' } } })
    const noTurn = { text: '', steps: [], finishReason: 'tool-calls' }
    expect(partly).toMatchObject({ ...noTurn, status: 'requires-action', stopReason: 'approval' })
    expect(partly.transcript.pendingCalls.map((pending) => pending.toolCallId)).toEqual(['call_0_0'])
    const again = stored(partly.transcript)
    await loop.generate({ transcript: again, toolOutputs: { call_0_0: { approved: true } } })
    expect(outputs()).toEqual([
      ['restart', 'restarted a'],
      ['ask', 'yes'],
      ['now', 'noon'],
    ])
  })

  test('a run that suspends gives up what is pending at a new prompt', { tags: ['K04', 'H02'] }, async () => {
    const { loop, model, transcript, outputs } = await suspended([call('ask')])
    await loop.generate({ transcript, prompt: 'never mind' })
    expect(outputs()).toMatchObject([['ask', { code: 'not-executed' }]])
    expect(model.requests[1]?.request.messages.at(-1)).toEqual({ role: 'user', content: 'never mind' })
  })

  test('the idempotency key of a call is the same whenever the same transcript is resumed', async () => {
    const keys: string[] = []
    for (let attempt = 0; attempt < 2; attempt++) {
      const { loop, transcript } = await suspended([call('restart', { job: 'a' })], keys)
      await loop.generate({ transcript, toolOutputs: { call_0_0: { approved: true } } })
    }
    expect(keys).toHaveLength(2)
    expect(new Set(keys).size).toBe(1)
  })

  test('a resumed run asks with the same messages as one that was never stored', async () => {
    const first = await suspended([call('ask')])
    await first.loop.generate({ transcript: first.transcript, toolOutputs: { call_0_0: { output: 1 } } })
    const second = await suspended([call('ask')])
    await second.loop.generate({ transcript: second.result.transcript, toolOutputs: { call_0_0: { output: 1 } } })
    const [kept, direct] = [first, second].map(({ model }) => JSON.stringify(model.requests[1]?.request.messages))
    expect(kept).toBe(direct)
  })

  test('two runs may branch from one transcript; neither sees the other', async () => {
    const model = scriptedAdapter(['one', 'left', 'right'])
    const loop = makeLoop({ model })
    const { transcript } = await loop.generate('x')
    await loop.generate({ transcript, prompt: 'go left' })
    await loop.generate({ transcript, prompt: 'go right' })
    expect(model.requests[2]?.request.messages.map((message) => message.content)).not.toContain('go left')
    expect(transcript.messages).toHaveLength(2)
  })

  const loop = makeLoop({ model: scriptedAdapter([]), tools: toolsFor() })
  const good: Transcript = { version: 1, id: 'a', messages: [{ role: 'user', content: 'x' }], pendingCalls: [] }

  test.each([
    ['invalid-input', { messages: [] }, /no message/],
    ['invalid-input', 7, /number/],
    ['invalid-input', [], /it is an array/],
    ['invalid-input', { messages: { 0: 'x' } }, /`messages` is not an array/],
    ['invalid-input', { messages: [{ role: 'user', content: 7 }] }, /messages\[0\] has no readable content/],
    ['invalid-input', { messages: [{ role: 'tool', content: 'x' }] }, /messages\[0\] has no readable content/],
    [
      'invalid-input',
      { messages: [{ role: 'assistant', content: [{ type: 'tool-call', toolName: 't' }] }] },
      /part \(0\) without a `toolCallId`/,
    ],
    [
      'invalid-input',
      { messages: [{ role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'a' }] }] },
      /part \(0\) without a `toolName`/,
    ],
    [
      'invalid-input',
      { messages: [{ role: 'tool', content: [{ type: 'tool-result', toolCallId: 'a', toolName: 't' }] }] },
      /part \(0\) without an `output`/,
    ],
    [
      'invalid-input',
      {
        messages: [{ role: 'tool', content: [{ type: 'tool-result', toolCallId: 'a', toolName: 't', output: {} }] }],
      },
      /nothing is left of the messages: a result without a call \('a'\) was dropped/,
    ],
    ['invalid-input', null, /it is null\./],
    [
      'invalid-input',
      { transcript: good, toolOutputs: { zz: { output: 1 } } },
      /zz.*not pending\. Pending calls: none\./,
    ],
    ['invalid-input', { transcript: good, toolOutputs: [] }, /`toolOutputs` is no object of answers/],
    ['invalid-input', { transcript: good, toolOutputs: new Map() }, /`toolOutputs` is no object of answers/],
    ['invalid-input', { transcript: good, toolOutputs: 'yes' }, /`toolOutputs` is no object of answers/],
    ['invalid-input', { transcript: good, prompt: 'x', mesages: [] }, /unknown member 'mesages'/],
    ['invalid-input', { prompt: 7 }, /`prompt` is number, not a text/],
    ['invalid-input', { ...good, transcript: good }, /write \{ transcript, transcript \}/],
    ['invalid-input', { ...good, prompt: 'lost?' }, /write \{ transcript, prompt \}/],
    ['invalid-input', { ...good, toolOutputs: {} }, /write \{ transcript, toolOutputs \}/],
    ['transcript-version', { ...good, version: 2 }, /version 2/],
    ['invalid-transcript', { ...good, messages: 'x' }, /`messages` cannot be 'x'/],
    ['invalid-transcript', { ...good, messages: [{ role: 'boss', content: 'x' }] }, /messages\[0\].*boss/],
    ['invalid-transcript', { ...good, messages: [{ role: 'user', content: [{}] }] }, /part \(0\)/],
    [
      'invalid-transcript',
      { ...good, pendingCalls: [{ toolCallId: 'a', toolName: 't', input: {}, reason: 'approval' }] },
      /does not end with the calls/,
    ],
  ])('input that cannot be run is %s: %j', { tags: ['K04'] }, async (code, input, message) => {
    const failed = loop.generate(input as unknown as string)
    await expect(failed).rejects.toMatchObject({ code, message: expect.stringMatching(message) })
  })

  test('input that throws when it is read is invalid-input, with the reason', async () => {
    const cause = new Error('nobody reads me')
    const input = Object.defineProperty({}, 'prompt', { enumerable: true, get: throws(cause) })
    const message = expect.stringContaining(cause.message)
    await expect(loop.generate(input)).rejects.toMatchObject({ code: 'invalid-input', cause, message })
  })

  const pending = { toolCallId: 'a', toolName: 't', input: {}, reason: 'approval' }

  test.each<[string, object]>([
    ["`id` cannot be ''", { id: '' }],
    ['`pendingCalls` cannot be an object with the keys 0', { pendingCalls: { 0: pending } }],
    ['`turns` cannot be -1', { turns: -1 }],
    ["`turns` cannot be '1'", { turns: '1' }],
    ["`continuation` cannot be 'r'", { continuation: 'r' }],
    ['`continuation` cannot be an object', { continuation: { responseId: 7, hash: 'h' } }],
    ['`continuation` cannot be an object', { continuation: { responseId: 'r' } }],
    ['`progress` cannot be an object', { progress: { nudged: false, batches: [] } }],
    ['pendingCalls[0] is no pending call', { pendingCalls: [{ ...pending, toolCallId: 7 }] }],
    ['pendingCalls[0] is no pending call', { pendingCalls: [{ ...pending, toolName: undefined }] }],
    ['pendingCalls[0] is no pending call', { pendingCalls: [{ ...pending, reason: 'whim' }] }],
    ['pendingCalls[0] is no pending call', { pendingCalls: [{ ...pending, hash: 7 }] }],
    ['pendingCalls[0] is no pending call', { pendingCalls: [{ ...pending, refined: {} }] }],
    ['pendingCalls[0] is no pending call', { pendingCalls: [{ ...pending, edited: 'no' }] }],
    ['pendingCalls[0] is no pending call', { pendingCalls: [{ ...pending, offered: 1 }] }],
    ['pendingCalls[0] is no pending call', { pendingCalls: [{ ...pending, unjudged: false }] }],
    ['`pendingCalls` names a call twice', { pendingCalls: [pending, pending] }],
    [
      'it begins with results that no call asks for',
      {
        continuation: { responseId: 'r', hash: 'h' },
        messages: [
          {
            role: 'tool',
            content: [{ type: 'tool-result', toolCallId: 'a', toolName: 't', output: { type: 'text', value: 'x' } }],
          },
        ],
      },
    ],
    [
      "pending call 'a' is not in the last assistant message",
      { messages: [{ role: 'assistant', content: 'No calls.' }], pendingCalls: [pending] },
    ],
  ])('stored input that cannot be run is a damaged transcript: %s: %j', async (what, members) => {
    const failed = loop.generate({ transcript: { ...good, ...members }, prompt: 'y' })
    await expect(failed).rejects.toMatchObject({
      code: 'invalid-transcript',
      message: expect.stringContaining(what),
    })
  })

  test('answers without a transcript are for calls of a conversation that the provider keeps', async () => {
    const model = scriptedAdapter(['done'])
    const own = makeLoop({ model })
    const providerOptions = { scripted: { previous_response_id: 'r' } }
    await own.generate({ toolOutputs: { c: { output: 1 } } }, { providerOptions })
    const result = { type: 'tool-result', toolCallId: 'c', toolName: '', output: { type: 'json', value: 1 } }
    expect(model.requests[0]?.request.messages).toEqual([{ role: 'tool', content: [result] }])
    for (const [toolOutputs, options, message] of [
      [{ c: { output: 1 } }, {}, 'of no transcript'],
      [{ c: { approved: true } }, { providerOptions }, "the answer to call 'c' has neither `output` nor `error`"],
      [{}, { providerOptions }, '`toolOutputs` is empty'],
    ] as const) {
      const refused = { code: 'invalid-input', message: expect.stringContaining(message) }
      await expect(own.generate({ toolOutputs }, options)).rejects.toMatchObject(refused)
    }
  })

  test('the answer of a caller may be an error, and is no other type', async () => {
    const { loop: own, transcript } = await suspended([call('ask')])
    const { toolResults } = await own.generate({ transcript, toolOutputs: { call_0_0: { error: 'no seat' } } })
    expect(toolResults[0]?.output).toEqual({ type: 'error', value: { code: 'tool-failed', message: 'no seat' } })
    const odd = { call_0_0: { error: 7 } } as unknown as Readonly<Record<string, ToolAnswer>>
    await expect(own.generate({ transcript, toolOutputs: odd })).rejects.toMatchObject({ code: 'invalid-input' })
  })

  test('an approval for a client-owned tool is refused with the fix', async () => {
    const { loop: own, transcript } = await suspended([call('ask')])
    const answered = own.generate({ transcript, toolOutputs: { call_0_0: { approved: true } } })
    await expect(answered).rejects.toThrow(failing('invalid-input', '{ output }'))
    const unknown = own.generate({ transcript, toolOutputs: { zz: { output: 1 } } })
    await expect(unknown).rejects.toThrow('Pending calls: call_0_0.')
  })
}
