import { expect, test } from 'vitest'
import type { Capabilities } from '@steploop/core/adapter'
import { AdapterError, tool, type Adapter, type LoopEvent, type StepLoopOptions } from '@steploop/core'
import { scriptedAdapter, type ScriptedTurn } from '@steploop/core/testing'
import { structuredToolName } from '../structured-tool.ts'
import type { MakeWholeLoop } from '../loop.ts'
import { failing, failureOf, hasty, throws } from './parts.ts'

export function testPartialOutput(makeLoop: MakeWholeLoop): void {
  const native: Capabilities = { tools: true, structured: true, structuredWithTools: true }
  const apart: Capabilities = { tools: true, structured: true }
  const none: Capabilities = { tools: true, toolChoice: ['auto', 'required', 'tool'] }
  const schema = { type: 'object' } as const
  const rome = { city: 'Rome', degrees: 20 }
  const look = tool({ inputSchema: schema, execute: () => 'seen' })
  const call = { type: 'call', toolName: 'look', input: { city: 'Oslo' } } as const

  interface Play {
    readonly capabilities: Capabilities
    readonly script: readonly ScriptedTurn[]
    readonly options?: Partial<StepLoopOptions>
    readonly partial?: boolean
  }

  async function eventsOf({ capabilities, script, options, partial = true }: Play): Promise<readonly LoopEvent[]> {
    const model = scriptedAdapter(script, { capabilities })
    const stream = makeLoop({ model, maxRetries: 0, ...options, output: { schema, partial } }).stream('x')
    const events: LoopEvent[] = []
    for await (const event of stream) events.push(event)
    return events
  }

  async function shown(play: Play): Promise<readonly unknown[]> {
    return (await eventsOf(play)).flatMap((event) => (event.type === 'partial-output' ? [event.output] : []))
  }

  /** Each event by itself, as from the wire. */
  const apiece: Partial<StepLoopOptions> = {
    middleware: {
      async *turn(_info, next) {
        for await (const batch of next()) for (const event of batch) yield [event]
      },
    },
  }

  test.each([
    [{}, [{ city: 'Ro' }, { city: 'Rome' }, rome]],
    [apiece, [{}, { city: 'Ro' }, { city: 'Rome' }, { city: 'Rome' }, { city: 'Rome' }, rome]],
  ])('natively the text is the object while it grows, and each batch shows how far it is', async (options, outputs) => {
    const texts = ['{"city": "Ro', 'me", ', '"degrees": 20}'].map((text) => ({ type: 'text' as const, text }))
    const events = await eventsOf({ capabilities: native, script: [texts], options })
    expect(events.flatMap((event) => (event.type === 'partial-output' ? [event.output] : []))).toEqual(outputs)
    const said = events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('')
    expect(said).toBe(texts.map(({ text }) => text).join(''))
  })

  test('the input of the hidden call is the object, that of other calls is not', async () => {
    const hidden = { type: 'call', toolName: structuredToolName, input: rome } as const
    const events = await eventsOf({
      capabilities: none,
      script: [[call], [{ type: 'text', text: 'Here: {"no": 1}' }, hidden]],
      options: { tools: { look } },
    })
    const outputs = events.flatMap((event) => (event.type === 'partial-output' ? [event.output] : []))
    expect(outputs.at(-1)).toEqual(rome)
    expect(JSON.stringify(outputs)).not.toMatch(/Oslo|"no"/)
  })

  test('the input of the hidden call is shown while it grows, and none of its pieces', async () => {
    const named = { toolCallId: 'c1', toolName: structuredToolName, owner: 'client', part: 0 } as const
    const inputText = JSON.stringify(rome)
    const model: Adapter = {
      ...scriptedAdapter([], { capabilities: none }),
      async *turn() {
        yield [{ type: 'turn-start' }, { type: 'tool-call-start', ...named }]
        yield [{ type: 'tool-call-delta', toolCallId: 'c1', part: 0, inputText: inputText.slice(0, 11) }]
        yield [{ type: 'text-delta', part: 1, text: 'so far' }]
        yield [{ type: 'tool-call-delta', toolCallId: 'c1', part: 0, inputText: inputText.slice(11) }]
        yield [{ type: 'tool-call', ...named, input: rome, inputText }]
        yield [{ type: 'turn-end', finishReason: 'tool-calls' }]
      },
    }
    const events = await eventsOf({ capabilities: none, script: [], options: { model } })
    const outputs = events.flatMap((event) => (event.type === 'partial-output' ? [event.output] : []))
    expect(outputs).toEqual([{ city: 'Ro' }, rome])
    expect(events.filter(({ type }) => type.startsWith('tool-call'))).toEqual([])
  })

  test('where the object is asked for in a turn of its own, only that turn shows it', async () => {
    const script = ['{"not": "yet"}', JSON.stringify(rome)]
    const outputs = await shown({ capabilities: apart, script, options: { tools: { look } } })
    expect(outputs.at(-1)).toEqual(rome)
    expect(JSON.stringify(outputs)).not.toContain('yet')
  })

  test('the partial output of each attempt begins anew', async () => {
    const failed = new AdapterError({
      provider: 'p',
      model: 'm',
      code: 'server-error',
      message: 'broken',
      retryable: true,
    })
    const script: readonly ScriptedTurn[] = [
      { parts: [{ type: 'text', text: '{"city": "Par' }], error: failed },
      JSON.stringify(rome),
    ]
    const outputs = await shown({ capabilities: native, script, options: { maxRetries: 1, random: () => 0 } })
    expect(outputs.at(-1)).toEqual(rome)
  })

  /** What is shown after each piece of the answer. */
  const afterEach = (pieces: readonly string[]): Promise<readonly unknown[]> =>
    shown({ capabilities: native, script: [pieces.map((text) => ({ type: 'text', text }))] })

  test('texts are shown as they grow, scalars when they are whole, and members when their value begins', async () => {
    const pieces = ['{"na', 'me":', ' "Zü', 'rich", "degrees": 1', '2', ', "days": [', '{"sun": tr', 'ue}, "a', '"]}']
    expect(await afterEach(pieces)).toEqual([
      {},
      {},
      { name: 'Zü' },
      { name: 'Zürich' },
      { name: 'Zürich' },
      { name: 'Zürich', degrees: 12, days: [] },
      { name: 'Zürich', degrees: 12, days: [{}] },
      { name: 'Zürich', degrees: 12, days: [{ sun: true }, 'a'] },
      { name: 'Zürich', degrees: 12, days: [{ sun: true }, 'a'] },
    ])
  })

  test('texts are shown with the quotes that stand in them', async () => {
    expect(await afterEach(['{"a": "say \\"hi', '\\" now", "b": 1}'])).toEqual([
      { a: 'say "hi' },
      { a: 'say "hi" now', b: 1 },
    ])
  })

  test('what was shown does not change any more', async () => {
    const outputs = await afterEach(['{"list": [1, [2, ', '3]], "more": {}}'])
    expect(outputs).toEqual([{ list: [1, [2]] }, { list: [1, [2, 3]], more: {} }])
  })

  test('words and a code fence may stand before it and behind it', async () => {
    expect(await afterEach(['Here:\n```json\n', '{"a": 1', '}\n``` {"b": 2}'])).toEqual([{}, { a: 1 }])
  })

  test('partial output shows neither half an escape nor half a surrogate pair', async () => {
    const pieces = ['{"a": "x\\', 'u00', 'fc\\ud83d', '\\ude', '00y', '\ud83d', '\ude00"', '}']
    const texts = ['x', 'x', 'xü', 'xü', 'xü😀y', 'xü😀y', 'xü😀y😀', 'xü😀y😀']
    expect(await afterEach(pieces)).toEqual(texts.map((a) => ({ a })))
  })

  test.each([
    '{a}',
    '{"a" 1',
    '{"a": nul,',
    '{"a": 1,}',
    '{"a": "\\x",',
    '{"a": [1,],',
    '{"a": [1}',
    '{"a": "\n"',
    '{"a": 01,',
  ])('%j is no JSON, so nothing is shown any more', async (text) => {
    expect(await afterEach([text])).toEqual([])
  })

  test('whoever does not ask for it gets none', async () => {
    expect(await shown({ capabilities: native, script: [JSON.stringify(rome)], partial: false })).toEqual([])
  })

  test('what its reader writes into it changes neither the result nor what is stored', async () => {
    const model = scriptedAdapter([JSON.stringify({ list: [{ a: 1 }], more: 'x' })], { capabilities: native })
    const stream = makeLoop({ model, output: { schema, partial: true } }).stream('x')
    for await (const event of stream) {
      if (event.type !== 'partial-output') continue
      const { list } = event.output as { list?: unknown[] }
      list?.push('mine')
    }
    const { output, transcript } = await stream.result
    expect(output).toEqual({ list: [{ a: 1 }], more: 'x' })
    expect(JSON.stringify(transcript)).not.toContain('mine')
  })

  test.each([{ partial: 'yes' }, { parts: true }])('%j is refused with the name', (wrong) => {
    const model = scriptedAdapter(['x'])
    const make = () => makeLoop({ model, output: { schema, ...wrong } as never })
    expect(make).toThrow(failing('invalid-options', `\`output\`: \`${Object.keys(wrong)[0]}\``))
  })

  const cut = new AdapterError({ code: 'incomplete-stream', provider: 'scripted', model: 'scripted-1' })
  const half: ScriptedTurn = {
    parts: [
      { type: 'reasoning', text: 'hidden' },
      { type: 'text', text: 'The tunnel ' },
      { type: 'text', text: 'is ' },
    ],
    error: cut,
  }

  test('what an aborted turn had said is in the error, and can be kept in the conversation', async () => {
    const stop = new AbortController()
    const model = scriptedAdapter([['Hello ', 'world.'].map((text) => ({ type: 'text', text }) as const), 'Again.'])
    const loop = makeLoop({ model })
    const stream = loop.stream('Hi?', { abortSignal: stop.signal })
    for await (const event of stream) if (event.type === 'text-end') stop.abort()
    const { code, partialText = '', transcript } = await failureOf(stream.result)
    expect([code, transcript?.messages]).toEqual(['aborted', [{ role: 'user', content: 'Hi?' }]])
    expect(partialText).toMatch(/^Hello /)
    const kept = [{ role: 'assistant', content: partialText }] as const
    await loop.generate({ transcript, messages: kept, prompt: 'Go on.' })
    expect(model.requests[1]?.request.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
  })

  test('of a turn that was tried again the error tells what the last attempt said, without its reasoning', async () => {
    const model = scriptedAdapter([{ ...half, parts: [{ type: 'text', text: 'Another ' }] }, half])
    const { code, partialText } = await failureOf(
      makeLoop({
        model,
        maxRetries: 1,
        random: () => 0,
        clock: hasty,
      }).generate('Hi?'),
    )
    expect([code, partialText]).toEqual(['turn-failed', 'The tunnel is '])
  })

  test('a run that fails between its turns has no partial text, nor has a turn that said nothing', async () => {
    const finished = makeLoop({
      model: scriptedAdapter(['All of it.']),
      onStepEnd: throws(new Error('no')),
    })
    expect((await failureOf(finished.generate('Hi?'))).partialText).toBeUndefined()
    const silent = makeLoop({ model: scriptedAdapter([cut]), maxRetries: 0 })
    expect((await failureOf(silent.generate('Hi?'))).partialText).toBeUndefined()
  })

  test('an empty prompt is no message: alone it is refused, and beside others nothing is added', async () => {
    const model = scriptedAdapter(['Hi.', 'Ho.'])
    const loop = makeLoop({ model })
    for (const input of ['', { prompt: '' }])
      expect((await failureOf(loop.generate(input))).message).toContain('an empty prompt is none')
    expect(model.requests).toEqual([])
    const worded = makeLoop({ model: scriptedAdapter(['Hi.']), prepareStep: () => undefined })
    expect((await worded.generate('')).transcript.messages[0]).toEqual({ role: 'user', content: '' })
    const { transcript } = await loop.generate({ messages: [{ role: 'user', content: 'Hi?' }], prompt: '' })
    expect(transcript.messages.map(({ role }) => role)).toEqual(['user', 'assistant'])
  })
}
