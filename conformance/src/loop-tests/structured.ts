import { expect, test } from 'vitest'
import { z } from 'zod'
import type { Capabilities } from '@steploop/core/adapter'
import { jsonObject, tool, type LoopEvent, type Message, type StepLoopOptions } from '@steploop/core'
import { structuredToolName } from '../structured-tool.ts'
import { scriptedAdapter, type ScriptedTurn } from '@steploop/core/testing'
import type { MakeWholeLoop } from '../loop.ts'
import { failing } from './parts.ts'

export function testStructured(makeLoop: MakeWholeLoop): void {
  const schema = z.object({ city: z.string(), degrees: z.number() })
  const rome = { city: 'Rome', degrees: 20 }
  const look = tool({ inputSchema: z.object({}), execute: () => 'seen' })
  const call = { type: 'call', toolName: 'look', input: {} } as const
  const give = (input: Record<string, unknown>) => ({ type: 'call', toolName: structuredToolName, input }) as const

  const native: Capabilities = { tools: true, structured: true, structuredWithTools: true }
  const apart: Capabilities = { tools: true, structured: true }
  const none: Capabilities = { tools: true, toolChoice: ['auto', 'required', 'tool'] }

  async function play(
    capabilities: Capabilities,
    script: readonly ScriptedTurn[],
    options: Partial<StepLoopOptions> = {},
  ) {
    const model = scriptedAdapter(script, { capabilities })
    const loop = makeLoop({ model, ...options, output: { schema } })
    const events: LoopEvent[] = []
    const stream = loop.stream('x')
    for await (const event of stream) events.push(event)
    const result = await stream.result.catch((error: unknown) => ({ error }))
    return { result, requests: model.requests.map(({ request }) => request), events: JSON.stringify(events) }
  }

  test('with native support: each turn is constrained, the object comes after tools', { tags: ['T03'] }, async () => {
    const { result, requests } = await play(native, [[call], JSON.stringify(rome)], { tools: { look } })
    expect(result).toMatchObject({ output: rome, status: 'completed', stopReason: 'answer' })
    expect(requests.map(({ responseFormat }) => responseFormat?.name)).toEqual(['answer', 'answer'])
    expect(requests[0]?.responseFormat).toBe(requests[1]?.responseFormat)
  })

  test('with native support: a fenced object is taken, an invalid one is sent back once with its issues', async () => {
    const fenced = await play(native, ['```json\n{"city":"Rome","degrees":20}\n```'])
    expect(fenced.result).toMatchObject({ output: rome })
    const { result, requests } = await play(native, ['{"city":"Rome"}', JSON.stringify(rome)])
    expect(result).toMatchObject({ output: rome })
    expect(requests[1]?.messages.at(-1)).toMatchObject({ role: 'user', content: expect.stringContaining('degrees') })
  })

  test('with native support that never gives a valid object, the run fails with its transcript', async () => {
    const { result } = await play(native, ['{}', 'sorry'])
    expect(result).toMatchObject({ error: { code: 'invalid-output', transcript: { version: 1 } } })
  })

  /** What a model is told: words, or the error of its call. */
  const answerIn = (message: Message | undefined) => {
    const [part] = message?.role === 'tool' ? message.content : []
    return part?.output.type === 'error' ? part.output.value : { code: 'words', message: message?.content }
  }

  test.each<[string, Capabilities, ScriptedTurn, string, RegExp]>([
    ['no JSON', native, 'sorry', 'words', /not the JSON object .*\. Answer with the corrected JSON object alone\.$/],
    ['no object', native, '[]', 'words', /not a JSON object/],
    ['not valid', native, '{"city":1}', 'words', /: city: .*; degrees: .* alone\.$/],
    ['words', none, 'sorry', 'words', /Call output_structured_data with it\.$/],
    [
      'not valid, by a call',
      none,
      [give({ city: 1 })],
      'invalid-input',
      /The object .*: city: .*; degrees: .* again\./,
    ],
  ])(
    'an object that is %s is asked for again as often as `maxRepairs` says',
    async (...[, capabilities, turn, code, words]) => {
      for (const maxRepairs of [0, 2]) {
        const script = [...Array.from({ length: maxRepairs + 1 }, () => turn), 'never']
        const model = scriptedAdapter(script, { capabilities })
        const failed = makeLoop({ model, output: { schema, maxRepairs } }).generate('x')
        await expect(failed).rejects.toThrow(failing('invalid-output', `after ${maxRepairs} repairs`))
        const answers = model.requests.slice(1).map(({ request }) => answerIn(request.messages.at(-1)))
        const refused = { code, message: expect.stringMatching(words) }
        expect(answers).toEqual(Array.from({ length: maxRepairs }, () => refused))
      }
    },
  )

  test.each<[Capabilities, ScriptedTurn]>([
    [native, JSON.stringify(rome)],
    [none, [give(rome)]],
  ])(
    'what is wrong with an object as a whole is told, and is in the error of the run: %j',
    async (capabilities, turn) => {
      const output = { schema: schema.refine(() => false, 'too warm'), maxRepairs: 0 }
      const failed = makeLoop({ model: scriptedAdapter([turn], { capabilities }), output }).generate('x')
      await expect(failed).rejects.toThrow(failing('invalid-output', '0 repairs. The object is not valid: too warm. '))
    },
  )

  test('JSON mode asks for any object, and nobody can change what it asks for', async () => {
    const model = scriptedAdapter(['[1]', '{"any":[1]}'], { capabilities: native })
    expect((await makeLoop({ model, output: jsonObject }).generate('x')).output).toEqual({ any: [1] })
    expect(model.requests[0]?.request.responseFormat).toEqual({ name: 'answer', schema: { type: 'object' } })
    for (const shared of [jsonObject, jsonObject.schema])
      expect(() => Object.assign(shared, { schema: {} })).toThrow(TypeError)
  })

  test('a schema of the object that JSON Schema cannot say is refused', async () => {
    const output = { schema: z.object({ day: z.date() }) }
    const failed = makeLoop({ model: scriptedAdapter(['never']), output }).generate('x')
    await expect(failed).rejects.toThrow(
      failing('invalid-options', 'output.schema: its schema has no JSON Schema form'),
    )
  })

  test('an answer in several texts is one object', async () => {
    const texts = ['{"city":"Rome",', '"degrees":20}'].map((text) => ({ type: 'text', text }) as const)
    expect((await play(native, [texts])).result).toMatchObject({ output: rome })
  })

  test('what the object is for is told to the provider, or with the hidden tool', async () => {
    const output = { schema, name: 'weather', description: 'The weather of today.' }
    const bare = await play(native, [JSON.stringify(rome)])
    expect(Object.keys(bare.requests[0]?.responseFormat ?? {})).toEqual(['name', 'schema'])
    const hidden = await play(none, [[give(rome)]])
    const properties = { city: { type: 'string' }, degrees: { type: 'number' } }
    const ended = expect.stringMatching(/ have everything\.$/)
    expect(hidden.requests[0]?.tools).toMatchObject([
      { type: 'function', name: structuredToolName, description: ended, inputSchema: { properties } },
    ])
    const asked = async (capabilities: Capabilities, turn: ScriptedTurn) => {
      const model = scriptedAdapter([turn], { capabilities })
      await makeLoop({ model, output }).generate('x')
      return model.requests[0]?.request
    }
    const format = { name: 'weather', description: output.description }
    expect(await asked(native, JSON.stringify(rome))).toMatchObject({ responseFormat: format })
    const description = expect.stringMatching(/ The weather of today\.$/)
    expect(await asked(none, [give(rome)])).toMatchObject({ tools: [{ description }] })
  })

  test('a choice of the caller holds beside the hidden tool, and where every turn is constrained', async () => {
    const toolChoice = { type: 'tool', toolName: 'look' } as const
    const { requests } = await play(none, [[call], [give(rome)]], { tools: { look }, toolChoice })
    expect(requests.map((request) => request.toolChoice)).toEqual([toolChoice, 'required'])
    const names = ['look', structuredToolName]
    expect(requests.map(({ tools = [] }) => tools.map(({ name }) => name))).toEqual([names, names])
    expect((await play(none, [[give(rome)]], { tools: { look }, toolChoice: 'auto' })).requests).toMatchObject([
      { toolChoice: 'required' },
    ])
    const constrained = await play(native, [[call], JSON.stringify(rome)], { tools: { look }, toolChoice })
    expect(constrained.requests.map((request) => request.toolChoice)).toEqual([toolChoice, undefined])
    const later = await play(apart, [[call], 'It is 20.', JSON.stringify(rome)], { tools: { look }, toolChoice })
    expect(later.requests.map((request) => request.toolChoice)).toEqual([toolChoice, undefined, undefined])
  })

  test('without native support: arguments that are no object are sent back', async () => {
    const list = { type: 'call', toolName: structuredToolName, input: '[1]' } as const
    const { result, requests } = await play(none, [[list], [give(rome)]])
    expect(result).toMatchObject({ output: rome })
    expect(JSON.stringify(requests[1]?.messages.at(-1))).toContain('The arguments are not a JSON object.')
  })

  test('a run that a limit ends before the object came is not completed', async () => {
    const { result } = await play(native, [[call], 'sorry'], { tools: { look }, maxSteps: 1 })
    expect(result).toMatchObject({ status: 'incomplete', stopReason: 'max-steps', output: undefined })
  })

  test('a schema of the object that throws is a failed hook', async () => {
    const broken = schema.refine(() => {
      throw new Error('no atlas')
    })
    const model = scriptedAdapter([JSON.stringify(rome)], { capabilities: native })
    await expect(makeLoop({ model, output: { schema: broken } }).generate('x')).rejects.toMatchObject({
      code: 'hook-failed',
      message: '`output.schema` failed: no atlas',
      cause: new Error('no atlas'),
    })
  })

  test('a schema of the object that gives neither the object nor issues is a failed hook', async () => {
    const silent = { '~standard': { ...schema['~standard'], validate: () => false as never } }
    const model = scriptedAdapter([JSON.stringify(rome)], { capabilities: native })
    const run = makeLoop({ model, output: { schema: silent } }).generate('x')
    await expect(run).rejects.toThrow(failing('hook-failed', '`output.schema` failed'))
  })

  test('native support in one mode alone is none in the other', async () => {
    const model = scriptedAdapter([JSON.stringify(rome), [give(rome)]], {
      capabilities: { ...none, structured: { generate: true, stream: false } },
    })
    const loop = makeLoop({ model, output: { schema } })
    expect([(await loop.generate('x')).output, (await loop.stream('x').result).output]).toEqual([rome, rome])
    expect(model.requests.map(({ request }) => request.responseFormat?.name)).toEqual(['answer', undefined])
    const beside = { ...native, structuredWithTools: { generate: false, stream: true } }
    const { requests } = await play(beside, [JSON.stringify(rome)], { tools: { look } })
    expect(requests.map(({ responseFormat }) => responseFormat?.name)).toEqual(['answer'])
  })

  test('a provider that cannot combine it with tools is constrained in one more turn, without tools', async () => {
    const { result, requests } = await play(apart, [[call], 'It is 20.', JSON.stringify(rome)], { tools: { look } })
    expect(result).toMatchObject({ output: rome })
    const content = expect.stringContaining('the JSON object that was asked for')
    expect(requests[2]?.messages.at(-1)).toMatchObject({ role: 'user', synthetic: true, content })
    expect(requests.map(({ responseFormat, tools }) => [responseFormat?.name, tools?.length])).toEqual([
      [undefined, 1],
      [undefined, 1],
      ['answer', undefined],
    ])
  })

  test('without native support: a hidden tool gives the object, unseen', { tags: ['T01', 'D14', 'S15'] }, async () => {
    const { result, requests, events } = await play(none, [[give(rome)]])
    expect(result).toMatchObject({ output: rome, toolCalls: [], toolResults: [], finishReason: 'stop' })
    expect(requests[0]?.toolChoice).toEqual({ type: 'tool', toolName: structuredToolName })
    expect(events.split('"type":"step-end"')[0]).not.toContain(structuredToolName)
    const whole = await play(none, [[call, give(rome)], [give(rome)]], {
      tools: { look },
      middleware: {
        async *turn(_info, next) {
          for await (const batch of next()) yield batch.filter(({ type }) => !/^tool-call-(start|delta)$/.test(type))
        },
      },
    })
    expect(whole.result).toMatchObject({ output: rome })
    const upToEnd = whole.events.split('"type":"step-end"')[0]
    expect([upToEnd?.includes(structuredToolName), upToEnd?.includes('"type":"tool-call"')]).toEqual([false, true])
  })

  test('without native support: the object is `required`, or `auto` for reasoning', { tags: ['T02'] }, async () => {
    const script = [[call], [give(rome)]]
    const { result, requests } = await play(none, script, { tools: { look } })
    expect(result).toMatchObject({ output: rome, toolCalls: [{ toolName: 'look' }] })
    expect(requests.map(({ toolChoice }) => toolChoice)).toEqual(['required', 'required'])
    expect(requests[0]?.tools).toBe(requests[1]?.tools)
    const reasoning = await play(none, script, { tools: { look }, reasoning: 'high' })
    expect(reasoning.requests[0]?.toolChoice).toBe('auto')
    const off = await play(none, script, { tools: { look }, reasoning: 'none' })
    expect(off.requests[0]?.toolChoice).toBe('required')
  })

  test('without native support: an object beside other calls is not taken yet', { tags: ['T01'] }, async () => {
    const script = [[call, give(rome)], [give({ ...rome, degrees: 21 })]]
    const { result, requests } = await play(none, script, { tools: { look } })
    expect(result).toMatchObject({ output: { degrees: 21 }, toolResults: [{ toolName: 'look' }] })
    const refused = { type: 'text', value: expect.stringContaining('Not taken') }
    const outputs = [{ value: 'seen' }, refused].map((output) => ({ output }))
    expect(requests[1]?.messages.at(-1)?.content).toMatchObject(outputs)
    const taken = [{ toolName: structuredToolName, output: { type: 'text', value: 'Taken.' } }]
    expect(result).toMatchObject({ transcript: { messages: { 4: { role: 'tool', content: taken } } } })
  })

  test('without native support: an invalid object is answered with its issues and repaired', async () => {
    const { result, requests } = await play(none, [[give({ city: 'Rome' })], [give(rome)]])
    expect(result).toMatchObject({ output: rome })
    expect(JSON.stringify(requests[1]?.messages.at(-1))).toContain('degrees')
  })

  test('without native support: words are taken if they are the object', { tags: ['T01'] }, async () => {
    expect((await play(none, [JSON.stringify(rome)])).result).toMatchObject({ output: rome })
    const { result, requests } = await play(none, ['twenty', [give(rome)]])
    expect(result).toMatchObject({ output: rome })
    expect(JSON.stringify(requests[1]?.messages.at(-1))).toContain(structuredToolName)
  })

  test('the step limit forces the object in the last turn, whatever the support', async () => {
    const { result, requests } = await play(none, [[call], [give(rome)]], { tools: { look }, maxSteps: 1 })
    expect(result).toMatchObject({ output: rome, status: 'completed', stopReason: 'max-steps' })
    expect(requests[1]?.toolChoice).toEqual({ type: 'tool', toolName: structuredToolName })
    const script = [[call], JSON.stringify(rome)]
    const last = await play({ tools: true, structured: true }, script, { tools: { look }, maxSteps: 1 })
    expect([last.result, last.requests[1]]).toMatchObject([{ output: rome }, { responseFormat: { name: 'answer' } }])
  })

  const named = { type: 'tool', toolName: structuredToolName }

  test('a choice of no tool names the hidden tool, and forces no other one', { tags: ['T02'] }, async () => {
    const { requests } = await play(none, [[give(rome)]], { tools: { look }, toolChoice: 'none' })
    expect([requests[0]?.toolChoice, requests[0]?.tools?.length]).toEqual([named, 2])
    const prepared = await play(none, [[call], [give(rome)]], {
      tools: { look },
      prepareStep: ({ step }) => (step === 1 ? { toolChoice: 'none' } : undefined),
    })
    expect(prepared.requests.map(({ toolChoice }) => toolChoice)).toEqual(['required', named])
  })

  test.each([
    ['required', { ...none, toolChoice: ['auto', 'required'] }, {}],
    ['auto', { ...none, toolChoice: ['auto'] }, {}],
    ['auto', { tools: true }, {}],
    ['auto', none, { reasoning: 'high' }],
  ] as const)(
    'a choice of no tool leaves the other tools out where none can be named: %s',
    async (choice, capabilities, settings) => {
      const given = { tools: { look }, ...settings }
      const { requests } = await play(capabilities, [[give(rome)]], { ...given, toolChoice: 'none' })
      expect([requests[0]?.toolChoice, requests[0]?.tools?.map(({ name }) => name)]).toEqual([
        choice,
        [structuredToolName],
      ])
      const limited = await play(capabilities, [[call], [give(rome)]], { ...given, maxSteps: 1 })
      expect(limited.requests[1]?.tools?.map(({ name }) => name)).toEqual([structuredToolName])
    },
  )

  const notAlone = ['```js\n{"a":2}\n```', '```', '```json', '```{"a":2}```', '```\n{"a":2}', 'So:\n```\n{"a":2}\n```']
  test.each(['42', 'null', '"hi"', '[1]', '```\n[{"a":1}]\n```', ...notAlone])('%s is no object', async (text) => {
    const model = scriptedAdapter([text, '{"a":1}'], { capabilities: native })
    const result = await makeLoop({ model, output: { schema: { type: 'object' } } }).generate('x')
    expect([model.requests.length, result.output]).toEqual([2, { a: 1 }])
  })

  test.each<[string, object]>([
    ['```json\n{"a":1}\n```', { a: 1 }],
    ['  ```\r\n{"a":1}```\n\n', { a: 1 }],
    ['``` json \n\n{"a":1}\n\n```', { a: 1 }],
    ['\n{"a":1}\n', { a: 1 }],
    ['{\n"a":"```js"}', { a: '```js' }],
    ['```\n{"a":"```js"}\n```', { a: '```js' }],
  ])('an object is found in its code block, or alone: %j', { tags: ['T04'] }, async (text, found) => {
    const model = scriptedAdapter(
      [
        [
          { type: 'reasoning', text: '{}' },
          { type: 'text', text },
        ],
      ],
      {
        capabilities: native,
      },
    )
    const result = await makeLoop({ model, output: { schema: { type: 'object' } } }).generate('x')
    expect(result.output).toEqual(found)
  })

  test('hooks see nothing of the hidden call, and one that ends the run keeps its object from being taken', async () => {
    const seen: unknown[] = []
    const onToolExecuted: StepLoopOptions['onToolExecuted'] = ({ toolCall }) => void seen.push(toolCall?.toolName)
    await play(none, [[call], [give(rome)]], { tools: { look }, onToolExecuted })
    expect(seen).toEqual(['look'])
    const { result, events } = await play(none, [[give(rome)]], { onResponse: () => ({ type: 'stop', reason: 'no' }) })
    expect(result).toMatchObject({ stopReason: 'hook', output: undefined, toolResults: [] })
    expect(events.split('"type":"step-end"')[0]).not.toContain(structuredToolName)
  })

  test('no tool of the caller may have the hidden tool’s name', () => {
    const tools = { [structuredToolName]: look }
    expect(() => makeLoop({ model: scriptedAdapter([]), tools })).toThrow(/duplicate|Rename/)
  })

  test('runs of one loop send the same tools, so that adapters encode them once and nothing piles up', async () => {
    const model = scriptedAdapter([[give(rome)], [give(rome)]], { capabilities: none })
    const loop = makeLoop({ model, tools: { look }, output: { schema } })
    await loop.generate('x')
    await loop.generate('x')
    const [first, second] = model.requests
    expect(second?.request.tools).toBe(first?.request.tools)
  })

  test('a run without `output` shows a call that has the name of the hidden tool like any other, in its steps and its result', async () => {
    const model = scriptedAdapter([[give({})], 'ok'])
    const { toolCalls, toolResults, steps } = await makeLoop({ model, tools: {} }).generate('x')
    expect([toolCalls, toolResults].map((list) => list.length)).toEqual([1, 1])
    expect([steps[0]?.toolCalls, steps[0]?.toolResults].map((list) => list?.length)).toEqual([1, 1])
  })

  test('an object in a turn that a filter ended is no answer', async () => {
    const { result } = await play(none, [{ parts: [give(rome)], finishReason: 'content-filter' }])
    expect(result).toMatchObject({ status: 'completed', stopReason: 'content-filter' })
    expect(Reflect.get(result, 'output')).toBeUndefined()
  })
}
