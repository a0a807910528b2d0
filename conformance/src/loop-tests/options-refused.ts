import { expect, test } from 'vitest'
import { z } from 'zod'
import { providerTool, tool, type Policy, type RunOptions, type StepEdit, type StepLoopOptions } from '@steploop/core'
import { addMiddleware, denyTools, shareToolCalls } from '@steploop/core/policies'
import { scriptedAdapter } from '@steploop/core/testing'
import type { WholeLoop, MakeWholeLoop } from '../loop.ts'
import { call, failing, hasty, throws } from './parts.ts'

export function testOptionsRefused(makeLoop: MakeWholeLoop): void {
  const look = tool({ inputSchema: z.object({}), execute: () => 'seen' })
  const make = (options: object): WholeLoop =>
    makeLoop({ model: scriptedAdapter(['done']), tools: { look }, ...options })

  test.each([
    ['a model that is a name', { model: 'gpt-5' }, "`model` is 'gpt-5'. Give an adapter"],
    ['no model', { model: undefined }, '`model` is undefined'],
    ['a fallback that is none', { fallbacks: [{}] }, '`fallbacks[0]` is an object with the keys (none)'],
    ['an unknown word', { onLimit: 'stop' }, "`onLimit` is 'stop'. It takes: finalize, incomplete, throw."],
    ['a hook that is no function', { onStepEnd: true }, '`onStepEnd` is true. Give a function.'],
    ['tools as a list', { tools: [look] }, '`tools` is an array'],
    ['a tool without its type', { tools: { bare: { execute: () => 1 } } }, "The tool 'bare' is no tool"],
    [
      'a choice of a tool that there is not',
      { toolChoice: { type: 'tool', toolName: 'loook' } },
      'one of the tools: look',
    ],
    ['a model without capabilities', { model: { turn: () => [] } }, '`model` is an object with the keys turn'],
    ['fallbacks that are no list', { fallbacks: 'gpt-5' }, "`fallbacks` is 'gpt-5'. Give an array."],
    ['names that are no list', { activeTools: 'look' }, "`activeTools` is 'look'. Give an array."],
    ['headers that are no object', { headers: 'x: y' }, "`headers` is 'x: y'. Give an object."],
    ['half a clock', { clock: { now: () => 0 } }, '`clock` is an object with the keys now'],
    ['a schema without its field', { output: { type: 'object' } }, '`output` is an object with the keys type'],
    ['policies that are no list', { policies: 'trace' }, "`policies` is 'trace'. Give an array."],
    ['a policy that is no function', { policies: [{}] }, '`policies[0]` is an object'],
    ['a policy that gives a number', { policies: [() => 7] }, '`policies[0]` gave 7.'],
    ['a policy that gives nothing', { policies: [() => undefined] }, '`policies[0]` gave undefined'],
    ['tools for a policy that are a word', { tools: 'look', policies: [shareToolCalls(1)] }, "`tools` is 'look'"],
    ['a word for yes or no', { eagerTools: 'yes' }, "`eagerTools` is 'yes'"],
    ['a tool without a name', { tools: { '': look } }, 'A tool has an empty name.'],
    ['a preset that gives nothing', { preset: () => undefined }, '`preset` gave undefined'],
    ['a choice that is no word', { toolChoice: 'any' }, "`toolChoice` is 'any'"],
    [
      'a choice of a tool that is none of two',
      { tools: { look, see: look }, toolChoice: { type: 'tool', toolName: 'sea' } },
      'one of the tools: look, see.',
    ],
    ['a name that is none of the tools', { activeTools: ['look', 'nope'] }, "`activeTools` names 'nope'"],
    ['a choice without tools that is no word', { tools: {}, toolChoice: 'any' }, 'of one of the tools: none.'],
    ['an option beside a function', { maxSteps: () => 1, onLimit: 'stop' }, "`onLimit` is 'stop'"],
    ['what is no signal', { abortSignal: new EventTarget() }, '`abortSignal` is an object with the keys (none). Give'],
    ['a schema that is a name', { output: { schema: 'city' } }, '`output` is an object with the keys schema. Give'],
    ['an object whose name is none', { output: { schema: {}, name: 7 } }, '`output`: `name` is 7. Give a text.'],
    ['an odd description', { output: { schema: {}, description: 7 } }, '`output`: `description` is 7. Give a text.'],
    ['an odd `partial`', { output: { schema: {}, partial: 7 } }, '`output`: `partial` is 7. Give true or false.'],
    ['a tool that is a word', { tools: { bare: 'look' } }, "The tool 'bare' is no tool"],
    ['a tool without a schema', { tools: { bare: { type: 'function' } } }, "The tool 'bare' is no tool"],
    ['a tool of another type', { tools: { bare: { ...look, type: 'tool' } } }, "The tool 'bare' is no tool"],
    ['a long name', { model: 'm'.repeat(99) }, `\`model\` is '${'m'.repeat(80)}'`],
    [
      'nine keys',
      { model: Object.fromEntries('abcdefghi'.split('').entries()) },
      'the keys 0, 1, 2, 3, 4, 5, 6, 7. Give',
    ],
    ['no keys', { model: {} }, '`model` is an object with the keys (none).'],
    [
      'what cannot be read',
      { clock: new Proxy({}, { ownKeys: throws(7) }) },
      '`clock` is an object that cannot be read',
    ],
    ['an object that is no model', { model: { name: 'm', key: 1 } }, '`model` is an object with the keys name, key'],
  ])('an option that cannot work is refused when the loop is made, with what it takes: %s', (_, options, message) => {
    expect(() => make(options)).toThrow(failing('invalid-options', message))
  })

  test.each([
    ['description', 'Give a text.'],
    ['execute', 'Give a function.'],
    ['effect', 'It takes: read, write.'],
    ['strict', 'Give true or false.'],
    ['providerOptions', 'Give an object.'],
    ['toModelOutput', 'Give a function.'],
    ['needsApproval', 'Give true, false or a function.'],
  ])('a tool whose `%s` is of another kind is refused. %s', (name, takes) => {
    expect(() => make({ tools: { look: { ...look, [name]: 7 } } })).toThrow(
      failing('invalid-options', `The tool 'look': \`${name}\` is 7. ${takes}`),
    )
  })

  test('two tools that the model would know by one name are refused', () => {
    const web = providerTool({ provider: 'scripted', name: 'look', definition: {} })
    expect(() => make({ tools: { look, web } })).toThrow(failing('duplicate-tool', "Two tools are named 'look'"))
    expect(() => make({ tools: { look, web: { ...web, provider: 'other' } } })).not.toThrow()
  })

  test('a choice of a tool is left out where there are no tools', async () => {
    const model = scriptedAdapter(['done'])
    await makeLoop({ model, toolChoice: { type: 'tool', toolName: 'look' } }).generate('x')
    expect(model.requests[0]?.request.toolChoice).toBeUndefined()
  })

  test('a schema may be a function, as those of some libraries are', async () => {
    const schema = Object.assign(() => true, { '~standard': z.object({ a: z.string() })['~standard'] })
    const model = scriptedAdapter(['{"a":"x"}'], { capabilities: { structured: true } })
    expect((await makeLoop({ model, output: { schema } }).generate('x')).output).toEqual({ a: 'x' })
  })

  test.each([
    ['a list', [], ' is an array. Give { run, turn, tool }'],
    ['a word', 'run', " is 'run'. Give { run, turn, tool }"],
    ['an unknown name', { step: look.execute }, ': `step` is no option. There are: run, turn, tool.'],
    ['no function', { turn: 1 }, ': `turn` is 1. Give a function.'],
    ['a promise', Promise.resolve({}), ' is an object with the keys (none). Give { run, turn, tool }'],
  ])('%s is no middleware, of a loop or where a policy adds to it', (_what, middleware, words) => {
    const refused = failing('invalid-options', `\`middleware\`${words}`)
    expect(() => make({ middleware })).toThrow(refused)
    const policies = [(given: StepLoopOptions) => addMiddleware(given, {})]
    expect(() => make({ middleware, policies })).toThrow(refused)
  })

  const never = (): never => {
    throw new Error('not asked')
  }
  const settings = {
    maxOutputTokens: 9,
    temperature: 0,
    topP: 1,
    topK: 1,
    presencePenalty: 0,
    frequencyPenalty: 0,
    seed: 1,
    reasoning: undefined,
  }
  /** Every option, with a value that it takes, by what it takes. */
  const fitting = {
    'Give a function.': {
      costOf: never,
      denyCall: never,
      preset: (options: object) => options,
      stopWhen: never,
      prepareStep: never,
      random: never,
      generateId: () => 'id',
      refineInput: never,
      onInvalidInput: never,
      onStepStart: never,
      onResponse: never,
      onToolStart: never,
      onToolExecuted: never,
      onStepEnd: never,
    },
    'Give an array.': { activeTools: ['look'], policies: [], fallbacks: [], stopSequences: ['.'] },
    'Give an object.': { providerOptions: {}, headers: {} },
    'Give a text.': { instructions: 'Be kind.' },
    'Give true or false.': { eagerTools: false, parallelToolCalls: false },
    'Give a number from 0.': {
      maxSteps: 0,
      maxToolCalls: 0,
      maxTokens: 0,
      maxCost: 0,
      maxRepeatedCalls: 0,
      maxToolCallsPerStep: 0,
      maxToolConcurrency: 1,
      toolTimeout: 0,
      turnTimeout: 0,
      timeout: 0,
      maxRetries: 0,
    },
    'It takes: finalize, incomplete, throw.': { onLimit: 'throw' },
    'It takes: answer, throw.': { onToolError: 'throw' },
    'It takes: answer, client.': { unknownTools: 'client' },
    'It takes: auto, off.': { continuation: 'off' },
  }

  test.each(Object.entries(fitting).flatMap(([takes, options]) => Object.keys(options).map((name) => [name, takes])))(
    'the option `%s` is refused when it is of another kind. %s',
    (name = '', takes = '') => {
      for (const wrong of takes.includes('number') ? ['1', -1, Number.NaN] : [7, Symbol.iterator])
        expect(() => make({ [name]: wrong })).toThrow(failing('invalid-options', new RegExp(`^\`${name}\` is `)))
      expect(() => make({ [name]: null })).toThrow(failing('invalid-options', takes))
    },
  )

  test('every option may be given at once, and none is taken for a name that no option has', () => {
    const others = { toolChoice: 'auto', middleware: {}, clock: hasty, abortSignal: undefined, output: undefined }
    expect(() => make(Object.assign({ ...settings, ...others }, ...Object.values(fitting)))).not.toThrow()
  })

  test('a preset makes options of those that were given', async () => {
    const model = scriptedAdapter(['done'])
    const preset: Policy = (options) => ({ ...options, instructions: `${options.instructions} Be brief.` })
    await makeLoop({ model, instructions: 'Be kind.', preset }).generate('x')
    expect(model.requests[0]?.request.instructions).toBe('Be kind. Be brief.')
  })

  test('an option of a run that is undefined was not given: the loop’s own holds', async () => {
    const model = scriptedAdapter(['done'])
    const loop = makeLoop({ model, tools: { look } })
    await loop.generate('x', { tools: undefined, maxSteps: undefined })
    expect(model.requests[0]?.request.tools).toHaveLength(1)
  })

  test('the controller of an abort instead of its signal is refused, for a stream at once', async () => {
    const abortSignal = new AbortController() as unknown as AbortSignal
    const refused = failing('invalid-options', 'abortSignal')
    expect(() => make({}).stream('x', { abortSignal })).toThrow(refused)
    await expect(make({}).generate('x', { abortSignal })).rejects.toThrow(refused)
  })

  test('a list in a message has a comma and a blank between its members', async () => {
    const see = tool({ inputSchema: z.object({}) })
    const calls = [call('look', {}, 'c1'), call('see', {}, 'c2'), call('sea', {}, 'c3')]
    const asking = tool({ inputSchema: z.object({}), needsApproval: true, execute: () => 1 })
    const loop = make({ model: scriptedAdapter([calls, calls]), tools: { look: asking, see } })
    const { transcript, toolResults } = await loop.generate('x')
    expect(toolResults[0]?.output.value).toMatchObject({
      message: "There is no tool 'sea'. Available tools: look, see.",
    })
    const answering = (id: string, answer: object) =>
      loop.generate({ transcript, toolOutputs: { [id]: answer as { readonly output: unknown } } })
    await expect(answering('c4', { output: 1 })).rejects.toThrow(failing('invalid-input', 'Pending calls: c1, c2.'))
    const misspelt = { approved: true, because: '' }
    await expect(answering('c1', misspelt)).rejects.toThrow('It takes: approved, input, reason, hash.')
    expect(() => make({ maxTurns: 3 })).toThrow('There are: model, instructions, tools, ')
    const edited = make({ prepareStep: () => ({ message: [] }) as StepEdit }).generate('x')
    await expect(edited).rejects.toThrow(/There are: messages, (\w+, )+\w+\.$/)
    const policies = [denyTools(['sea'])]
    expect(() => make({ policies, tools: { look, see } })).toThrow('There are: look, see.')
  })

  test('a schema is that of a library only when it says how to validate', async () => {
    const model = scriptedAdapter([[call('bare', { a: 1 })], 'done'])
    const inputSchema = { type: 'object', '~standard': null } as const
    const { toolResults } = await make({
      model,
      tools: { bare: tool({ inputSchema, execute: () => 'ran' }) },
    }).generate('x')
    expect(toolResults).toMatchObject([{ output: { value: 'ran' } }])
  })

  const model = scriptedAdapter([])
  test.each<[string, unknown]>([
    ['`maxTurns`', { model, maxTurns: 3 }],
    ['`constructor` is no option', { model, constructor: 3 }],
    ['`needApproval`', { model, tools: { look: { ...look, needApproval: true } } }],
    ['`timeOut`', { model, tools: { look: { ...look, timeOut: 3 } } }],
  ])('names that no option has are refused when the loop is made: %s', (name, options) => {
    expect(() => makeLoop(options as StepLoopOptions)).toThrow(failing('invalid-options', name))
  })

  test('names that no option has are refused per run, and in the edit of a step', async () => {
    const loop = makeLoop({ model })
    const misspelt = { maxStep: 3 } as RunOptions
    await expect(loop.generate('x', misspelt)).rejects.toMatchObject({ code: 'invalid-options' })
    const edited = loop.generate('x', { prepareStep: () => ({ message: [] }) as StepEdit })
    await expect(edited).rejects.toThrow(failing('invalid-options', '`message`'))
  })
}
