import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { CassetteError, writeCassette, type Cassette } from '@steploop/cassette'
import { defineSubject, runConformance } from '@steploop/conformance'
import { StepLoop, tool, toServerSentEvents, type Capabilities, type StepLoopOptions } from '@steploop/core'
import { shareToolCalls, trace } from '@steploop/core/policies'
import { fakeClock, scriptedAdapter } from '@steploop/core/testing'
import { createOpenAI } from '@steploop/openai'
import { describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { repository } from './catalogue.ts'
import {
  anthropicAnswer,
  anthropicCall,
  anthropicModel,
  call,
  chatAnswer,
  chatModel,
  chatStream,
  eventsOf,
  idle,
  openaiModel,
  outcomes,
  play,
  responsesAnswer,
  responsesCall,
  responsesText,
  say,
  time,
  weather,
  type Parsed,
} from './testing.ts'

/** A key that looks real and is none; joined here, so that no search for keys stumbles over it. */
const canary = ['sk', 'proj', 'A1b2C3d4'.repeat(4)].join('-')

test(
  'switches of the prompt cache and the service tier are in every request, and cached tokens are counted once',
  { tags: ['E12'] },
  async () => {
    const usage = { input_tokens: 10, cache_read_input_tokens: 90, output_tokens: 5 }
    const anthropic = anthropicModel([
      { ...anthropicAnswer([anthropicCall('c1', 'time', { tz: 'CET' })], 'tool_use'), usage },
      { ...anthropicAnswer([{ type: 'text', text: 'Noon.' }]), usage },
    ])
    const providerOptions = {
      anthropic: { cacheControl: true },
      openai: { prompt_cache_key: 'tenant-7', service_tier: 'flex' },
    }
    const result = await new StepLoop({ model: anthropic.model, tools: { time }, providerOptions }).generate('x')
    expect(anthropic.bodies.map(({ cache_control: control }) => control)).toEqual([
      { type: 'ephemeral' },
      { type: 'ephemeral' },
    ])
    expect(result.usage).toMatchObject({ inputTokens: 200, cachedInputTokens: 180 })
    const openai = openaiModel([
      responsesAnswer('r1', [responsesCall('c1', 'time', { tz: 'CET' })]),
      responsesAnswer('r2', [responsesText('Noon.')]),
    ])
    await new StepLoop({ model: openai.model, tools: { time }, providerOptions }).generate('x')
    for (const body of openai.bodies) expect(body).toMatchObject(providerOptions.openai)
  },
)

test('a key shows in no error, event or trace, though the provider repeats it', { tags: ['E13'] }, async () => {
  const refuse = (): Promise<Response> =>
    Promise.resolve(
      new Response(JSON.stringify({ error: { message: `Incorrect API key provided: ${canary}` } }), { status: 401 }),
    )
  const lines: unknown[] = []
  const model = createOpenAI({ apiKey: canary, fetch: refuse })('gpt-4o')
  const loop = new StepLoop({ model, policies: [trace((line) => lines.push(line))] })
  const events = await eventsOf(loop.stream('x'))
  const last = events.at(-1)
  const error = last?.type === 'run-error' ? last.error : undefined
  expect(error?.message).toContain('Incorrect API key provided: [redacted]')
  const shown = JSON.stringify([events, lines, error?.message, String(error?.cause), error?.stack])
  expect(shown).not.toContain(canary)
})

test('arguments reach the page piece by piece while the model writes them', { tags: ['E14'] }, async () => {
  const pieces = ['{"city":"Zü', 'rich"}']
  const deltas = pieces.map((text, n) => ({
    tool_calls: [
      { index: 0, ...(n === 0 && { id: 'c1' }), function: { ...(n === 0 && { name: 'weather' }), arguments: text } },
    ],
  }))
  const { model } = chatModel([chatStream(deltas), chatStream([{ content: 'Sunny.' }], 'stop')])
  const events = await eventsOf(new StepLoop({ model, tools: { weather } }).stream('x'))
  const seen = events.flatMap((event) => (event.type === 'tool-call-delta' ? [event.inputText] : []))
  expect(seen).toEqual(pieces)
})

test(
  'an agent may be another’s tool: both share one budget of calls, and an abort reaches it',
  { tags: ['E14'] },
  async () => {
    const policies = [shareToolCalls(2)]
    const inner = play([[call('time', { tz: 'A' }), call('time', { tz: 'B' })], 'Half of it.'], { policies })
    const agent = tool({
      inputSchema: z.object({}),
      execute: async (_input, { signal }) => {
        const result = await inner.loop.generate('Ask around.', { abortSignal: signal })
        return [result.text, ...outcomes(result.toolResults)]
      },
    })
    const outer = play([[call('agent')], 'Done.'], { policies, tools: { agent } })
    const result = await outer.loop.generate('x')
    expect(outcomes(result.toolResults)).toEqual([['Half of it.', 'noon in A', 'tool-failed']])
    const hanging = play([{ parts: [], hang: true }]).loop
    const controller = new AbortController()
    const ended: Promise<unknown>[] = []
    const stuck = tool({
      inputSchema: z.object({}),
      execute: (_input, { signal }) => {
        const run = hanging.generate('x', { abortSignal: signal })
        ended.push(run.catch((error: unknown) => error))
        return run
      },
    })
    const run = play([[call('stuck')]], { tools: { stuck } }).loop.generate('x', { abortSignal: controller.signal })
    await idle()
    controller.abort()
    await expect(run).rejects.toMatchObject({ code: 'aborted' })
    expect(await Promise.all(ended)).toMatchObject([{ code: 'aborted' }])
  },
)

describe('a stream', () => {
  test('is an async iterable, a web stream or server-sent events, each with one end', { tags: ['E15'] }, async () => {
    const ends = (types: readonly string[]) => types.filter((type) => /^(run-end|run-error|done)$/.test(type))
    const iterated = (await eventsOf(play(['Hallo.']).loop.stream('x'))).map(({ type }) => type)
    expect(ends(iterated)).toEqual(['run-end'])
    const read: string[] = []
    for await (const event of play(['Hallo.']).loop.stream('x').toReadableStream()) read.push(event.type)
    expect(read).toEqual(iterated)
    const page = await new Response(toServerSentEvents(play(['Hallo.']).loop.stream('x'))).text()
    expect(ends([...page.matchAll(/^data: \{"type":"(\w+)"/gm)].map(([, name = '']) => name))).toEqual(['done'])
    const failed = (await eventsOf(play([]).loop.stream('x'))).map(({ type }) => type)
    expect(ends(failed)).toEqual(['run-error'])
  })

  test(
    'is read right whatever its bytes are cut into, with CRLF, comments, a BOM and no last line end',
    { tags: ['E16'] },
    async () => {
      const chunk = (delta: object, finish: string | null) =>
        JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })
      const halves = chunk({ content: '東京 🗼' }, 'stop').split('"finish_reason"')
      const text = `\uFEFF: hello\r\n\r\ndata: ${chunk({ content: 'Zürich, ' }, null)}\r\n\r\ndata: ${halves[0]}\r\ndata: "finish_reason"${halves[1]}\r\n\r\ndata: [DONE]`
      const bytes = new TextEncoder().encode(text)
      const { model } = chatModel([
        new Response(
          new ReadableStream<Uint8Array>({
            start(controller) {
              for (const byte of bytes) controller.enqueue(Uint8Array.of(byte))
              controller.close()
            },
          }),
          { headers: { 'content-type': 'text/event-stream' } },
        ),
      ])
      expect((await new StepLoop({ model }).stream('x').result).text).toBe('Zürich, 東京 🗼')
    },
  )
})

test(
  'fetch, clock, chance and ids come from outside, and core depends on one small parser',
  { tags: ['E16'] },
  async () => {
    const clock = fakeClock(5)
    const options: Partial<StepLoopOptions> = { clock, random: () => 0, generateId: () => 'conversation-7' }
    const { transcript } = await play(['Hallo.'], options).loop.generate('x')
    expect(transcript.id).toBe('conversation-7')
    const manifest: Parsed = JSON.parse(readFileSync(resolve(repository, 'packages/core/package.json'), 'utf8'))
    expect(Object.keys(manifest.dependencies)).toEqual(['eventsource-parser'])
    expect(manifest.peerDependencies).toBeUndefined()
  },
)

describe('the conformance suite', () => {
  const subjectWith = (capabilities: Parsed) =>
    defineSubject({
      name: 'mine',
      wire: 'openai-chat',
      model: 'mine-1',
      baseURL: 'https://chat.example.com/v1',
      cassettes: resolve(repository, 'cassettes/none'),
      adapter: () => ({ ...scriptedAdapter([]), capabilities: capabilities as Capabilities }),
    })
  const run = (capabilities: object, scenario: string) =>
    runConformance([subjectWith(capabilities)], { scenario: [scenario], mode: 'generate' })

  test(
    'leaves nothing out silently: what an adapter cannot do is declared, and what it claims is checked',
    { tags: ['E17'] },
    async () => {
      const [unfit] = (await run({}, 'single-call')).cases
      expect(unfit).toMatchObject({ verdict: 'not-applicable', reason: expect.stringContaining('`tools`') })
      const [claimed] = (await run({ tools: true }, 'single-call')).cases
      expect(claimed?.verdict).not.toBe('not-applicable')
    },
  )

  test('is a package for other people’s adapters, and its recorder writes no secret', { tags: ['E18'] }, () => {
    const manifest: Parsed = JSON.parse(readFileSync(resolve(repository, 'conformance/package.json'), 'utf8'))
    expect([manifest.private, Object.keys(manifest.exports)]).toEqual([
      undefined,
      expect.arrayContaining(['.', './vitest', './simulator']),
    ])
    const folder = mkdtempSync(join(tmpdir(), 'behaviours-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const body = new TextEncoder().encode(JSON.stringify({ note: canary }))
    const cassette: Cassette = {
      header: {
        scenario: 'text-only',
        mode: 'generate',
        provider: 'mine',
        wire: 'openai-chat',
        model: 'mine-1',
        origin: { kind: 'simulated', by: 'a test', date: '2026-11-22' },
      },
      exchanges: [
        {
          request: {
            method: 'POST',
            url: 'https://chat.example.com/v1',
            headers: { 'content-type': 'application/json' },
            body,
          },
          response: { status: 200, headers: {}, body: new Uint8Array(), chunks: [], ending: 'eof' },
        },
      ],
    }
    expect(() => writeCassette(join(folder, 'text-only.generate.yaml'), cassette, { env: {} })).toThrow(CassetteError)
    expect(readdirSync(folder)).toEqual([])
  })
})

test('names that a provider does not take are mapped there and back, and stay apart', { tags: ['E19'] }, async () => {
  const names = ['wetter.zürich', 'wetter.zurich', 'wetter zürich']
  const tools = Object.fromEntries(
    names.map((name) => [name, tool({ inputSchema: z.object({}), execute: () => name })]),
  )
  const first = chatModel([chatAnswer('Hallo.')])
  await new StepLoop({ model: first.model, tools }).generate('x')
  const sent: string[] = first.bodies[0].tools.map((each: Parsed) => each.function.name)
  expect(new Set(sent).size).toBe(3)
  expect(sent.every((name) => /^[\w-]{1,64}$/.test(name))).toBe(true)
  const { model } = chatModel([chatAnswer(null, [{ id: 'c1', name: sent[1]!, input: {} }]), chatAnswer('Done.')])
  const result = await new StepLoop({ model, tools }).generate('x')
  expect(outcomes(result.toolResults)).toEqual(['wetter.zurich'])
})

test('whatever a tool gives becomes plain data', { tags: ['E21'] }, async () => {
  const circle: Record<string, unknown> = { name: 'circle' }
  circle['self'] = circle
  const given = [
    undefined,
    10n,
    circle,
    new Error('no'),
    new Response('x'),
    new Map([['a', 1]]),
    Number.NaN,
    () => 1,
    new Date(0),
  ]
  const odd = tool({ inputSchema: z.object({ n: z.number() }), execute: ({ n }) => given[n] })
  const turn = given.map((_value, n) => call('odd', { n }, `c${n}`))
  const { loop } = play([turn, 'Done.'], { tools: { odd } })
  const result = await loop.generate('x')
  expect(outcomes(result.toolResults)).toEqual([
    null,
    '10',
    { name: 'circle', self: '[circular]' },
    { name: 'Error', message: 'no' },
    expect.anything(),
    { a: 1 },
    null,
    null,
    '1970-01-01T00:00:00.000Z',
  ])
  expect(JSON.parse(JSON.stringify(result.transcript))).toEqual(result.transcript)
})

test(
  'ids that are missing or come twice, text after calls and chunks after the end do no harm',
  { tags: ['E22'] },
  async () => {
    const turns = [
      [call('time', { tz: 'A' }, 'x'), call('time', { tz: 'B' }, 'x'), say('After.')],
      [call('time', { tz: 'C' }, 'x')],
      'Done.',
    ]
    const { loop, requests } = play(turns)
    const result = await loop.generate('x')
    expect(outcomes(result.toolResults)).toEqual(['noon in A', 'noon in B', 'noon in C'])
    expect(new Set(result.toolResults.map(({ toolCallId }) => toolCallId)).size).toBe(3)
    expect(requests[1]?.request.messages[1]).toMatchObject({ content: [{}, {}, { type: 'text', text: 'After.' }] })
    const late = { tool_calls: [{ index: 1, function: { name: 'time', arguments: '{"tz":"B"}' } }] }
    const early = { tool_calls: [{ index: 0, id: '', function: { name: 'time', arguments: '{"tz":"A"}' } }] }
    const stream = chatStream([early, late, { content: '' }]).replace(
      'data: [DONE]',
      'data: {"choices":[{"index":0,"delta":{}}]}\n\ndata: [DONE]',
    )
    const { model, bodies } = chatModel([stream, chatStream([{ content: 'Done.' }], 'stop')])
    await new StepLoop({ model, tools: { time } }).stream('x').result
    const [, assistant, ...results] = bodies[1].messages
    const ids = assistant.tool_calls.map(({ id }: Parsed) => id)
    expect(new Set(ids).size).toBe(2)
    expect(results.map(({ tool_call_id: id }: Parsed) => id)).toEqual(ids)
  },
)
