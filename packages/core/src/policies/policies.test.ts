import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  allowTools,
  cacheToolResults,
  denyTools,
  finalizeAfterTools,
  forceFirstTool,
  limitToolOutput,
  refineInput,
  retryEmpty,
  routeByTool,
  StepLoop,
  tool,
  trace,
  type Policy,
  type RunResult,
  type StepLoopOptions,
  type TraceEntry,
} from '../index.ts'
import { fakeClock, scriptedAdapter, type ScriptedTurn } from '../testing/index.ts'

const inputs: unknown[] = []
const search = tool({
  inputSchema: z.looseObject({ query: z.string() }),
  execute: (input) => {
    inputs.push(input)
    return `found ${input.query}`
  },
})
const call = (input: Record<string, unknown> = { query: 'x' }) => ({ type: 'call', toolName: 'search', input }) as const

async function play(
  script: readonly ScriptedTurn[],
  policies: readonly Policy[],
  options: Partial<StepLoopOptions> = {},
) {
  inputs.length = 0
  const model = scriptedAdapter(script)
  const loop = new StepLoop({ model, tools: { search }, policies, ...options })
  const result = await loop.generate(options.instructions ?? 'What is new?')
  return { result, requests: model.requests.map(({ request }) => request) }
}

const outputs = ({ toolResults }: RunResult) =>
  toolResults.map(({ output }) => (output.type === 'error' ? output.value.code : output.value))

describe('forceFirstTool', () => {
  const news = forceFirstTool({ tool: 'search', when: (prompt) => /new|latest/.test(prompt) })

  test('forces the tool on the first step only, when the prompt asks for it', async () => {
    const { requests } = await play([[call()], 'done'], [news])
    expect(requests.map(({ toolChoice }) => toolChoice)).toEqual([{ type: 'tool', toolName: 'search' }, undefined])
  })

  test('does nothing for other prompts, or when the loop has no such tool', async () => {
    const other = await play(['done'], [news], { instructions: 'Explain physics' })
    expect(other.requests[0]?.toolChoice).toBeUndefined()
    const missing = await play(['done'], [forceFirstTool({ tool: 'nope' })])
    expect(missing.requests[0]?.toolChoice).toBeUndefined()
  })

  test('leaves the last word to the application', async () => {
    const { requests } = await play(['done'], [news], { prepareStep: () => ({ toolChoice: 'none' }) })
    expect(requests[0]?.toolChoice).toBe('none')
  })
})

describe('retryEmpty', () => {
  test('asks again once when neither text nor calls came', async () => {
    const { result, requests } = await play([[], 'done'], [retryEmpty({ message: 'Go on' })])
    expect([result.text, requests[1]?.messages.at(-1)?.content]).toEqual(['done', 'Go on'])
  })

  test('never retries after tools ran, nor more often than it may', async () => {
    expect((await play([[call()], []], [retryEmpty()])).requests).toHaveLength(2)
    expect((await play([[], []], [retryEmpty()])).requests).toHaveLength(2)
  })

  test('may give up with a text, and may retry when a forced tool was ignored', async () => {
    const given = await play([[], []], [retryEmpty({ giveUpText: 'Nothing more.' })])
    expect(given.result).toMatchObject({ text: 'Nothing more.', stopReason: 'hook' })
    const forced = [forceFirstTool({ tool: 'search' }), retryEmpty({ ignoredTool: 'search' })]
    const ignored = await play(['no need', [call()], 'done'], forced)
    expect(ignored.result.text).toBe('done')
  })
})

test('finalizeAfterTools asks for the answer, once and without tools, after the first batch', async () => {
  const { result, requests } = await play([[call()], 'done'], [finalizeAfterTools({ message: 'Answer now' })])
  expect(result.text).toBe('done')
  expect(requests.map(({ toolChoice }) => toolChoice)).toEqual([undefined, 'none'])
  expect(requests[1]?.messages.filter(({ content }) => content === 'Answer now')).toHaveLength(1)
})

test('refineInput fills missing fields from the prompt and never overwrites the model’s', async () => {
  const fill = (prompt: string) => ({ query: 'never', after: prompt === 'What is new?' ? '2026-01-01' : undefined })
  await play([[call(), call({ query: 'y', after: 'own' })], 'done'], [refineInput({ tool: 'search', fill })])
  expect(inputs).toEqual([
    { query: 'x', after: '2026-01-01' },
    { query: 'y', after: 'own' },
  ])
})

describe('cacheToolResults', () => {
  const twice = [
    [call({ query: 'x', page: 1 }), call({ page: 1, query: 'x' })],
    [call({ query: 'x', page: 1 })],
    'done',
  ]

  test('runs a tool once for the same input, whatever the order of its keys', async () => {
    const { result } = await play(twice, [cacheToolResults()])
    expect([inputs.length, outputs(result)]).toEqual([1, ['found x', 'found x', 'found x']])
  })

  test('keeps as many results as it may, and none longer than it may', async () => {
    const clock = fakeClock()
    const search2 = { ...search, execute: (input: { query: string }) => (inputs.push(input), clock.advance(10), 'ok') }
    const options = { tools: { search: search2 }, clock }
    const script = [[call()], [call()], 'done']
    await play(script, [cacheToolResults({ maxAge: 5 })], options)
    expect(inputs).toHaveLength(2)
    await play(
      [[call({ query: 'a' }), call({ query: 'b' }), call({ query: 'a' })], 'done'],
      [cacheToolResults({ maxEntries: 1 })],
    )
    expect(inputs).toHaveLength(3)
  })

  test('does not keep failures', async () => {
    let runs = 0
    const failing = tool({ inputSchema: z.object({}), execute: () => Promise.reject(new Error(`no ${++runs}`)) })
    const script = [[{ type: 'call', toolName: 'failing', input: {} } as const]]
    await play([...script, ...script, 'done'], [cacheToolResults()], { tools: { failing } })
    expect(runs).toBe(2)
  })
})

describe('allowTools and denyTools', () => {
  test('keep other tools from running, and the call is answered', async () => {
    expect(outputs((await play([[call()], 'done'], [allowTools(['other'])])).result)).toEqual(['denied'])
    expect(outputs((await play([[call()], 'done'], [denyTools(['search'])])).result)).toEqual(['denied'])
    expect(inputs).toEqual([])
  })

  test('let the rest through and add up', async () => {
    expect(outputs((await play([[call()], 'done'], [allowTools(['search'])])).result)).toEqual(['found x'])
    const both = [allowTools(['search']), denyTools(['search'], 'not today')]
    const { result } = await play([[call()], 'done'], both)
    expect(result.toolResults[0]?.output.value).toMatchObject({ message: 'not today' })
  })
})

test('routeByTool asks the mapped model after its tool, and the loop’s own after that', async () => {
  const strong = scriptedAdapter([[{ type: 'call', toolName: 'note', input: {} }]], { model: 'strong' })
  const note = tool({ inputSchema: z.object({}), execute: () => 'noted' })
  const { result, requests } = await play([[call()], 'done'], [routeByTool({ search: strong })], {
    tools: { search, note },
  })
  expect(result.steps.map(({ model }) => model)).toEqual(['scripted-1', 'strong', 'scripted-1'])
  expect([requests.length, strong.requests.length]).toEqual([2, 1])
})

test('limitToolOutput cuts long outputs between characters and says so', async () => {
  const long = tool({ inputSchema: z.object({}), execute: () => ({ text: '🌧️🌧️🌧️🌧️' }) })
  const script = [[{ type: 'call', toolName: 'long', input: {} } as const], 'done']
  const { result } = await play(script, [limitToolOutput({ maxCharacters: 13 })], { tools: { long } })
  expect(outputs(result)).toEqual(['{"text":"🌧️\n[cut: 11 of 23 characters left out]'])
})

test('trace writes a line for every request, response, tool call and step', async () => {
  const lines: TraceEntry[] = []
  await play([[call()], 'done'], [trace((line) => lines.push(line))], { clock: fakeClock(7) })
  expect(lines.map(({ step, action }) => `${step} ${action}`)).toEqual([
    '0 request',
    '0 response',
    '0 tool-call',
    '1 step-end',
    '1 request',
    '1 response',
    '2 step-end',
  ])
  expect(lines[2]).toEqual({
    timestamp: 7,
    step: 0,
    action: 'tool-call',
    data: { toolName: 'search', input: { query: 'x' }, output: { type: 'text', value: 'found x' } },
  })
})
