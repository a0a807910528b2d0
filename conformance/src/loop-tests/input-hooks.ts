import { expect, test } from 'vitest'
import { z } from 'zod'
import { providerTool, tool, type StepLoopOptions, type Transcript } from '@steploop/core'
import { parseTimeConstraints, refineInput as refining } from '@steploop/core/policies'
import { scriptedAdapter, type ScriptedTurn } from '@steploop/core/testing'
import type { MakeWholeLoop } from '../loop.ts'

export function testInputHooks(makeLoop: MakeWholeLoop): void {
  const searching = (inputs: unknown[]) =>
    tool({
      inputSchema: z.object({ query: z.string(), after: z.string().optional() }),
      execute: (input, { messages }) => {
        inputs.push(input, messages.length)
        return 'found'
      },
    })
  const call = (input: Record<string, unknown> | string) => ({ type: 'call', toolName: 'search', input }) as const

  async function play(turn: ScriptedTurn, options: Partial<StepLoopOptions>) {
    const inputs: unknown[] = []
    const tools = { search: searching(inputs) }
    const loop = makeLoop({ model: scriptedAdapter([turn, 'done']), tools, ...options })
    const result = await loop.generate('news since May?')
    return {
      inputs,
      outputs: result.toolResults.map(({ output }) => (output.type === 'error' ? output.value.code : output.value)),
    }
  }

  test('`refineInput`: changes the input before it is validated, and tools see the conversation', async () => {
    const refineInput: StepLoopOptions['refineInput'] = ({ input }, { messages }) => ({
      after: messages[0]?.content === 'news since May?' ? '2026-05-01' : undefined,
      ...(input as object),
    })
    const { inputs, outputs } = await play([call({ query: 'x' })], { refineInput })
    expect(outputs).toEqual(['found'])
    expect(inputs).toEqual([{ query: 'x', after: '2026-05-01' }, 2])
  })

  test.each<readonly [string, string | undefined, string | undefined, string | undefined]>([
    ['What happened today?', 'today', '2026-11-22', undefined],
    ['weather yesterday', 'yesterday', '2026-11-21', '2026-11-21'],
    ['news of this week', 'this week', '2026-11-16', undefined],
    ['sales this month', 'this month', '2026-11-01', undefined],
    ['Sales This Year', 'This Year', '2026-01-01', undefined],
    ['over the last 3 months', 'last 3 months', '2026-08-22', undefined],
    ['in the past week', 'past week', '2026-11-15', undefined],
    ['two days ago', 'two days ago', '2026-11-20', undefined],
    ['Two Weeks Ago', 'Two Weeks Ago', '2026-11-08', undefined],
    ['a few days ago', 'few days ago', '2026-11-19', undefined],
    ['the weather 2024-05-06', '2024-05-06', '2024-05-06', '2024-05-06'],
    ['after May 2024', 'after May 2024', '2024-05-01', undefined],
    ['Since 2023', 'Since 2023', '2023-01-01', undefined],
    ['until May 2024', 'until May 2024', undefined, '2024-05-31'],
    ['before May 2024', 'before May 2024', undefined, '2024-05-01'],
    ['12 hours ago', '12 hours ago', '2026-11-22', undefined],
    ['in March 2024', 'in March 2024', '2024-03-01', '2024-03-31'],
    ['5th May 2023 in Rome', '5th May 2023', '2023-05-05', '2023-05-05'],
    ['since Feb 2024', 'since Feb 2024', '2024-02-01', undefined],
    ['in 2023', 'in 2023', '2023-01-01', '2023-12-31'],
    ['before 2024-05-06', 'before 2024-05-06', undefined, '2024-05-06'],
    ['from March 2024 until May 2024', 'from March 2024 until May 2024', '2024-03-01', '2024-05-31'],
    ['over the last few days', 'last few days', '2026-11-19', undefined],
    ['Last FEW days', 'Last FEW days', '2026-11-19', undefined],
    ['Ten Years Ago', 'Ten Years Ago', '2016-11-22', undefined],
    ['on May 5th, 2023', 'on May 5th, 2023', '2023-05-05', '2023-05-05'],
    ['till 2023', 'till 2023', undefined, '2023-12-31'],
    ['explain quantum physics', undefined, undefined, undefined],
    ['the model 2024', undefined, undefined, undefined],
    ['May I ask you something?', undefined, undefined, undefined],
    ['call 1999 and 5 of them', undefined, undefined, undefined],
  ])('`refineInput` and `parseTimeConstraints` find in "%s" the time of %j', async (prompt, hint, after, before) => {
    const inputSchema = z.object({
      time_hint: z.string().optional(),
      after: z.string().optional(),
      before: z.string().optional(),
    })
    const inputs: unknown[] = []
    const timed = tool({ inputSchema, execute: (input) => inputs.push(input) })
    // A Sunday.
    const fill = (text: string) => ({ ...parseTimeConstraints(text, new Date('2026-11-22T12:00:00Z')) })
    const policies = [refining({ tool: 'search', fill })]
    await makeLoop({ model: scriptedAdapter([[call({})], 'done']), tools: { search: timed }, policies }).generate(
      prompt,
    )
    expect(inputs).toEqual([{ time_hint: hint, after, before }])
  })

  test('`parseTimeConstraints` knows the numbers up to ten by their names, and one by its articles', () => {
    const now = new Date('2026-11-22T12:00:00Z')
    const names = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten']
    expect(names.map((name) => parseTimeConstraints(`${name} days ago`, now))).toEqual(
      names.map((name, index) => ({ time_hint: `${name} days ago`, after: `2026-11-${21 - index}` })),
    )
    expect(['a day ago', 'an hour ago'].map((text) => parseTimeConstraints(text, now)?.after)).toEqual([
      '2026-11-21',
      '2026-11-22',
    ])
    const hourAgo = (time: string) => parseTimeConstraints('an hour ago', new Date(`2026-11-22T${time}:00Z`))?.after
    expect([hourAgo('00:30'), hourAgo('01:30')]).toEqual(['2026-11-21', '2026-11-22'])
  })

  test('`parseTimeConstraints` knows each month by its name and by its beginning', () => {
    for (let month = 0; month < 12; month++) {
      const name = new Date(Date.UTC(2024, month)).toLocaleString('en', { month: 'long', timeZone: 'UTC' })
      const [after, before] = [Date.UTC(2024, month), Date.UTC(2024, month + 1, 0)].map((day) =>
        new Date(day).toISOString().slice(0, 10),
      )
      for (const hint of [`in ${name} 2024`, `in ${name.slice(0, 3)} 2024`])
        expect(parseTimeConstraints(hint)).toEqual({ time_hint: hint, after, before })
    }
  })

  test('`refineInput` has changed what a person is asked about, and is not asked again once they said yes', async () => {
    const inputs: unknown[] = []
    const asked = tool({
      inputSchema: z.object({ query: z.string() }),
      needsApproval: true,
      execute: (input) => inputs.push(input),
    })
    const model = scriptedAdapter([[call({ query: 'seen' })], 'done'])
    let times = 0
    const loop = makeLoop({
      model,
      tools: { search: asked },
      refineInput: () => ({ query: `refined ${++times}` }),
    })
    const { transcript } = await loop.generate('x')
    expect(transcript.pendingCalls[0]?.input).toEqual({ query: 'refined 1' })
    await loop.generate({ transcript, toolOutputs: { call_0_0: { approved: true } } })
    expect(inputs).toEqual([{ query: 'refined 1' }])
  })

  test('`refineInput` cannot smuggle in what the schema refuses', async () => {
    expect((await play([call({ query: 'x' })], { refineInput: () => ({ query: 7 }) })).outputs).toEqual([
      'invalid-input',
    ])
    const plain = { search: { ...searching([]), inputSchema: { type: 'object' } } }
    expect((await play([call({})], { refineInput: () => 7, tools: plain })).outputs).toEqual(['invalid-input'])
  })

  const onInvalidInput: StepLoopOptions['onInvalidInput'] = (_call, error) => ({ query: error.code })

  test('`onInvalidInput` may repair arguments that are no JSON or not valid', { tags: ['D07'] }, async () => {
    const { inputs, outputs } = await play([call('{"query":'), call({})], { onInvalidInput })
    expect(outputs).toEqual(['found', 'found'])
    expect(inputs.filter((input) => typeof input === 'object')).toEqual([
      { query: 'unparsable-input' },
      { query: 'invalid-input' },
    ])
  })

  test('`onInvalidInput` is told of the call and of the conversation, system prompt included', async () => {
    const told: unknown[] = []
    const note: StepLoopOptions['onInvalidInput'] = ({ toolName, inputText }, { code }, { messages, instructions }) =>
      void told.push(toolName, inputText, code, messages[0]?.content, instructions)
    await play([call('{"query":')], { onInvalidInput: note, instructions: 'Be brief.' })
    expect(told).toEqual(['search', '{"query":', 'unparsable-input', 'news since May?', 'Be brief.'])
  })

  test('`onInvalidInput` leaves the call at its error when it has nothing better', async () => {
    expect((await play([call('{"query":')], { onInvalidInput: () => undefined })).outputs).toEqual(['unparsable-input'])
  })

  test('a call that cannot be repaired never reaches `running`, and a repair gets around neither denial nor approval', async () => {
    const inputs: unknown[] = []
    const search = searching(inputs)
    const states = async (options: Partial<StepLoopOptions>): Promise<string[]> => {
      const loop = makeLoop({ model: scriptedAdapter([[call('{"query":')], 'done']), tools: { search }, ...options })
      const seen: string[] = []
      for await (const event of loop.stream('x')) if (event.type === 'tool-state') seen.push(event.state)
      return seen
    }
    const repair = () => ({ query: 'x' })
    expect(await states({})).toEqual(['queued', 'failed'])
    expect(await states({ onInvalidInput: repair, denyCall: () => 'no' })).toEqual(['queued', 'failed'])
    const guarded = { ...search, needsApproval: true }
    expect(await states({ onInvalidInput: repair, tools: { search: guarded } })).toEqual(['queued'])
    expect(inputs).toEqual([])
  })

  test('`denyCall` answers a call with its reason instead of running it', async () => {
    const denyCall: StepLoopOptions['denyCall'] = ({ toolName }) => `${toolName} is switched off`
    const { inputs, outputs } = await play([call({ query: 'x' })], { denyCall })
    expect([outputs, inputs]).toEqual([['denied'], []])
  })

  test('an approval holds for the arguments that it was given for', async () => {
    const restart = tool({ inputSchema: z.object({ job: z.string() }), needsApproval: true, execute: () => 'ok' })
    const model = scriptedAdapter([[{ type: 'call', toolName: 'restart', input: { job: 'a' } }], 'done'])
    const loop = makeLoop({ model, tools: { restart } })
    const { transcript } = await loop.generate('x')
    const text = JSON.stringify(transcript).replace(
      '"input":{"job":"a"},"inputText"',
      '"input":{"job":"b"},"inputText"',
    )
    const tampered = JSON.parse(text) as Transcript
    const answered = loop.generate({ transcript: tampered, toolOutputs: { call_0_0: { approved: true } } })
    await expect(answered).rejects.toMatchObject({ code: 'invalid-transcript' })
  })

  test('a call of a provider’s tool that the caller has to answer suspends the run', async () => {
    const shell = providerTool({ provider: 'scripted', name: 'shell', definition: { type: 'shell' } })
    const model = scriptedAdapter([[{ type: 'call', toolName: 'shell', input: {} }]])
    const result = await makeLoop({ model, tools: { shell } }).generate('x')
    expect(result).toMatchObject({ status: 'requires-action', stopReason: 'client-tool' })
  })

  test('a name beside a provider’s tool is that of an unknown one, and the model is told of functions alone', async () => {
    const shell = providerTool({ provider: 'scripted', name: 'shell', definition: { type: 'shell' } })
    const model = scriptedAdapter([[{ type: 'call', toolName: 'ghost', input: {} }], 'done'])
    const { toolResults } = await makeLoop({ model, tools: { shell, search: searching([]) } }).generate('x')
    const message = "There is no tool 'ghost'. Available tools: search."
    expect(toolResults[0]?.output.value).toEqual({ code: 'unknown-tool', message })
  })

  test('no hook is asked about the input of a call that will not run: truncated, too many, after a stop, or begun early', async () => {
    const asked = async (turn: ScriptedTurn, options: Partial<StepLoopOptions> = {}) => {
      const names: string[] = []
      const hook = ({ inputText }: { readonly inputText: string }) => void names.push(inputText)
      const tools = { search: { ...searching([]), effect: 'read' } as const }
      const hooks = { refineInput: hook, onInvalidInput: hook }
      await makeLoop({ model: scriptedAdapter([turn, 'done']), tools, ...hooks, ...options }).generate('x')
      return names
    }
    const [one, two] = [call({ query: '1' }), call({ query: '2' })]
    expect(await asked({ parts: [one, call('{"query":')], finishReason: 'length' })).toEqual(['{"query":"1"}'])
    expect(await asked([one, two], { maxToolCallsPerStep: 1 })).toEqual(['{"query":"1"}'])
    expect(await asked([one], { onResponse: () => ({ type: 'stop', reason: 'enough' }) })).toEqual([])
    expect(await asked([one, two], { eagerTools: true })).toEqual(['{"query":"1"}', '{"query":"2"}'])
  })

  test('`onInvalidInput`: it may take its time, as `refineInput` may', async () => {
    const later = (query: string) => () => Promise.resolve({ query })
    expect((await play([call('{bad')], { onInvalidInput: later('x') })).inputs).toEqual([{ query: 'x' }, 2])
    expect((await play([call({})], { refineInput: later('y') })).inputs).toEqual([{ query: 'y' }, 2])
    const inputSchema = z.object({ query: z.string().transform(async (text) => `${text}!`) })
    const ran: unknown[] = []
    const search = tool({ inputSchema, execute: (input) => ran.push(input) })
    await play([call({})], { refineInput: later('z'), tools: { search } })
    expect(ran).toEqual([{ query: 'z!' }])
  })

  test('`maxToolConcurrency`: sixteen calls run at the same time unless it says otherwise', async () => {
    let [now, most] = [0, 0]
    const look = tool({
      inputSchema: { type: 'object' },
      execute: async () => {
        most = Math.max(most, ++now)
        await Promise.resolve()
        now--
      },
    })
    const calls = Array.from({ length: 20 }, () => ({ type: 'call', toolName: 'look', input: {} }) as const)
    await makeLoop({ model: scriptedAdapter([calls, 'done']), tools: { look } }).generate('x')
    expect(most).toBe(16)
  })
}
