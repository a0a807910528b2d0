import { expect, test } from 'vitest'
import { z } from 'zod'
import { tool, type Settings, type StepLoopOptions } from '@steploop/core'
import { finalizeAfterTools, limitTurnTime } from '@steploop/core/policies'
import { scriptedAdapter } from '@steploop/core/testing'
import type { MakeWholeLoop } from '../loop.ts'
import { failing, idle, throws } from './parts.ts'

export function testOptions(makeLoop: MakeWholeLoop): void {
  const look = tool({ description: 'Looks.', inputSchema: z.object({}), execute: () => 'seen' })
  const calls = [{ type: 'call', toolName: 'look', input: {} }] as const

  /** What the model is told of the tools of a loop that is made of them now. */
  async function declared(tools: NonNullable<StepLoopOptions['tools']>): Promise<readonly unknown[]> {
    const model = scriptedAdapter(['done'])
    await makeLoop({ model, tools }).generate('x')
    return (
      model.requests[0]?.request.tools?.map((made) => [made.name, made.type === 'function' && made.description]) ?? []
    )
  }

  test('an object of tools that got another one, or one in the place of another, is read anew by the next loop', async () => {
    const tools: Record<string, typeof look> = { look }
    for (let loops = 0; loops < 2; loops++) expect(await declared(tools)).toEqual([['look', 'Looks.']])
    tools['peek'] = { ...look, description: 'Peeks.' }
    expect(await declared(tools)).toEqual([
      ['look', 'Looks.'],
      ['peek', 'Peeks.'],
    ])
    tools['look'] = { ...look, description: 'Looks twice.' }
    expect(await declared(tools)).toEqual([
      ['look', 'Looks twice.'],
      ['peek', 'Peeks.'],
    ])
  })

  test('a tool that is put into the object after the loop was made is in no run of it, with options or without', async () => {
    const tools: Record<string, typeof look> = { look }
    const model = scriptedAdapter(['one', 'two'])
    const loop = makeLoop({ model, tools })
    tools['peek'] = look
    await loop.generate('x')
    await loop.generate('x', { maxSteps: 3 })
    expect(model.requests.map(({ request }) => request.tools?.map(({ name }) => name))).toEqual([['look'], ['look']])
    expect(model.requests[1]?.request.tools).toBe(model.requests[0]?.request.tools)
  })

  test.each(['of the loop', 'of the run', 'of the step'])(
    'what is written to the active tools %s while they are in use changes nothing',
    async (whose) => {
      const active = ['look']
      const own = { activeTools: active }
      const options: Partial<StepLoopOptions> = whose === 'of the step' ? { prepareStep: () => own } : own
      const scripted = scriptedAdapter([[...calls], 'done'])
      const turn: typeof scripted.turn = (request, context) => {
        active[0] = 'peek'
        return scripted.turn(request, context)
      }
      const loop = makeLoop({ model: { ...scripted, turn }, tools: { look, peek: look }, ...options })
      const { toolResults } = await loop.generate('x', whose === 'of the loop' ? { maxSteps: 3 } : options)
      expect(toolResults).toMatchObject([{ output: { type: 'text', value: 'seen' } }])
    },
  )

  test('the tools of one step are not those of the next', async () => {
    const model = scriptedAdapter([[...calls], [...calls], [...calls], 'done'])
    const edits = [{ activeTools: ['look', 'peek'] }, {}, { activeTools: ['peek', 'look'] }, {}]
    const loop = makeLoop({ model, tools: { look, peek: look }, activeTools: ['look'] })
    await loop.generate('x', { prepareStep: ({ step }) => edits[step] })
    const told = model.requests.map(({ request }) => request.tools?.map(({ name }) => name).join())
    expect(told).toEqual(['look,peek', 'look', 'peek,look', 'look'])
  })

  test('the same list of active tools is told with the same array, and lists that are not used any more are forgotten', async () => {
    const names = Array.from({ length: 50 }, (_, index) => `look${index}`)
    const model = scriptedAdapter(Array.from({ length: 60 }, () => 'done'))
    const loop = makeLoop({ model, tools: Object.fromEntries(names.map((name) => [name, look])) })
    for (const name of [names[0]!, names[0]!, ...names.slice(1), names[0]!]) {
      await loop.generate('x', { activeTools: [name] })
    }
    const [first, second] = model.requests.map(({ request }) => request.tools)
    const last = model.requests.at(-1)?.request.tools
    expect([second === first, last === first]).toEqual([true, false])
    expect(last).toEqual(first)
  })

  test('the same tools are told with the same array in all loops', async () => {
    const tools = { look }
    const model = scriptedAdapter(['one', 'two'])
    const loops = ['x', 'y'].map(() => makeLoop({ model, tools }))
    for (const loop of loops) await loop.generate('x')
    expect(model.requests[1]?.request.tools).toBe(model.requests[0]?.request.tools)
  })

  test('32 lists of active tools are kept, and forgotten when there is one more', async () => {
    const names = Array.from({ length: 33 }, (_, index) => `look${index}`)
    const tools = Object.fromEntries(names.map((name) => [name, look]))
    const model = scriptedAdapter(Array.from({ length: 35 }, () => 'done'))
    const loop = makeLoop({ model, tools, activeTools: [names[0]!] })
    const told = async (name: string) => {
      await loop.generate('x', { activeTools: [name] })
      return model.requests.at(-1)?.request.tools
    }
    const first = await told(names[0]!)
    for (const name of names.slice(1, 32)) await told(name)
    expect(await told(names[0]!)).toBe(first)
    await told(names[32]!)
    expect(await told(names[0]!)).not.toBe(first)
  })

  test('a policy that makes options of its own takes the signal of the run from nobody', async () => {
    const policies = [({ model }: StepLoopOptions): StepLoopOptions => ({ model })]
    const loop = makeLoop({ model: scriptedAdapter([{ parts: [], hang: true }]), policies })
    const run = loop.generate('x', { abortSignal: AbortSignal.abort() })
    await expect(run).rejects.toMatchObject({ code: 'aborted' })
  })

  test.each([
    ['timeout', Number.NaN],
    ['timeout', -1],
    ['timeout', '50'],
    ['maxTotalTimeout', '50'],
  ])('a tool whose %s is %s is refused before anything runs', (name, value) => {
    const wrong = { ...look, [name]: value }
    expect(() => makeLoop({ model: scriptedAdapter([]), tools: { wrong } })).toThrow(
      failing('invalid-options', `The tool 'wrong': \`${name}\` is`),
    )
  })

  test('options that are changed after the loop was made change no run, with options of its own, an edit or neither', async () => {
    const model = scriptedAdapter(['one', 'two', 'three'])
    const options = { model, instructions: 'Be brief.' }
    const loop = makeLoop(options)
    options.instructions = 'Be long.'
    await loop.generate('x')
    await loop.generate('x', { maxSteps: 3 })
    await loop.generate('x', { prepareStep: () => ({ instructions: 'Be kind.' }) })
    const sent = model.requests.map(({ request }) => request.instructions)
    expect(sent).toEqual(['Be brief.', 'Be brief.', 'Be kind.'])
  })

  test('an edit that is `undefined` leaves that of a policy, and of the reader of the steps, in force', async () => {
    const model = scriptedAdapter([calls, 'done'])
    const prepareStep: StepLoopOptions['prepareStep'] = ({ step }) => ({
      toolChoice: step === 0 ? 'required' : undefined,
    })
    await makeLoop({ model, tools: { look }, prepareStep, policies: [finalizeAfterTools()] }).generate('x')
    expect(model.requests.map(({ request }) => request.toolChoice)).toEqual(['required', 'none'])

    const other = scriptedAdapter([calls, 'done'])
    const run = makeLoop({ model: other, tools: { look }, prepareStep }).steps('x')
    await run.next()
    await run.next({ toolChoice: 'none' })
    expect(other.requests.map(({ request }) => request.toolChoice)).toEqual(['required', 'none'])
  })

  test.each<[Partial<StepLoopOptions>, number]>([
    [{}, 3],
    [{ parallelToolCalls: false }, 1],
    [{ parallelToolCalls: false, maxToolConcurrency: 2 }, 2],
  ])('with %j as many calls run at once as these allow', async (options, most) => {
    let [running, highest] = [0, 0]
    const execute = async (): Promise<void> => {
      highest = Math.max(highest, ++running)
      await idle()
      running--
    }
    const model = scriptedAdapter([[...calls, ...calls, ...calls], 'done'])
    await makeLoop({ model, tools: { look: { ...look, execute } }, ...options }).generate('x')
    expect(highest).toBe(most)
  })

  test('settings that an edit sets join those of the loop, and win over them', async () => {
    const settingsOf = async (own: Settings | undefined, edit: Settings | undefined) => {
      const model = scriptedAdapter(['done'])
      await makeLoop({ model, ...own, prepareStep: () => edit }).generate('x')
      return model.requests[0]?.request.settings
    }
    expect(await settingsOf({ temperature: 0.2, maxOutputTokens: 50 }, { temperature: 0.9 })).toEqual({
      temperature: 0.9,
      maxOutputTokens: 50,
    })
    expect(await settingsOf({ temperature: 0.2 }, undefined)).toEqual({ temperature: 0.2 })
    const all: Settings = {
      maxOutputTokens: 9,
      temperature: 0.1,
      topP: 0.2,
      topK: 3,
      presencePenalty: 0.4,
      frequencyPenalty: 0.5,
      stopSequences: ['END'],
      seed: 6,
      reasoning: 'low',
      parallelToolCalls: false,
    }
    expect([await settingsOf(all, undefined), await settingsOf(undefined, all)]).toEqual([all, all])
    expect(await settingsOf(undefined, { temperature: 0.9 })).toEqual({ temperature: 0.9 })
  })

  test('throwing into a run that waits ends it, and does not wait for what waits', async () => {
    const hangs = () => makeLoop({ model: scriptedAdapter([{ parts: [], hang: true }]) })
    const steps = hangs().steps('x')
    const step = steps.next()
    const thrown = steps.throw(new Error('enough'))
    await expect(step).rejects.toMatchObject({ code: 'aborted' })
    await expect(thrown).rejects.toThrow('enough')

    const stream = hangs().stream('x')
    const texts = stream.textStream[Symbol.asyncIterator]()
    const text = texts.next()
    await expect(texts.throw?.(new Error('enough'))).rejects.toThrow('enough')
    expect(await text).toEqual({ done: true, value: undefined })
    await expect(stream.result).rejects.toMatchObject({ code: 'aborted' })
  })

  test.each([
    ['a model that is a name', { model: 'gpt-5' }, "`model` is 'gpt-5'"],
    [
      'a choice of a tool that there is not',
      { toolChoice: { type: 'tool', toolName: 'loook' } },
      'one of the tools: look',
    ],
    ['names that are no list', { activeTools: 'look' }, "`activeTools` is 'look'"],
  ])('an edit with %s ends the run before its request', async (_what, edit, message) => {
    const model = scriptedAdapter(['never'])
    const prepareStep = (() => edit) as unknown as StepLoopOptions['prepareStep']
    await expect(makeLoop({ model, tools: { look }, prepareStep }).generate('x')).rejects.toThrow(
      failing('invalid-options', message),
    )
    expect(model.requests).toHaveLength(0)
  })

  const unreadable = new Proxy(
    {},
    {
      get: (_none, name) => {
        if (name === 'then') return undefined
        throw new Error('no')
      },
      ownKeys: throws(new Error('no')),
    },
  )

  test.each<[string, unknown]>([
    ['a proxy', unreadable],
    ['an object without a prototype', Object.create(null)],
    ['a symbol', Symbol('ten')],
  ])('a number that is %s is `invalid-options`', (_what, value) => {
    const number = value as number
    const usage = { inputTokens: 1, outputTokens: 1 }
    const model = scriptedAdapter([{ parts: [], usage }])
    const given: Partial<StepLoopOptions>[] = [
      { maxSteps: () => number },
      { timeout: number },
      { maxCost: number, costOf: () => 0 },
      { policies: [limitTurnTime(1), (options) => ({ ...options, maxTokens: number })] },
    ]
    for (const options of given)
      expect(() => makeLoop({ model, ...options })).toThrow(expect.objectContaining({ code: 'invalid-options' }))
    expect(() => limitTurnTime(number)).toThrow(expect.objectContaining({ code: 'invalid-options' }))
  })

  test.each<[string, unknown]>([
    ['a proxy', unreadable],
    ['an object without a prototype', Object.create(null)],
  ])('a price that is %s is `hook-failed`', async (_what, cost) => {
    const model = scriptedAdapter([{ parts: [], usage: { inputTokens: 1, outputTokens: 1 } }])
    const loop = makeLoop({ model, maxCost: 1, costOf: () => cost as number })
    await expect(loop.generate('x')).rejects.toMatchObject({ code: 'hook-failed' })
  })

  test('a price limit without prices is refused when the loop is made, and taken where a policy brings them', async () => {
    const model = scriptedAdapter(['done'])
    expect(() => makeLoop({ model, maxCost: 1 })).toThrow(expect.objectContaining({ code: 'invalid-options' }))
    const priced = makeLoop({ model, maxCost: 1, policies: [(options) => ({ ...options, costOf: () => 0 })] })
    expect((await priced.generate('x')).text).toBe('done')
  })
}
