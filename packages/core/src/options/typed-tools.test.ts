import { describe, expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import {
  providerTool,
  StepLoop,
  tool,
  type RunOptions,
  type RunResult,
  type StepLoopOptions,
  type Step,
  type StepEdit,
  type ToolCallPart,
  type ToolSet,
} from '../index.ts'
import { allowTools } from '../policies/index.ts'
import type { StandardSchema } from '../tools/standard-schema.ts'
import { scriptedAdapter } from '../testing/index.ts'

const tools = {
  weather: tool({ inputSchema: z.object({ city: z.string() }), execute: ({ city }) => city }),
  wait: tool({ inputSchema: z.object({ ms: z.string().transform(Number) }), execute: ({ ms }) => ms }),
  note: tool({ inputSchema: { type: 'object' } }),
}
const search = providerTool({ provider: 'p', name: 'web_search', definition: {} })
const model = scriptedAdapter([], { capabilities: { structured: true, structuredWithTools: true } })
const a = { schema: z.object({ a: z.string() }) }
const b = { schema: z.object({ b: z.number() }) }

/** For types only: nothing runs. */
function unrun<Made>(make: () => Made): Made {
  return make as unknown as Made
}

describe('the output of a run', () => {
  const loop = new StepLoop({ model, output: a })

  test('the output of a run has the type of its own `output`, else of the loop’s, in all three forms', async () => {
    const run = scriptedAdapter(['{"b":1}'], { capabilities: { structured: true } })
    const { output } = await new StepLoop({ model: run, output: a }).generate('x', { output: b, maxSteps: 1 })
    expectTypeOf(output).toEqualTypeOf<{ b: number } | undefined>()
    expect(output?.b).toBe(1)
    const generated = unrun(() => loop.generate('x', { maxSteps: 1 }))
    expectTypeOf<Awaited<typeof generated>['output']>().toEqualTypeOf<{ a: string } | undefined>()
    const streamed = unrun(() => loop.stream('x', { output: b }).result)
    expectTypeOf<Awaited<typeof streamed>['output']>().toEqualTypeOf<{ b: number } | undefined>()
    type Stepped = ReturnType<typeof stepped>
    const stepped = () => loop.steps('x', { output: b })
    expectTypeOf<Stepped>().toExtend<AsyncGenerator<Step, RunResult<{ b: number }>, StepEdit | undefined>>()
  })

  test('the output of a run is unknown where a plain JSON Schema, or options that are not known, decide', () => {
    const plain = unrun(() => loop.generate('x', { output: { schema: { type: 'object' } } }))
    expectTypeOf<Awaited<typeof plain>['output']>().toEqualTypeOf<unknown>()
    const options: RunOptions = {}
    const open = unrun(() => loop.generate('x', options))
    expectTypeOf<Awaited<typeof open>['output']>().toEqualTypeOf<unknown>()
    const explicit = unrun(() => loop.generate('x', { output: undefined }))
    expectTypeOf<Awaited<typeof explicit>['output']>().toEqualTypeOf<{ a: string } | undefined>()
  })
})

test('calls and results are distinguished by `toolName`, with the input as the model writes it', () => {
  const run = unrun(() => new StepLoop({ model, tools }).generate('x'))
  type Result = Awaited<typeof run>
  type Call = Result['toolCalls'][number]
  expectTypeOf<Call['toolName']>().toEqualTypeOf<'weather' | 'wait' | 'note'>()
  type InputOf<Name> = Extract<Call, { toolName: Name }>['input']
  expectTypeOf<InputOf<'weather'>>().toEqualTypeOf<{ city: string }>()
  expectTypeOf<InputOf<'wait'>>().toEqualTypeOf<{ ms: string }>()
  expectTypeOf<InputOf<'note'>>().toEqualTypeOf<unknown>()
  expectTypeOf<Result['toolResults'][number]['toolName']>().toEqualTypeOf<'weather' | 'wait' | 'note'>()
  expectTypeOf<Result['steps'][number]['toolCalls'][number]>().toEqualTypeOf<Call>()
  const narrow = (call: Call): string => (call.toolName === 'weather' ? call.input.city : call.toolName)
  expectTypeOf(narrow).returns.toBeString()
})

test('calls and results of the provider’s tools have the provider’s names; those of a run have the run’s tools', () => {
  const run = unrun(() => new StepLoop({ model, tools }).generate('x', { tools: { search } }))
  type Call = Awaited<typeof run>['toolCalls'][number]
  expectTypeOf<Call['toolName']>().toEqualTypeOf<'web_search'>()
})

test('calls and results are open where the tools are', () => {
  const open: ToolSet = tools
  const run = unrun(() => new StepLoop({ model, tools: open }).generate('x'))
  expectTypeOf<Awaited<typeof run>['toolCalls'][number]>().toEqualTypeOf<ToolCallPart>()
  const none = unrun(() => new StepLoop({ model }).generate('x'))
  expectTypeOf<Awaited<typeof none>['toolCalls'][number]>().toEqualTypeOf<ToolCallPart>()
  const typed = unrun(() => new StepLoop({ model, tools }).generate('x'))
  expectTypeOf<Awaited<typeof typed>>().toExtend<RunResult>()
  expectTypeOf<StepLoop<unknown, typeof tools>>().toExtend<StepLoop>()
})

describe('names of tools', () => {
  const loop = new StepLoop({ model, tools })
  type Own = typeof tools
  type Searching = { search: typeof search }
  type LoopOptions = ConstructorParameters<typeof StepLoop<unknown, Own>>[0]
  type OwnRun = Parameters<typeof loop.generate<undefined, Own>>[1]
  type SearchingRun = Parameters<typeof loop.generate<undefined, Searching>>[1]
  interface Given<Tools> {
    model: typeof model
    tools: Tools
  }

  test('names of tools are those of the loop, and of a run with tools of its own those of the run', () => {
    expectTypeOf<Given<Own> & { activeTools: 'weather'[] }>().toExtend<LoopOptions>()
    expectTypeOf<Given<Own> & { activeTools: 'wether'[] }>().not.toExtend<LoopOptions>()
    expectTypeOf<{ activeTools: 'weather'[] }>().toExtend<OwnRun>()
    expectTypeOf<{ activeTools: 'wether'[] }>().not.toExtend<OwnRun>()
    expectTypeOf<{ tools: Searching; activeTools: 'search'[] }>().toExtend<SearchingRun>()
    expectTypeOf<{ tools: Searching; activeTools: 'weather'[] }>().not.toExtend<SearchingRun>()
    type Choice<Name> = Given<Own> & { toolChoice: { type: 'tool'; toolName: Name } }
    expectTypeOf<Choice<'weather'>>().toExtend<LoopOptions>()
    expectTypeOf<Choice<'wether'>>().not.toExtend<LoopOptions>()
    // A name in `activeTools` is no tool that `tools` has to have been given.
    const named = unrun(() => new StepLoop({ model, tools, activeTools: ['weather'] }))
    expectTypeOf(named).toEqualTypeOf<StepLoop<unknown, Own>>()
  })

  test('names of tools are looked at when the program runs, too', async () => {
    const options: Partial<StepLoopOptions> = { activeTools: ['weather'], policies: [allowTools(['note'])] }
    const cautious: Partial<StepLoopOptions> = { maxSteps: 4, onLimit: 'throw' }
    expect(() => new StepLoop({ model, tools, ...options, ...cautious })).not.toThrow()
    const misspelt: RunOptions = { activeTools: ['wether'] }
    const chosen: RunOptions = { toolChoice: { type: 'tool', toolName: 'wether' } }
    expect(() => new StepLoop({ model, tools, ...misspelt })).toThrow("names 'wether'")
    expect(() => new StepLoop({ model, tools, ...chosen })).toThrow('`toolChoice` is')
    await expect(loop.generate('x', misspelt)).rejects.toThrow("names 'wether'")
    const others: RunOptions = { tools: { search }, activeTools: ['weather'] }
    await expect(loop.generate('x', others)).rejects.toThrow("names 'weather'")
  })
})

test('the arguments of a tool are an object', () => {
  type Declared<Sent> = { inputSchema: StandardSchema<Sent>; execute: () => number }
  expectTypeOf<Declared<{ a: string }>>().toExtend<Parameters<typeof tool<{ a: string }, { a: string }>>[0]>()
  expectTypeOf<Declared<string[]>>().not.toExtend<Parameters<typeof tool<string[], string[]>>[0]>()
  expectTypeOf<Declared<string>>().not.toExtend<Parameters<typeof tool<string, string>>[0]>()
  const open = tool({ inputSchema: z.any(), execute: () => 1 })
  const either = tool({ inputSchema: z.union([z.object({ a: z.string() }), z.object({ b: z.number() })]) })
  expect([open.type, either.type]).toEqual(['function', 'function'])
})
