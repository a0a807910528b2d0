import { expect, test } from 'vitest'
import { z } from 'zod'
import type { AdapterErrorCode } from '@steploop/core/adapter'
import { AdapterError, providerTool, tool, type StepLoopOptions } from '@steploop/core'
import { fakeClock, scriptedAdapter, type ScriptedTurn } from '@steploop/core/testing'
import type { MakeWholeLoop } from '../loop.ts'
import { stored } from '../scenario.ts'
import { hasty, idle, throws } from './parts.ts'

export function testRecovery(makeLoop: MakeWholeLoop): void {
  const look = tool({ inputSchema: z.object({}), execute: () => 'seen' })
  const call = { type: 'call', toolName: 'look', input: {} } as const
  const capabilities = { tools: true, continuation: true }

  function fail(code: AdapterErrorCode, facts: { retryAfterMs?: number; providerMessage?: string } = {}): AdapterError {
    return new AdapterError({ provider: 'scripted', model: 'scripted-1', code, ...facts })
  }

  function setUp(script: readonly ScriptedTurn[], options: Partial<StepLoopOptions> = {}) {
    const model = scriptedAdapter(script, { capabilities })
    return { model, loop: makeLoop({ model, tools: { look }, ...options }) }
  }

  const turn = (responseId: string, parts = [call]) => ({ parts, responseId })

  test('a continuation names the last response and where the new messages begin', { tags: ['H05'] }, async () => {
    const { loop, model } = setUp([turn('r1'), 'done'])
    await loop.generate('x')
    expect(model.requests.map(({ request }) => request.continuation)).toEqual([
      undefined,
      { responseId: 'r1', from: 2 },
    ])
  })

  test('a continuation is made only in the mode that can have one', async () => {
    const partly = { tools: true, continuation: { generate: true, stream: false } }
    const answer = { parts: [{ type: 'text', text: 'done' }], responseId: 'r2' } as const
    const model = scriptedAdapter([turn('r1'), answer, turn('r1'), answer], { capabilities: partly })
    const loop = makeLoop({ model, tools: { look } })
    const results = [await loop.generate('x'), await loop.stream('x').result]
    const asked = model.requests.map(({ request }) => request.continuation?.responseId)
    expect(asked).toEqual([undefined, 'r1', undefined, undefined])
    expect(results.map(({ transcript }) => transcript.continuation?.responseId)).toEqual(['r2', undefined])
  })

  test('a continuation that the provider no longer has is replaced by the full history, and no tool runs twice', async () => {
    const { loop, model } = setUp([turn('r1'), fail('continuation-not-found'), 'done'])
    const result = await loop.generate('x')
    expect(model.requests.map(({ request }) => request.continuation?.responseId)).toEqual([undefined, 'r1', undefined])
    expect([result.text, result.toolResults.length]).toEqual(['done', 1])
  })

  test('a continuation ends with an edit, another model, or when switched off', { tags: ['E11', 'H08'] }, async () => {
    const edited = setUp([turn('r1'), 'done'], {
      prepareStep: ({ messages, step }) => (step === 1 ? { messages: messages.slice() } : undefined),
    })
    await edited.loop.generate('x')
    expect(edited.model.requests[1]?.request.continuation).toBeUndefined()
    const other = scriptedAdapter(['done'], { model: 'other', capabilities })
    const changed = setUp([turn('r1')], { prepareStep: ({ step }) => (step === 1 ? { model: other } : undefined) })
    await changed.loop.generate('x')
    expect(other.requests[0]?.request.continuation).toBeUndefined()
    const off = setUp([turn('r1'), 'done'], { continuation: 'off' })
    await off.loop.generate('x')
    expect(off.model.requests[1]?.request.continuation).toBeUndefined()
  })

  test('a continuation goes on from a stored transcript', async () => {
    const { loop, model } = setUp([turn('r1', []), 'done'])
    const { transcript } = await loop.generate('x')
    await loop.generate({ transcript: stored(transcript), prompt: 'and?' })
    expect(model.requests[1]?.request.continuation).toEqual({ responseId: 'r1', from: 2 })
  })

  test('a failing model is asked again after the provider’s delay if that may help', { tags: ['E02'] }, async () => {
    const clock = fakeClock()
    const { loop, model } = setUp([fail('overloaded', { retryAfterMs: 3000 }), 'done'], { clock })
    const running = loop.generate('x')
    await idle()
    clock.advance(2999)
    expect(model.requests).toHaveLength(1)
    clock.advance(1)
    expect((await running).text).toBe('done')
    const controller = new AbortController()
    const waiting = setUp([fail('overloaded')], { clock }).loop.generate('x', { abortSignal: controller.signal })
    await idle()
    controller.abort()
    await expect(waiting).rejects.toMatchObject({ code: 'aborted' })
    expect(clock.open).toBe(0)
  })

  test('a failing model is not asked again for a failure that will not pass, or a delay that nobody waits for', async () => {
    for (const error of [fail('bad-request'), fail('rate-limit', { retryAfterMs: 3_600_000 })]) {
      const { loop, model } = setUp([error])
      await expect(loop.generate('x')).rejects.toMatchObject({ code: 'turn-failed', cause: error })
      expect(model.requests).toHaveLength(1)
    }
  })

  test('a failing model tells a stream to forget what the failed attempt delivered', { tags: ['E02'] }, async () => {
    const cut = { parts: [{ type: 'text', text: 'half' }], error: fail('incomplete-stream') } as const
    const { loop } = setUp([cut, 'whole'], { clock: hasty })
    const events: string[] = []
    for await (const event of loop.stream('x')) events.push(event.type === 'text-delta' ? event.text : event.type)
    expect(events.slice(2, 6)).toEqual(['text-start', 'ha', 'lf', 'text-end'])
    expect(events[6]).toBe('step-retry')
    expect(events.filter((event) => event === 'run-end')).toHaveLength(1)
  })

  test('a failing model leaves no ids of the calls that its failed attempt made', async () => {
    const { loop } = setUp([
      { parts: [{ ...call, id: 'a' }], error: fail('overloaded', { retryAfterMs: 0 }) },
      [
        { ...call, id: 'b' },
        { ...call, id: 'a' },
      ],
      'done',
    ])
    expect((await loop.generate('x')).toolCalls.map(({ toolCallId }) => toolCallId)).toEqual(['b', 'a'])
  })

  test('a failing model is asked again after half a second, doubled up to eight, less up to half of it by chance', async () => {
    for (const chance of [0, 1]) {
      const waits: number[] = []
      const after = (ms: number, ring: () => void) => (waits.push(ms), ring(), () => undefined)
      const script = [...Array.from({ length: 6 }, () => fail('overloaded')), 'done']
      await setUp(script, { clock: { now: () => 0, after }, random: () => chance, maxRetries: 6 }).loop.generate('x')
      expect(waits).toEqual([500, 1000, 2000, 4000, 8000, 8000].map((ms) => (chance === 0 ? ms : ms / 2)))
    }
  })

  test('a failing model that asks for more than a minute is not waited for', async () => {
    const attempts = async (retryAfterMs: number): Promise<number> => {
      const { loop, model } = setUp([fail('overloaded', { retryAfterMs }), 'done'], { clock: hasty })
      await loop.generate('x').catch(() => undefined)
      return model.requests.length
    }
    expect([await attempts(60_000), await attempts(60_001)]).toEqual([2, 1])
  })

  test('a failing model hands a run over to the fallbacks midway, and they keep it', { tags: ['E05'] }, async () => {
    const gone = scriptedAdapter([fail('not-found')], { provider: 'gone' })
    const second = scriptedAdapter([[call], 'done'], { provider: 'second' })
    const { loop, model } = setUp([[call], fail('insufficient-credit')], { fallbacks: [gone, second] })
    const stream = loop.stream('x')
    const retries: unknown[] = []
    for await (const event of stream) if (event.type === 'step-retry') retries.push(event)
    const retry = { step: 1, attempt: 0, delayMs: 0 }
    expect(retries).toMatchObject([
      { ...retry, error: { code: 'insufficient-credit' } },
      { ...retry, error: { code: 'not-found' } },
    ])
    const result = await stream.result
    expect([result.text, model.requests.length, second.requests.length]).toEqual(['done', 2, 2])
    expect(result.toolResults).toHaveLength(2)
    const words = ['scripted/scripted-1 failed (insufficient-credit)', 'gone/scripted-1 failed (not-found)']
    const warnings = words.map((text) => ({ type: 'coerced', path: 'model', message: expect.stringContaining(text) }))
    expect(result.warnings).toEqual(warnings)
  })

  test('a failing model whose provider could not parse a call is told so, at most twice', async () => {
    const failed = fail('tool-use-failed', { providerMessage: `Failed to call a function${'.'.repeat(974)}🌤️` })
    const { loop, model } = setUp([failed, failed, [call], 'done'])
    expect((await loop.generate('x')).text).toBe('done')
    expect(model.requests[1]?.request.messages.at(-1)).toMatchObject({
      role: 'user',
      synthetic: true,
      content: expect.stringMatching(/Failed to call a function\.+\uFFFD\)/),
    })
    await expect(setUp([failed, failed, failed, 'never']).loop.generate('x')).rejects.toMatchObject({ cause: failed })
  })

  test('a model that has no tools is not asked with any, and a fallback that has them takes over', async () => {
    const bare = scriptedAdapter(['never'], { model: 'bare', capabilities: {} })
    const alone = makeLoop({ model: bare, tools: { look } }).generate('x')
    const message = expect.stringContaining('has no function tools')
    await expect(alone).rejects.toMatchObject({ code: 'turn-failed', cause: { code: 'unsupported', message } })
    const able = scriptedAdapter([[call], 'done'])
    const result = await makeLoop({ model: bare, tools: { look }, fallbacks: [able] }).generate('x')
    expect([result.text, bare.requests.length]).toEqual(['done', 0])
  })

  test.each([
    ['says that it was aborted, though nobody aborted,', fail('aborted')],
    ['throws what no adapter may throw', new TypeError('a bug of the adapter')],
  ])('a model that %s is neither handed over nor asked without its edit', async (_what, error) => {
    const second = scriptedAdapter(['never'], { provider: 'second' })
    const { model } = setUp(['never'])
    const fails: typeof model.turn = (...given) => (model.turn(...given), throws(error)())
    const prepareStep = () => ({ fallback: {} })
    const loop = makeLoop({ model: { ...model, turn: fails }, fallbacks: [second], prepareStep })
    await expect(loop.generate('x')).rejects.toMatchObject({ code: 'turn-failed', cause: error })
    expect([model.requests.length, second.requests.length]).toEqual([1, 0])
  })

  test('a failing model is asked with the fallback of its edit, which has attempts of its own', async () => {
    const failed = fail('overloaded')
    const { loop, model } = setUp([failed, failed, failed, 'done'], {
      clock: hasty,
      random: () => 0,
      maxRetries: 1,
      prepareStep: () => ({ mode: 'generate', temperature: 1, fallback: { temperature: 0 } }),
    })
    const retries: unknown[] = []
    for await (const event of loop.stream('x'))
      if (event.type === 'step-retry') retries.push([event.attempt, event.delayMs, event.error])
    expect(retries).toEqual([
      [1, 500, failed],
      [0, 0, failed],
      [1, 500, failed],
    ])
    const asked = model.requests.map(({ mode, request }) => [mode, request.settings])
    const [first, second] = [
      ['generate', { temperature: 1 }],
      ['stream', { temperature: 0 }],
    ]
    expect(asked).toEqual([first, first, second, second])
  })

  test('a failing model is told nothing in brackets where its provider says nothing', async () => {
    const { loop, model } = setUp([fail('tool-use-failed'), 'done'])
    await loop.generate('x')
    expect(model.requests[1]?.request.messages.at(-1)).toMatchObject({
      content: expect.stringContaining('could not be parsed. Call the tool again'),
    })
  })

  test('a model that cannot run tools of a provider is not asked with any', async () => {
    const web = providerTool({ provider: 'scripted', name: 'web_search', definition: {} })
    const asked = async (providerTools: boolean | { readonly generate: boolean; readonly stream: boolean }) => {
      const model = scriptedAdapter(['done'], { capabilities: { tools: true, providerTools } })
      const outcome = await makeLoop({ model, tools: { web } })
        .generate('x')
        .catch((error: unknown) => error)
      return [outcome, model.requests.length]
    }
    const message = expect.stringContaining('has no tools of the provider')
    const cause = { code: 'unsupported', provider: 'scripted', model: 'scripted-1', message }
    const refused = { code: 'turn-failed', cause }
    expect(await asked(false)).toMatchObject([refused, 0])
    expect(await asked({ generate: false, stream: true })).toMatchObject([refused, 0])
    expect(await asked({ generate: true, stream: false })).toMatchObject([{ text: 'done' }, 1])
  })

  test('a model is offered no tool of another provider, and one that takes over those of its own', async () => {
    const [first, second] = ['scripted', 'second'].map((provider) =>
      providerTool({ provider, name: `${provider}_search`, definition: {} }),
    )
    const other = scriptedAdapter(['done'], { provider: 'second' })
    const model = scriptedAdapter([fail('bad-request')])
    await makeLoop({ model, fallbacks: [other], tools: { first: first!, look, second: second! } }).generate('x')
    const offered = [model, other].map(({ requests }) => requests[0]?.request.tools?.map(({ name }) => name))
    expect(offered).toEqual([
      ['scripted_search', 'look'],
      ['look', 'second_search'],
    ])
  })

  test('a continuation is for models and modes that can go on, and for no other', async () => {
    const { loop } = setUp([turn('r1', [])])
    const { transcript } = await loop.generate('x')
    const asked = async (continuation: boolean | { readonly generate: boolean; readonly stream: boolean }) => {
      const model = scriptedAdapter(['done'], { capabilities: { tools: true, continuation } })
      await makeLoop({ model }).generate({ transcript: stored(transcript), prompt: 'and?' })
      return model.requests[0]?.request.continuation?.responseId
    }
    expect([await asked(true), await asked(false)]).toEqual(['r1', undefined])
    expect(await asked({ generate: false, stream: true })).toBeUndefined()
    expect(await asked({ generate: true, stream: false })).toBe('r1')
  })
}
