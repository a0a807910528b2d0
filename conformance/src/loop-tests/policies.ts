import { expect, test } from 'vitest'
import { z } from 'zod'
import {
  AdapterError,
  providerTool,
  tool,
  type LoopControl,
  type Policy,
  type RunResult,
  type StepLoopOptions,
} from '@steploop/core'
import {
  allowTools,
  denyTools,
  finalizeAfterTools,
  forceFirstTool,
  limitToolOutput,
  refineInput,
  retryEmpty,
  routeByTool,
  trace,
  type TraceEntry,
} from '@steploop/core/policies'
import { fakeClock, scriptedAdapter, type ScriptedTurn } from '@steploop/core/testing'
import type { MakeWholeLoop } from '../loop.ts'
import { failing } from './parts.ts'

export function testPolicies(makeLoop: MakeWholeLoop): void {
  const searching = (inputs: unknown[]) =>
    tool({
      effect: 'read',
      inputSchema: z.looseObject({ query: z.string() }),
      execute: (input) => {
        inputs.push(input)
        return `found ${input.query}`
      },
    })
  const search = searching([])
  const other = tool({ inputSchema: z.object({}), execute: () => 'other' })
  const call = (input: Record<string, unknown> = { query: 'x' }) =>
    ({ type: 'call', toolName: 'search', input }) as const

  async function play(
    script: readonly ScriptedTurn[],
    policies: readonly Policy[],
    options: Partial<StepLoopOptions> = {},
  ) {
    const inputs: unknown[] = []
    const model = scriptedAdapter(script)
    const loop = makeLoop({ model, tools: { search: searching(inputs) }, policies, ...options })
    const result = await loop.generate(options.instructions ?? 'What is new?')
    return { result, inputs, requests: model.requests.map(({ request }) => request) }
  }

  const outputs = ({ toolResults }: RunResult) =>
    toolResults.map(({ output }) => (output.type === 'error' ? output.value.code : output.value))

  test('retryEmpty takes the object of a run with `output` for an answer, and a refusal too', async () => {
    const output = { schema: z.object({ city: z.string() }) }
    const given = [{ type: 'call', toolName: 'output_structured_data', input: { city: 'Paris' } }] as const
    const { result, requests } = await play([given], [retryEmpty({ maxRetries: 2, giveUpText: 'No.' })], { output })
    expect([requests.length, result.text, result.output]).toEqual([1, '', { city: 'Paris' }])
    const refused = await play([[{ type: 'refusal', text: 'I will not.' }]], [retryEmpty()])
    expect(refused.requests).toHaveLength(1)
  })

  test('retryEmpty does not begin anew when a suspended run goes on: its tool has run', async () => {
    const ask = tool({ inputSchema: z.object({}) })
    const model = scriptedAdapter([[{ type: 'call', toolName: 'ask', input: {} }], [], 'done'])
    const loop = makeLoop({ model, tools: { ask }, policies: [retryEmpty()] })
    const { transcript } = await loop.generate('x')
    await loop.generate({ transcript, toolOutputs: { call_0_0: { output: 'yes' } } })
    expect(model.requests).toHaveLength(2)
  })

  test('retryEmpty asks again once when neither text nor calls came', { tags: ['P03'] }, async () => {
    const { result, requests } = await play([[], 'done'], [retryEmpty({ message: 'Go on' })])
    expect([result.text, requests[1]?.messages.at(-1)?.content]).toEqual(['done', 'Go on'])
  })

  const words = { role: 'user', content: 'My words' } as const
  test.each<[string, LoopControl | undefined, readonly string[]]>([
    ['nothing', undefined, ['What is new?', 'Go on']],
    ['that the run goes on', { type: 'continue' }, ['What is new?', 'Go on']],
    ['what the model is told', { type: 'continue', messages: [words] }, ['What is new?', 'My words']],
    ['that the run stops', { type: 'stop', reason: 'enough' }, []],
  ])('retryEmpty has a say where the hook of the application says %s', async (_what, control, said) => {
    const onStepEnd: StepLoopOptions['onStepEnd'] = ({ step }) => Promise.resolve(step === 1 ? control : undefined)
    const { requests } = await play([[], 'done'], [retryEmpty({ message: 'Go on' })], { onStepEnd })
    expect(requests[1]?.messages.flatMap(({ role, content }) => (role === 'user' ? [content] : [])) ?? []).toEqual(said)
  })

  test('retryEmpty never retries after tools ran, nor more often than it may', { tags: ['P03'] }, async () => {
    expect((await play([[call()], []], [retryEmpty()])).requests).toHaveLength(2)
    expect((await play([[], []], [retryEmpty()])).requests).toHaveLength(2)
  })

  test('retryEmpty lets a call that came in place of an empty answer run, and does not give up', async () => {
    const { result, inputs } = await play([[], [call()], 'done'], [retryEmpty({ giveUpText: 'Nothing more.' })])
    expect([result.text, inputs.length]).toEqual(['done', 1])
  })

  test('retryEmpty may give up with a text, or retry when a forced tool was ignored', { tags: ['P04'] }, async () => {
    const given = await play([[], []], [retryEmpty({ giveUpText: 'Nothing more.' })])
    expect(given.result).toMatchObject({ text: 'Nothing more.', stopReason: 'hook' })
    const forced = [forceFirstTool({ tool: 'search' }), retryEmpty({ ignoredTool: 'search' })]
    const ignored = await play(['no need', [call()], 'done'], forced)
    expect(ignored.result.text).toBe('done')
    expect(ignored.requests[1]?.messages.at(-1)?.content).toContain("You did not call 'search'.")
    const once = [retryEmpty({ ignoredTool: 'search', maxRetries: 2 })]
    expect((await play(['no need', 'still none', 'never'], once)).requests).toHaveLength(2)
    const own = [retryEmpty({ ignoredTool: 'search', message: 'Search!' })]
    const played = await play(['no need', [call()], 'done'], own)
    expect(played.requests[1]?.messages.at(-1)).toEqual({ role: 'user', content: 'Search!', synthetic: true })
  })

  test('finalizeAfterTools asks for the answer too when the run was suspended in its last batch', async () => {
    const ask = tool({ inputSchema: z.object({}) })
    const model = scriptedAdapter([[{ type: 'call', toolName: 'ask', input: {} }], 'done', [call()], 'again'])
    const loop = makeLoop({
      model,
      tools: { ask, search },
      policies: [finalizeAfterTools({ message: 'Answer now' })],
    })
    const { transcript } = await loop.generate('x')
    const answered = await loop.generate({ transcript, toolOutputs: { call_0_0: { output: 'yes' } } })
    await loop.generate({ transcript: answered.transcript, prompt: 'What is new?' })
    const [, resumed, asked, finalized] = model.requests.map(({ request }) => request)
    expect([resumed?.toolChoice, resumed?.messages.at(-1)?.content]).toEqual(['none', 'Answer now'])
    expect([asked?.toolChoice, finalized?.toolChoice]).toEqual([undefined, 'none'])
  })

  test('finalizeAfterTools runs no more tools, whatever the model calls, and lets an object of its own be', async () => {
    const { result, inputs, requests } = await play([[call()], [call()], 'done'], [finalizeAfterTools()])
    expect([inputs.length, outputs(result)]).toEqual([1, ['found x', 'not-executed']])
    // The second time it is asked for without tools.
    expect(requests.map(({ tools = [] }) => tools.length)).toEqual([1, 1, 0])
    const output = { schema: z.object({ city: z.string() }) }
    const given = [{ type: 'call', toolName: 'output_structured_data', input: { city: 'Paris' } }] as const
    const object = await play([given], [finalizeAfterTools()], { output })
    expect([object.requests.length, object.result.output]).toEqual([1, { city: 'Paris' }])
    const late = await play([[call()], [call()], given], [finalizeAfterTools()], { output })
    expect([late.inputs.length, outputs(late.result)]).toEqual([1, ['found x', 'not-executed']])
  })

  test('finalizeAfterTools asks for an empty answer again, without tools, and then lets the run go on', async () => {
    const { result, requests } = await play([[call()], [], [], 'done'], [finalizeAfterTools()])
    expect(result.text).toBe('done')
    expect(requests.map(({ toolChoice, tools = [] }) => [toolChoice, tools.length])).toEqual([
      [undefined, 1],
      ['none', 1],
      [undefined, 0],
      [undefined, 1],
    ])
    const filtered = { parts: [], finishReason: 'content-filter' } as const
    const stopped = await play([[call()], filtered], [finalizeAfterTools()])
    expect([stopped.requests.length, stopped.result.stopReason]).toEqual([2, 'content-filter'])
  })

  test('what policies say to the model is no prompt of the user', async () => {
    const prompts: string[] = []
    const fill = (prompt: string) => (prompts.push(prompt), {})
    await play([[], [call()], 'done'], [retryEmpty({ message: 'Go on' }), refineInput({ tool: 'search', fill })])
    expect(prompts).toEqual(['What is new?'])
  })

  test('finalizeAfterTools asks for the answer, once and without tools', { tags: ['P06'] }, async () => {
    const { result, requests } = await play([[call()], 'done'], [finalizeAfterTools({ message: 'Answer now' })])
    expect(result.text).toBe('done')
    expect(requests.map(({ toolChoice }) => toolChoice)).toEqual([undefined, 'none'])
    expect(requests[1]?.messages.filter(({ content }) => content === 'Answer now')).toHaveLength(1)
  })

  test('refineInput fills missing fields from the prompt, and those alone', { tags: ['P07'] }, async () => {
    const fill = (prompt: string) => ({ query: 'never', after: prompt === 'What is new?' ? '2026-01-01' : undefined })
    const script = [[call(), call({ query: 'y', after: 'own' })], 'done']
    const { inputs } = await play(script, [refineInput({ tool: 'search', fill })])
    expect(inputs).toEqual([
      { query: 'x', after: '2026-01-01' },
      { query: 'y', after: 'own' },
    ])
  })

  test('allowTools and denyTools keep other tools from running, and answer the call', { tags: ['D15'] }, async () => {
    const inputs: unknown[] = []
    const tools = { search: searching(inputs), other }
    for (const policy of [allowTools(['other']), denyTools(['search'])])
      expect(outputs((await play([[call()], 'done'], [policy], { tools })).result)).toEqual(['denied'])
    expect(inputs).toEqual([])
  })

  test('allowTools and denyTools let the rest through and add up', async () => {
    expect(outputs((await play([[call()], 'done'], [allowTools(['search'])])).result)).toEqual(['found x'])
    const both = [allowTools(['search']), denyTools(['search'], 'not today')]
    for (const policies of [both, [allowTools([], 'not today')]]) {
      const { result } = await play([[call()], 'done'], policies)
      expect(result.toolResults[0]?.output.value).toMatchObject({ message: 'not today' })
    }
  })

  test('routeByTool asks the mapped model after its tool, then the loop’s own again', { tags: ['P10'] }, async () => {
    const strong = scriptedAdapter([[{ type: 'call', toolName: 'note', input: {} }]], { model: 'strong' })
    const note = tool({ inputSchema: z.object({}), execute: () => 'noted' })
    const { result, requests } = await play([[call()], 'done'], [routeByTool({ search: strong })], {
      tools: { search, note },
    })
    expect(result.steps.map(({ model }) => model)).toEqual(['scripted-1', 'strong', 'scripted-1'])
    expect([requests.length, strong.requests.length]).toEqual([2, 1])
  })

  test('routeByTool goes by the first call of a tool that it maps, and leaves a fallback that took over', async () => {
    const script = ['done', 'done'] as const
    const [strong, weak] = [scriptedAdapter(script, { model: 'strong' }), scriptedAdapter(script, { model: 'weak' })]
    const tools = { search, constructor: other }
    const routed = routeByTool({ search: strong })
    const first = { type: 'call', toolName: 'constructor', input: {} } as const
    const { result } = await play([[first, call()]], [routed], { tools })
    expect(result.steps.map(({ model }) => model)).toEqual(['scripted-1', 'strong'])
    const fallen = scriptedAdapter([[first], 'done'], { model: 'fallback' })
    const broken = new AdapterError({ provider: 'acme', model: 'm1', code: 'overloaded' })
    const taken = await play([broken, 'never'], [routeByTool({ search: weak })], {
      tools,
      fallbacks: [fallen],
      maxRetries: 0,
    })
    expect(taken.result.steps.map(({ model }) => model)).toEqual(['fallback', 'fallback'])
  })

  test('limitToolOutput cuts long outputs between characters and says so', { tags: ['E09'] }, async () => {
    const long = tool({ inputSchema: z.object({}), execute: () => ({ text: '🌧️🌧️🌧️🌧️' }) })
    const script = [[{ type: 'call', toolName: 'long', input: {} } as const], 'done']
    const { result } = await play(script, [limitToolOutput({ maxCharacters: 13 })], { tools: { long } })
    expect(outputs(result)).toEqual(['{"text":"🌧️\n[cut: 11 of 23 characters left out]'])
  })

  test.each(['\u{10000}', '\u{103FF}', '\u{10FC00}', '\u{10FFFF}'])(
    'limitToolOutput cuts before a character that does not fit, and not one that does: %j',
    async (character) => {
      const wide = tool({ inputSchema: z.object({}), execute: () => `${character}${character}` })
      const script = [[{ type: 'call', toolName: 'wide', input: {} } as const], 'done']
      const cut = async (maxCharacters: number) =>
        outputs((await play(script, [limitToolOutput({ maxCharacters })], { tools: { wide } })).result)
      expect(await cut(1)).toEqual(['\n[cut: 4 of 4 characters left out]'])
      expect(await cut(2)).toEqual([`${character}\n[cut: 2 of 4 characters left out]`])
    },
  )

  test('limitToolOutput leaves to the caller, and to the provider, what they run', async () => {
    const ask = tool({ inputSchema: z.object({}) })
    const web = providerTool({ provider: 'scripted', name: 'web', definition: {} })
    const script = [[{ type: 'call', toolName: 'ask', input: {} } as const]]
    const { result, requests } = await play(script, [limitToolOutput({ maxCharacters: 4 })], { tools: { ask, web } })
    expect([result.status, requests[0]?.tools]).toMatchObject(['requires-action', [{ name: 'ask' }, { name: 'web' }]])
  })

  test('limitToolOutput leaves errors, and what is short enough, as they are', async () => {
    const short = tool({ inputSchema: z.object({}), execute: () => 'ok!!' })
    const fails = tool({ inputSchema: z.object({}), execute: () => 1, toModelOutput: () => error })
    const error = { type: 'error', value: { code: 'tool-failed', message: 'long enough' } } as const
    const script = [['short', 'fails'].map((toolName) => ({ type: 'call', toolName, input: {} }) as const), 'done']
    const { result } = await play(script, [limitToolOutput({ maxCharacters: 4 })], { tools: { short, fails } })
    expect(result.toolResults.map(({ output }) => output)).toEqual([{ type: 'text', value: 'ok!!' }, error])
  })

  test('policies leave to the application, and to one another, what they add to', async () => {
    const asked: string[] = []
    const inputs: unknown[] = []
    const denyCall: StepLoopOptions['denyCall'] = ({ toolName }) => void asked.push(toolName)
    const fill = () => ({ after: '2026-01-01' })
    const refine: StepLoopOptions['refineInput'] = async ({ toolName, input }, { messages }) =>
      toolName === 'search' ? { ...(input as object), query: `mine ${messages.length}` } : undefined
    await play(
      [[call(), { type: 'call', toolName: 'other', input: { query: 'y' } }], 'done'],
      [allowTools(['search', 'other']), refineInput({ tool: 'search', fill })],
      { tools: { search: searching(inputs), other: searching(inputs) }, denyCall, refineInput: refine },
    )
    expect(asked).toEqual(['search', 'other'])
    expect(inputs).toEqual([{ query: 'mine 2', after: '2026-01-01' }, { query: 'y' }])
  })

  test('trace tells the request that asks for an answer without further calls', async () => {
    const lines: TraceEntry[] = []
    await play([[call()], 'done'], [trace((line) => lines.push(line))], { maxSteps: 1 })
    expect(lines.filter(({ action }) => action === 'finalize').map(({ step }) => step)).toEqual([1])
    expect(Math.abs(Date.parse(lines[0]?.timestamp ?? '') - Date.now())).toBeLessThan(600_000)
  })

  test('limitToolOutput cuts the text of an output with files, and keeps them', async () => {
    const file = { type: 'file', mediaType: 'image/png', data: 'AA==' } as const
    const long = tool({
      inputSchema: z.object({}),
      execute: () => 1,
      toModelOutput: () => ({ type: 'content', value: [{ type: 'text', text: '0123456789' }, file] }),
    })
    const script = [[{ type: 'call', toolName: 'long', input: {} } as const], 'done']
    const { result } = await play(script, [limitToolOutput({ maxCharacters: 4 })], { tools: { long } })
    const text = '0123\n[cut: 6 of 10 characters left out]'
    expect(outputs(result)).toEqual([[{ type: 'text', text }, file]])
  })

  test('trace writes a line for every request, response, tool call and step', { tags: ['P09'] }, async () => {
    const lines: TraceEntry[] = []
    const used = { inputTokens: 3, outputTokens: 4 }
    const more = { inputTokens: 5, outputTokens: 6 }
    const script = [
      { parts: [call()], usage: used },
      { parts: [{ type: 'text', text: 'done' } as const], usage: more },
    ]
    await play(script, [trace((line) => lines.push(line))], { clock: fakeClock(7) })
    expect(lines.map(({ step, action }) => `${step} ${action}`)).toEqual([
      '0 request',
      '0 response',
      '0 tool-call',
      '1 step-end',
      '1 request',
      '1 response',
      '2 step-end',
    ])
    expect(lines.map(({ data }) => data)).toEqual([
      { messages: 1 },
      { parts: ['tool-call'] },
      { toolName: 'search', input: { query: 'x' }, output: { type: 'text', value: 'found x' } },
      { usage: used },
      { messages: 3 },
      { parts: ['text'] },
      { usage: more },
    ])
    expect(new Set(lines.map(({ timestamp }) => timestamp))).toEqual(new Set(['1970-01-01T00:00:00.007Z']))
  })

  test('limitToolOutput cuts what the tools give that it names, and no other', async () => {
    const long = tool({ inputSchema: z.object({}), execute: () => '0123456789' })
    const script = [['long', 'free'].map((toolName) => ({ type: 'call', toolName, input: {} }) as const), 'done']
    const limit = limitToolOutput({ maxCharacters: 4, tools: ['long'] })
    const { result } = await play(script, [limit], { tools: { long, free: long } })
    expect(outputs(result)).toEqual(['0123\n[cut: 6 of 10 characters left out]', '0123456789'])
  })

  test('refineInput fills nothing in that the schema of the tool rules out', async () => {
    const fill = () => ({ after: 'now', query: 'mine', page: undefined })
    for (const [inputSchema, expected] of [
      [{ type: 'object', properties: { after: {} }, additionalProperties: false }, { after: 'now' }],
      [{ type: 'object', additionalProperties: false }, {}],
      [
        { type: 'object', additionalProperties: true },
        { after: 'now', query: 'mine' },
      ],
      [{ type: 'object' }, { after: 'now', query: 'mine' }],
    ] as const) {
      const got: unknown[] = []
      const look = tool({ inputSchema, execute: (input) => void got.push(input) })
      const script = [[{ type: 'call', toolName: 'look', input: {} } as const], 'done']
      await play(script, [refineInput({ tool: 'look', fill })], { tools: { look } })
      expect(got).toEqual([expected])
    }
  })

  test('refineInput leaves what is no object as it is, and names a tool whose schema cannot be read', async () => {
    const policies = [refineInput({ tool: 'search', fill: () => ({ row: 7 }) })]
    const { result } = await play([[call()], 'done'], policies, { refineInput: () => 7 })
    expect(outputs(result)).toEqual(['invalid-input'])
    const day = tool({ inputSchema: z.object({ day: z.date() }), execute: () => 1 })
    expect(() => makeLoop({ model: scriptedAdapter([]), tools: { search: day }, policies })).toThrow(
      failing('invalid-options', "tool 'search': its schema has no JSON Schema form"),
    )
  })

  test('refineInput gets the text of all parts of what the user said last, and none where nobody has asked', async () => {
    const prompts: unknown[] = []
    const complete = refineInput({
      tool: 'search',
      fill: (prompt, messages) => (prompts.push(prompt, messages.map(({ role, content }) => [role, content])[0]), {}),
    })
    const image = { type: 'file', mediaType: 'image/png', data: 'aGk=' } as const
    const content = [{ type: 'text', text: 'What ' }, image, { type: 'text', text: 'is it?' }] as const
    const model = scriptedAdapter([[call()], 'a', [call()], 'b'])
    const loop = makeLoop({ model, tools: { search }, policies: [complete] })
    await loop.generate({ messages: [{ role: 'user', content }] })
    await loop.generate({ messages: [{ role: 'system', content: 'Nobody has asked.' }] }, { instructions: 'Be brief.' })
    expect(prompts).toEqual(['What is it?', ['user', content], '', ['system', 'Be brief.']])
  })
}
