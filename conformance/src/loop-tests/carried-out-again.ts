import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { tool, type Transcript } from '@steploop/core'
import { scriptedAdapter, type ScriptedTurn } from '@steploop/core/testing'
import type { MakeWholeLoop } from '../loop.ts'

export function testCarriedOutAgain(makeLoop: MakeWholeLoop): void {
  const keys: string[] = []
  const ask = tool({ inputSchema: z.object({}) })
  const restart = tool({
    inputSchema: z.object({ job: z.string() }),
    needsApproval: true,
    execute: ({ job }, { idempotencyKey }) => {
      keys.push(idempotencyKey)
      if (job === 'bad') throw new Error('no such job')
      return `restarted ${job}`
    },
  })
  const now = tool({ inputSchema: z.object({}), execute: () => 'noon' })
  const tools = { ask, restart, now }

  const call = (toolName: string, input: Record<string, unknown> = {}) => ({ type: 'call', toolName, input }) as const

  async function suspended(turn: ScriptedTurn) {
    const model = scriptedAdapter([turn, 'done'])
    const loop = makeLoop({ model, tools, generateId: () => 'run-1' })
    const result = await loop.generate('x')
    const transcript = JSON.parse(JSON.stringify(result.transcript)) as Transcript
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

  test('a run that suspends for an approval runs it with the input that the approver changed, and another idempotency key for another attempt at another input', async () => {
    keys.length = 0
    const { loop, transcript, outputs } = await suspended([call('restart', { job: 'a' })])
    for (const job of ['c', 'b']) {
      const { loop: other, transcript: stored } = await suspended([call('restart', { job: 'a' })])
      await other.generate({ transcript: stored, toolOutputs: { call_0_0: { approved: true, input: { job } } } })
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

  test(
    'a run that suspends for an approval answers the call with the reason when it is denied',
    { tags: ['K04'] },
    async () => {
      const { loop, transcript, outputs } = await suspended([call('restart', { job: 'a' })])
      await loop.generate({ transcript, toolOutputs: { call_0_0: { approved: false, reason: 'too risky' } } })
      expect(outputs()).toMatchObject([['restart', { code: 'denied', message: expect.stringContaining('too risky') }]])
    },
  )

  test(
    'a run that suspends for an approval stays suspended for the rest when only a part is answered',
    { tags: ['K04'] },
    async () => {
      const { loop, transcript, outputs } = await suspended([call('restart', { job: 'a' }), call('ask'), call('now')])
      const partly = await loop.generate({ transcript, toolOutputs: { call_0_1: { output: 'yes' } } })
      expect(partly).toMatchObject({ status: 'requires-action', stopReason: 'approval' })
      expect(partly.transcript.pendingCalls.map((pending) => pending.toolCallId)).toEqual(['call_0_0'])
      const again = JSON.parse(JSON.stringify(partly.transcript)) as Transcript
      await loop.generate({ transcript: again, toolOutputs: { call_0_0: { approved: true } } })
      expect(outputs()).toEqual([
        ['restart', 'restarted a'],
        ['ask', 'yes'],
        ['now', 'noon'],
      ])
    },
  )

  test(
    'a run that suspends for an approval gives up what is pending when a new prompt comes instead of an answer',
    { tags: ['K04', 'H02'] },
    async () => {
      const { loop, model, transcript, outputs } = await suspended([call('ask')])
      await loop.generate({ transcript, prompt: 'never mind' })
      expect(outputs()).toMatchObject([['ask', { code: 'not-executed' }]])
      expect(model.requests[1]?.request.messages.at(-1)).toEqual({ role: 'user', content: 'never mind' })
    },
  )

  test('the idempotency key of a call is the same whenever the same transcript is resumed', async () => {
    keys.length = 0
    for (let attempt = 0; attempt < 2; attempt++) {
      const { loop, transcript } = await suspended([call('restart', { job: 'a' })])
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
    const [stored, direct] = [first, second].map(({ model }) => JSON.stringify(model.requests[1]?.request.messages))
    expect(stored).toBe(direct)
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

  describe('input that cannot be run', () => {
    const loop = makeLoop({ model: scriptedAdapter([]), tools })
    const good: Transcript = { version: 1, id: 'a', messages: [{ role: 'user', content: 'x' }], pendingCalls: [] }

    test.each([
      ['invalid-input', { messages: [] }, /no message/],
      ['invalid-input', 7, /number/],
      ['invalid-input', null, /null/],
      [
        'invalid-input',
        { transcript: good, toolOutputs: { zz: { output: 1 } } },
        /zz.*not pending\. Pending calls: none\./,
      ],
      ['invalid-input', { transcript: good, prompt: 'x', mesages: [] }, /unknown member 'mesages'/],
      ['invalid-input', { ...good, prompt: 'lost?' }, /write \{ transcript, prompt \}/],
      ['invalid-input', { ...good, toolOutputs: {} }, /write \{ transcript, toolOutputs \}/],
      ['transcript-version', { ...good, version: 2 }, /version 2/],
      ['invalid-transcript', { ...good, messages: 'x' }, /not an array/],
      ['invalid-transcript', { ...good, messages: [{ role: 'boss', content: 'x' }] }, /messages\[0\].*boss/],
      ['invalid-transcript', { ...good, messages: [{ role: 'user', content: [{}] }] }, /part \(0\)/],
      [
        'invalid-transcript',
        { ...good, pendingCalls: [{ toolCallId: 'a', toolName: 't', input: {}, reason: 'approval' }] },
        /does not end with the calls/,
      ],
    ])('is %s: %j', { tags: ['K04'] }, async (code, input, message) => {
      const failed = loop.generate(input as unknown as string)
      await expect(failed).rejects.toMatchObject({ code, message: expect.stringMatching(message) })
    })

    test('an approval for a client-owned tool is refused with the fix', async () => {
      const { loop: own, transcript } = await suspended([call('ask')])
      const answered = own.generate({ transcript, toolOutputs: { call_0_0: { approved: true } } })
      await expect(answered).rejects.toMatchObject({
        code: 'invalid-input',
        message: expect.stringContaining('{ output }'),
      })
      const unknown = own.generate({ transcript, toolOutputs: { zz: { output: 1 } } })
      await expect(unknown).rejects.toThrow('Pending calls: call_0_0.')
    })
  })
}
