import { expect, test } from 'vitest'
import { z } from 'zod'
import { tool, AdapterError, type Policy, type StepLoopOptions, type RunResult, type ToolContext } from '@steploop/core'
import { cacheToolResults, limitToolCalls, limitToolOutput, shareToolCalls } from '@steploop/core/policies'
import { scriptedAdapter } from '@steploop/core/testing'
import type { MakeWholeLoop } from '../loop.ts'
import { stored } from '../scenario.ts'
import { call, hasty, throws } from './parts.ts'

export function testLimitedCalls(makeLoop: MakeWholeLoop): void {
  const search = tool({ inputSchema: z.object({ q: z.string() }), execute: ({ q }) => `found ${q}` })
  const note = tool({ inputSchema: z.object({}), execute: () => 'noted' })
  const find = (q: string) => ({ type: 'call', toolName: 'search', input: { q } }) as const

  test('limitToolCalls answers calls beyond the limit of a tool, in one step or more', { tags: ['E08'] }, async () => {
    const script = [[call('note'), find('a')], [find('b'), find('c'), call('note')], 'done']
    const loop = makeLoop({
      model: scriptedAdapter(script),
      tools: { search, note },
      policies: [limitToolCalls({ search: 2 })],
    })
    const { toolResults, text } = await loop.generate('x')
    expect(toolResults.map(({ output }) => (output.type === 'error' ? output.value.message : output.value))).toEqual([
      'noted',
      'found a',
      'found b',
      "'search' may be called 2 times, and was. Go on with the results that you have.",
      'noted',
    ])
    expect(text).toBe('done')
  })

  test('a turn without calls neither ends a repetition nor takes a call from it', async () => {
    const script = [[find('a')], [find('a')], 'so', [find('a')], 'done']
    const { toolResults } = await makeLoop({
      model: scriptedAdapter(script),
      tools: { search },
      maxRepeatedCalls: 3,
      onStepEnd: ({ step }) =>
        step === 3 ? { type: 'continue', messages: [{ role: 'user', content: 'Go on' }] } : undefined,
    }).generate('x')
    expect(toolResults.map(({ output }) => output.value)).toMatchObject([
      'found a',
      'found a',
      { code: 'repeated-call' },
    ])
  })

  test('limitToolCalls goes on counting when a suspended run goes on, and when the loop itself has something to say', async () => {
    const ask = tool({ inputSchema: z.object({}) })
    const model = scriptedAdapter(
      [
        [find('a'), { type: 'call', toolName: 'ask', input: {} }],
        [],
        [find('b')],
        'words in place of the object',
        [find('c')],
        '{"a":"x"}',
      ],
      { capabilities: { tools: true, structured: true, structuredWithTools: true } },
    )
    const output = { schema: z.object({ a: z.string() }), maxRepairs: 5 }
    const nudge = { role: 'user', content: 'Go on.', synthetic: true } as const
    const onStepEnd: StepLoopOptions['onStepEnd'] = ({ response }) =>
      response?.content.length === 0 ? { type: 'continue', messages: [nudge] } : undefined
    const policies = [limitToolCalls({ search: 1 })]
    const loop = makeLoop({ model, tools: { search, ask }, output, onStepEnd, policies })
    const { transcript } = await loop.generate('x')
    const kept = stored(transcript)
    const id = kept.pendingCalls[0]!.toolCallId
    const { toolResults, output: found } = await loop.generate({
      transcript: kept,
      toolOutputs: { [id]: { output: 'yes' } },
    })
    const types = toolResults.filter(({ toolName }) => toolName === 'search').map(({ output: { type } }) => type)
    expect([found, types.slice(-2)]).toEqual([{ a: 'x' }, ['error', 'error']])
  })

  test('limitToolCalls counts anew for the next words of the user, and allows nothing at 0', async () => {
    const model = scriptedAdapter([[find('a')], 'one', [find('b')], 'two'])
    const loop = makeLoop({ model, tools: { search }, policies: [limitToolCalls({ search: 1 })] })
    const { transcript } = await loop.generate('x')
    const { toolResults } = await loop.generate({ transcript, prompt: 'y' })
    expect(toolResults.map(({ output }) => output.value)).toEqual(['found b'])
    const none = makeLoop({
      model: scriptedAdapter([[find('a')], 'one']),
      tools: { search },
      policies: [limitToolCalls({ search: 0 })],
    })
    expect((await none.generate('x')).toolResults[0]?.output.type).toBe('error')
  })

  test('limitToolCalls holds with `eagerTools` too, for calls of one turn and of the next', async () => {
    const eager = tool({ inputSchema: z.object({ q: z.string() }), effect: 'read', execute: ({ q }) => `found ${q}` })
    const loop = makeLoop({
      model: scriptedAdapter([[find('a'), find('b'), find('c')], [find('d')], 'done']),
      tools: { search: eager },
      eagerTools: true,
      policies: [limitToolCalls({ search: 1 })],
    })
    const { toolResults } = await loop.stream('x').result
    expect(toolResults.map(({ output }) => output.type)).toEqual(['text', 'error', 'error', 'error'])
  })

  const look = { type: 'call', toolName: 'look', input: {} } as const

  function outputs({ toolResults }: RunResult): readonly unknown[] {
    return toolResults.map(({ output }) => (output.type === 'error' ? output.value.message : output.value))
  }

  test('shareToolCalls counts calls of an agent and of its tools’ agents together', { tags: ['E14'] }, async () => {
    const budget = [shareToolCalls(3)]
    const eye = tool({ inputSchema: z.object({}), execute: () => 'seen' })
    const helper = makeLoop({
      model: scriptedAdapter([[look, look, look], 'two of three']),
      tools: { look: eye },
      policies: budget,
    })
    const inner: RunResult[] = []
    const agent = tool({
      inputSchema: z.object({}),
      execute: async (_input, { signal }) => {
        inner.push(await helper.generate('Look around.', { abortSignal: signal }))
        return inner[0]?.text
      },
    })
    const model = scriptedAdapter([[{ type: 'call', toolName: 'agent', input: {} }], [look], 'done'])
    const result = await makeLoop({ model, tools: { agent, look: eye }, policies: budget }).generate('x')
    const refused = 'The 3 calls that are shared here are used up. Answer with what you have.'
    expect(inner.map(outputs)).toEqual([['seen', 'seen', refused]])
    expect([result.text, ...outputs(result)]).toEqual(['done', 'two of three', refused])
  })

  test('shareToolCalls counts a call once in a loop that is given the policy twice', async () => {
    const eye = tool({ inputSchema: z.object({}), execute: () => 'seen' })
    const policy = shareToolCalls(1)
    const model = scriptedAdapter([[look, look], 'done'])
    const result = await makeLoop({ model, tools: { look: eye }, policies: [policy, policy] }).generate('x')
    expect(outputs(result)).toEqual(['seen', expect.stringContaining('used up')])
  })

  test('shareToolCalls is not used up by turns that fail and are asked for again', async () => {
    const eye = tool({ inputSchema: z.object({}), effect: 'read', execute: () => 'seen' })
    const broken = { parts: [look, look], error: new AdapterError({ provider: 'p', model: 'm', code: 'connection' }) }
    const loop = makeLoop({
      model: scriptedAdapter([broken, broken, [look], 'done']),
      tools: { look: eye },
      eagerTools: true,
      toolTimeout: 0,
      clock: hasty,
      policies: [shareToolCalls(1)],
    })
    expect(outputs(await loop.generate('x'))).toEqual(['seen'])
  })

  test('limitToolCalls leaves tools without a limit alone, however they are named', async () => {
    const tools = { search, constructor: note }
    const model = scriptedAdapter([[call('constructor')], 'done'])
    const loop = makeLoop({ model, tools, policies: [limitToolCalls({ search: 1 })] })
    expect(outputs(await loop.generate('x'))).toEqual(['noted'])
  })

  const shared = shareToolCalls(9)
  test.each<[string, readonly Policy[]]>([
    ['limitToolCalls', [limitToolCalls({ look: 9 })]],
    ['shareToolCalls', [shared]],
    ['shareToolCalls, twice,', [shared, shared]],
    ['cacheToolResults', [cacheToolResults()]],
    ['cacheToolResults without a scope', [cacheToolResults({ scope: throws(new Error('nobody')) })]],
    ['limitToolOutput', [limitToolOutput({ maxCharacters: 99 })]],
  ])('%s hands a tool its input and its context on', async (_what, policies) => {
    const seen: unknown[] = []
    const execute = (input: object, { toolCallId }: ToolContext) => void seen.push([input, toolCallId])
    const eye = tool({ inputSchema: z.looseObject({}), effect: 'read', execute })
    const model = scriptedAdapter([[call('look', { at: 1 }, 'c1')], 'done'])
    await makeLoop({ model, tools: { look: eye }, policies }).generate('x')
    expect(seen).toEqual([[{ at: 1 }, 'c1']])
  })

  test('shareToolCalls and limitToolCalls leave to the caller what the caller runs', async () => {
    for (const policy of [shareToolCalls(1), limitToolCalls({})]) {
      const loop = makeLoop({
        model: scriptedAdapter([[call('ask')]]),
        tools: { ask: tool({ inputSchema: z.object({}) }) },
        policies: [policy],
      })
      expect((await loop.generate('x')).status).toBe('requires-action')
    }
  })

  test('shareToolCalls shares nothing with another policy of the same kind', async () => {
    const eye = tool({ inputSchema: z.object({}), execute: () => 'seen' })
    const run = () =>
      makeLoop({
        model: scriptedAdapter([[look], 'done']),
        tools: { look: eye },
        policies: [shareToolCalls(1)],
      }).generate('x')
    expect([outputs(await run()), outputs(await run())]).toEqual([['seen'], ['seen']])
  })
}
