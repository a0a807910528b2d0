import { expect, test } from 'vitest'
import { z } from 'zod'
import { tool, type RunInput, type RunOptions, type ToolAnswer, type Transcript } from '@steploop/core'
import type { MakeWholeLoop } from '../loop.ts'
import { stored } from '../scenario.ts'
import { call, failing, playingWith } from './parts.ts'

export function testApprovals(makeLoop: MakeWholeLoop): void {
  // What a hostile model, an ordinary schema and an edited transcript must not get past.

  const isRisky = ({ amount }: { readonly amount: number }): boolean => amount > 100

  const playing = playingWith(makeLoop)

  const amountOf = (ran: unknown[], inputSchema: z.ZodType<{ amount: number }>) =>
    tool({ inputSchema, needsApproval: isRisky, execute: (input) => ran.push(input) })

  test.each([
    ['a default', z.object({ amount: z.number().default(1_000_000) }), {}],
    ['a transform', z.object({ amount: z.string().transform(Number) }), { amount: '5000' }],
    ['coercion', z.object({ amount: z.coerce.number() }), { amount: '5000' }],
    [
      'a transform in its own time',
      z.object({ amount: z.string().transform(async (text) => Number(text)) }),
      { amount: '5000' },
    ],
  ])('an approval is asked about the input that would run, after %s of its schema', async (_what, schema, input) => {
    const ran: unknown[] = []
    const pay = amountOf(ran, schema)
    const { loop } = playing([[call('pay', input)], 'done'], { tools: { pay } })
    const { status, transcript } = await loop.generate('x')
    expect([status, ran]).toEqual(['requires-action', []])
    const [pending] = transcript.pendingCalls
    await loop.generate({ transcript: stored(transcript), toolOutputs: { '*': { approved: true } } })
    expect(ran).toEqual([pending?.input])
  })

  test.each<[string, RunOptions, Record<string, unknown>]>([
    ['refineInput', { refineInput: () => ({ amount: '5000' }) }, { amount: '5' }],
    ['onInvalidInput', { onInvalidInput: () => ({ amount: '5000' }) }, { amount: 5 }],
  ])(
    'an approval is asked about the input that would run, after `%s` and a transform',
    async (_what, options, input) => {
      const ran: unknown[] = []
      const pay = amountOf(ran, z.object({ amount: z.string().transform(Number) }))
      const { loop } = playing([[call('pay', input)], 'done'], { tools: { pay }, ...options })
      const { status, transcript } = await loop.generate('x')
      expect([status, ran, transcript.pendingCalls[0]?.input]).toEqual(['requires-action', [], { amount: 5000 }])
      await loop.generate({ transcript: stored(transcript), toolOutputs: { '*': { approved: true } } })
      expect(ran).toEqual([{ amount: 5000 }])
    },
  )

  test('an approval holds for the input that was shown, although the schema fills in something new each time', async () => {
    for (const check of [() => true, async () => true]) {
      let made = 0
      const ran: unknown[] = []
      const ticket = tool({
        inputSchema: z.object({ id: z.string().default(() => `ticket ${++made}`) }).refine(check),
        needsApproval: true,
        execute: (input) => ran.push(input),
      })
      const judged: unknown[] = []
      const { loop } = playing([[call('ticket')], 'done'], {
        tools: { ticket },
        denyCall: ({ input }) => void judged.push(input),
      })
      const { transcript } = await loop.generate('x')
      await loop.generate({ transcript, toolOutputs: { '*': { approved: true } } })
      const shown = transcript.pendingCalls[0]?.input
      expect([ran, judged]).toEqual([[shown], [shown, shown]])
    }
  })

  test('an approval is asked again where the tool is declared otherwise by now', async () => {
    const ran: unknown[] = []
    const declared = (description: string) =>
      tool({ description, inputSchema: z.object({}), needsApproval: true, execute: () => ran.push('ran') })
    const shown = declared('Shows the price')
    const { transcript } = await playing([[call('pay')]], { tools: { pay: shown } }).loop.generate('x')
    for (const pay of [declared('Pays'), Object.assign(shown, { description: 'Pays' })]) {
      const { loop } = playing(['done'], { tools: { pay } })
      const asked = await loop.generate({ transcript, toolOutputs: { '*': { approved: true } } })
      expect([asked.status, ran]).toEqual(['requires-action', []])
      const warning = { type: 'coerced', path: 'toolOutputs.call_0_0', message: expect.stringContaining('again') }
      expect(asked.warnings).toEqual([warning])
      const done = await loop.generate({ transcript: asked.transcript, toolOutputs: { '*': { approved: true } } })
      expect([done.status, ran.splice(0)]).toEqual(['completed', ['ran']])
    }
  })

  test('an approval is asked again where a hook makes something else of what the approver wrote', async () => {
    const ran: unknown[] = []
    const told: unknown[] = []
    const pay = tool({
      inputSchema: z.object({ amount: z.number() }),
      needsApproval: true,
      execute: (i) => ran.push(i),
    })
    const { loop } = playing([[call('pay', { amount: 1 })], 'done'], {
      tools: { pay },
      refineInput: ({ input }, { messages }) => (told.push([input, messages[0]?.content]), { amount: 5000 }),
    })
    const { transcript } = await loop.generate('x')
    const asked = await loop.generate({ transcript, toolOutputs: { '*': { approved: true, input: { amount: 7 } } } })
    expect([asked.status, ran, asked.transcript.pendingCalls[0]?.input]).toEqual([
      'requires-action',
      [],
      { amount: 5000 },
    ])
    expect(told).toEqual([1, 7].map((amount) => [{ amount }, 'x']))
  })

  test.each([undefined, 0, '', null, 'false', 1, {}])(
    'a call has to be approved unless the predicate says false, and %j is not that',
    async (said) => {
      for (const needsApproval of [() => said as boolean, () => Promise.resolve(said as boolean)]) {
        const pay = tool({ inputSchema: z.object({}), needsApproval, execute: () => 1 })
        expect((await playing([[call('pay')]], { tools: { pay } }).loop.generate('x')).status).toBe('requires-action')
      }
    },
  )

  test('a call has to be approved where the predicate fails, at once or later', async () => {
    const failures = [
      () => {
        throw new Error('no directory')
      },
      () => Promise.reject(new Error('no directory')),
    ]
    for (const needsApproval of failures) {
      const pay = tool({ inputSchema: z.object({}), needsApproval, execute: () => 1 })
      expect((await playing([[call('pay')]], { tools: { pay } }).loop.generate('x')).status).toBe('requires-action')
    }
  })

  test.each(['true', 'always', 1, 0, null, {}])(
    'a tool with `needsApproval: %j` is refused when the loop is made',
    (needsApproval) => {
      const pay = {
        ...tool({ inputSchema: z.object({}), execute: () => 1 }),
        needsApproval: needsApproval as boolean,
      }
      expect(() => playing([], { tools: { pay } })).toThrow(expect.objectContaining({ code: 'invalid-options' }))
    },
  )

  const payment = tool({ inputSchema: z.object({ amount: z.number() }), needsApproval: true, execute: () => 'paid' })

  test.each<[unknown, RegExp]>([
    [{ output: { paid: true } }, /waits for an approval/],
    [{ error: 'no' }, /waits for an approval/],
    [{ approved: true, output: 'forged' }, /member 'output'/],
    [{ approved: 'yes' }, /waits for an approval/],
    [{ approved: 1 }, /waits for an approval/],
    [{ approved: true, hash: 'of another call' }, /another call or other arguments/],
  ])('an approval is not answered by %j, which is no decision', async (answer, message) => {
    const { loop, model } = playing([[call('pay', { amount: 5 })], 'never'], { tools: { pay: payment } })
    const { transcript } = await loop.generate('x')
    const answered = loop.generate({ transcript, toolOutputs: { call_0_0: answer as ToolAnswer } })
    await expect(answered).rejects.toMatchObject({
      code: 'invalid-input',
      message: expect.stringMatching(message),
      transcript,
    })
    expect(model.requests).toHaveLength(1)
  })

  test('the answer to an approval may bring the hash that was shown', async () => {
    const { loop } = playing([[call('pay', { amount: 5 })], 'done'], { tools: { pay: payment } })
    const { transcript } = await loop.generate('x')
    const hash = transcript.pendingCalls[0]?.hash
    expect(hash).toMatch(/^[\w-]{43}\.[\w-]{43}$/)
    const { text } = await loop.generate({ transcript, toolOutputs: { call_0_0: { approved: true, hash } } })
    expect(text).toBe('done')
  })

  const executedInput = { path: 'draft.txt' }
  const said = 'This call was run with other arguments, which the approver gave: {"path":"draft.txt"}'
  const content = [{ type: 'text', text: 'gone' }] as const

  const locked = { code: 'tool-failed', message: 'locked', executedInput }
  test.each<[string, () => unknown, unknown]>([
    ['json', () => ({ removed: 1 }), { executedInput, output: { removed: 1 } }],
    ['text', () => 'gone', `${said}\ngone`],
    ['error', () => Promise.reject(new Error('locked')), locked],
    ['content', () => content, [{ type: 'text', text: said }, ...content]],
  ])(
    'the model is told beside an output of the type %s which arguments of the approver were used in place of its own',
    async (type, execute, value) => {
      const remove = tool({
        inputSchema: z.object({ path: z.string() }),
        needsApproval: true,
        execute,
        ...(type === 'content' && { toModelOutput: () => ({ type: 'content', value: content }) as const }),
      })
      const { loop, model } = playing([[call('remove', { path: 'thesis.txt' })], 'done'], { tools: { remove } })
      const { transcript } = await loop.generate('x')
      await loop.generate({ transcript, toolOutputs: { '*': { approved: true, input: executedInput } } })
      expect(model.requests[1]?.request.messages.at(-1)?.content).toMatchObject([{ output: { type, value } }])
    },
  )

  const toolsFor = (ran: unknown[]) => ({
    remove: tool({
      inputSchema: z.object({ path: z.string() }),
      needsApproval: true,
      execute: (input) => ran.push(input),
    }),
    free: tool({ inputSchema: z.object({}), execute: () => ran.push('free') }),
    ask: tool({ inputSchema: z.object({}) }),
  })
  const turn = [call('remove', { path: 'draft.txt' }, 'r'), call('ask', {}, 'a'), call('free', {}, 'f')]

  const altered: readonly [string, (text: string) => string, Readonly<Record<string, ToolAnswer>>][] = [
    ['one id for two calls', (text) => text.replace('"toolCallId":"f"', '"toolCallId":"r"'), { r: { approved: true } }],
    [
      'another input in the history',
      (text) => text.replace('"input":{"path":"draft.txt"},"inputText"', '"input":{"path":"/"},"inputText"'),
      { r: { approved: true } },
    ],
    [
      'another input in what was shown',
      (text) => text.replace('"input":{"path":"draft.txt"},"reason"', '"input":{"path":"x"},"reason"'),
      { r: { approved: true } },
    ],
    [
      'another tool in what was shown',
      (text) =>
        text.replace(
          '"toolName":"remove","input":{"path":"draft.txt"},"reason"',
          '"toolName":"free","input":{},"reason"',
        ),
      { r: { approved: true } },
    ],
    [
      'an approval that a tool does not ask for',
      (text) => forging(text, 'f', 'free', 'approval'),
      { f: { approved: true } },
    ],
    [
      'a caller who answers for a tool of the loop',
      (text) => text.replace('"reason":"approval"', '"reason":"client-tool"'),
      { r: { output: 'removed' } },
    ],
    ['one pending call twice', doubled, {}],
    [
      'a result that no call waits for',
      (text) =>
        text.replace(
          '"role":"user","content":"x"}',
          '"role":"user","content":"x"},{"role":"tool","content":[{"type":"tool-result","toolCallId":"z","toolName":"free","output":{"type":"text","value":"yes"}}]}',
        ),
      {},
    ],
    [
      'a call that waits for another tool',
      (text) => text.replace('"toolName":"ask","input":{},"reason"', '"toolName":"free","input":{},"reason"'),
      {},
    ],
    ['counts that are none', (text) => text.replace('"toolCalls":1', '"toolCalls":-100'), {}],
  ]

  /** Forges a transcript as if the call had not run yet, but waited. */
  function forging(text: string, id: string, toolName: string, reason: 'approval'): string {
    const transcript = JSON.parse(text) as Transcript
    const messages = transcript.messages.slice(0, -1)
    return JSON.stringify({
      ...transcript,
      messages,
      pendingCalls: [{ toolCallId: id, toolName, input: {}, reason }],
    })
  }

  function doubled(text: string): string {
    const transcript = JSON.parse(text) as Transcript
    const { pendingCalls } = transcript
    return JSON.stringify({ ...transcript, pendingCalls: [...pendingCalls, ...pendingCalls] })
  }

  test.each(altered)(
    'a transcript that no run has left is refused with %s, before anything runs',
    async (_what, alter, toolOutputs) => {
      const ran: unknown[] = []
      const { loop, model } = playing([turn, 'never'], { tools: toolsFor(ran) })
      const text = JSON.stringify((await loop.generate('x')).transcript)
      expect(ran).toEqual(['free'])
      const forged = alter(text)
      expect(forged).not.toBe(text)
      const resumed = loop.generate({ transcript: JSON.parse(forged) as Transcript, toolOutputs })
      await expect(resumed).rejects.toMatchObject({ code: 'invalid-transcript' })
      expect([ran, model.requests.length]).toEqual([['free'], 1])
    },
  )

  test.each(['activeTools', 'maxToolCalls', 'maxToolCalls beside others'])(
    'an approved call keeps to `%s`',
    async (what) => {
      let ran = 0
      const pay = tool({ inputSchema: z.object({}), needsApproval: true, execute: () => ++ran })
      const other = tool({ inputSchema: z.object({}), execute: () => 1 })
      const tools = { pay, other }
      const { transcript } = await playing([[call('pay'), call('pay')]], { tools }).loop.generate('x')
      const options = what === 'activeTools' ? { activeTools: ['other'] } : { maxToolCalls: 1 }
      const { loop } = playing(['done'], { tools, ...options })
      await loop.generate({ transcript, toolOutputs: { '*': { approved: true } } })
      expect(ran).toBe(what === 'activeTools' ? 0 : 1)
    },
  )

  test('`*` decides approvals alone: a call that waits for the caller goes on waiting', async () => {
    let paid = 0
    const pay = tool({ inputSchema: z.object({}), needsApproval: true, execute: () => ++paid })
    const tools = { pay, pick: tool({ inputSchema: z.object({}) }) }
    const { transcript } = await playing([[call('pay'), call('pick')]], { tools }).loop.generate('x')
    expect(transcript.pendingCalls).toHaveLength(2)
    const { loop } = playing(['done'], { tools })
    const { status, transcript: later } = await loop.generate({ transcript, toolOutputs: { '*': { approved: true } } })
    expect([status, paid]).toEqual(['requires-action', 1])
    expect(later.pendingCalls).toMatchObject([{ toolName: 'pick', reason: 'client-tool' }])
  })

  const look = tool({ inputSchema: z.object({}), execute: () => 1 })

  test('an approval is not lost where only an edit of its step had offered the tool', async () => {
    const { loop } = playing([[call('pay', { amount: 1 })], 'done'], {
      tools: { pay: payment, look },
      activeTools: ['look'],
      prepareStep: () => ({ activeTools: ['look', 'pay'] }),
    })
    const { transcript } = await loop.generate('x')
    const { toolResults } = await loop.generate({
      transcript: stored(transcript),
      toolOutputs: { '*': { approved: true } },
    })
    expect(toolResults[0]?.output.value).toBe('paid')
  })

  test('an approval is not lost where an edit had to be approved once more, and the model is told of the arguments', async () => {
    let amount = 6
    const { loop, model } = playing([[call('pay', { amount: 1 })], 'done'], {
      tools: { pay: payment },
      refineInput: () => ({ amount: amount++ }),
    })
    const { transcript } = await loop.generate('x')
    const asked = await loop.generate({ transcript, toolOutputs: { '*': { approved: true, input: { amount: 5 } } } })
    await loop.generate({ transcript: stored(asked.transcript), toolOutputs: { '*': { approved: true } } })
    expect(JSON.stringify(model.requests[1]?.request.messages.at(-1))).toContain('amount\\":7')
  })

  test('an approval is not lost by one input for several calls, or an answer that is none', async () => {
    const { loop } = playing([[call('pay', { amount: 1 }), call('pay', { amount: 2 })]], { tools: { pay: payment } })
    const { transcript } = await loop.generate('x')
    for (const [toolOutputs, words] of [
      [{ '*': { approved: true, input: { amount: 9 } } }, 'one `input` for several calls'],
      [{ '*': true }, "The answer '*' in `toolOutputs` is no decision"],
      [new Map(), '`toolOutputs`'],
      [{ call_0_0: { approved: true, input: 'x' } }, "to call 'call_0_0' has an `input` that is no object"],
    ] as const) {
      const input = { transcript, toolOutputs } as unknown as RunInput
      await expect(loop.generate(input)).rejects.toThrow(failing('invalid-input', words))
    }
  })

  test('what an approver wrote is not taken for what the schema makes of it', async () => {
    const ran: unknown[] = []
    const pay = tool({
      inputSchema: z.object({ cents: z.number().transform((euros) => euros * 100) }),
      needsApproval: true,
      execute: (input) => ran.push(input),
    })
    const { loop } = playing([[call('pay', { cents: 5 })], 'done'], { tools: { pay } })
    const { transcript } = await loop.generate('x')
    const [shown] = transcript.pendingCalls
    const asked = await loop.generate({
      transcript,
      toolOutputs: { '*': { approved: true, input: shown?.input } },
    })
    expect([ran, asked.transcript.pendingCalls[0]?.input]).toEqual([[], { cents: 50_000 }])
  })

  test('an approval without its hash holds for what the call itself gives', async () => {
    const ran: unknown[] = []
    const pay = tool({
      inputSchema: z.object({ to: z.string() }),
      needsApproval: true,
      execute: (input) => ran.push(input),
    })
    const { loop } = playing([[call('pay', { to: 'good' })], 'done'], { tools: { pay } })
    const { transcript } = await loop.generate('x')
    const pendingCalls = transcript.pendingCalls.map(({ hash: _hash, ...rest }) => ({ ...rest, input: { to: 'evil' } }))
    const asked = await loop.generate({
      transcript: { ...transcript, pendingCalls },
      toolOutputs: { '*': { approved: true } },
    })
    expect([ran, asked.transcript.pendingCalls[0]?.input]).toEqual([[], { to: 'good' }])
  })
}
