import { AdapterError, collectTurn, type Adapter, type TurnEvent } from '@steploop/core/adapter'
import { describe, expect, it } from 'vitest'
import { checkRecording, type RecordingReport } from './check-recording.ts'
import type { ExpectedTurn } from './answer-key.ts'
import { defineSubject, type Subject } from '@steploop/conformance'
import { parseRecording } from '@steploop/conformance/cli'
import {
  chatAdapter,
  chatSubject,
  chatWire,
  recordingText,
  twoCallKey,
  twoCallStream,
  withEvents,
  type RecordingOptions,
} from './testing.ts'

const file = 'chat/two-calls.json'

interface Options {
  readonly subject?: Subject | undefined
  readonly recording?: RecordingOptions | undefined
  readonly key?: ExpectedTurn | null | undefined
}

function check({ subject = chatSubject(), recording, key = twoCallKey }: Options = {}): Promise<RecordingReport> {
  const parsed = parseRecording(recordingText(recording ?? { sse: twoCallStream() }), file)
  return checkRecording(parsed, { subjects: [subject], key: { [file]: [key] }, disputes: [] })
}

function fieldsOf({ findings }: RecordingReport): readonly (string | undefined)[] {
  return findings.filter(({ type }) => type === 'disagreement').map(({ field }) => field)
}

function spoiled(spoil: (adapter: Adapter) => Adapter): Promise<RecordingReport> {
  return check({ subject: chatSubject(spoil) })
}

/** An adapter that does something else instead of failing as `incomplete-stream`. */
function onCut(adapter: Adapter, instead: (events: readonly TurnEvent[]) => readonly TurnEvent[]): Adapter {
  return {
    ...adapter,
    async *turn(request, context) {
      const events: TurnEvent[] = []
      try {
        for await (const batch of adapter.turn(request, context)) {
          events.push(...batch)
          yield batch
        }
      } catch (error) {
        if (!AdapterError.isInstance(error) || error.code !== 'incomplete-stream') throw error
        yield instead(events)
      }
    },
  }
}

function wireSubject(change: (wire: ReturnType<typeof chatWire>) => ReturnType<typeof chatWire>): Subject {
  return defineSubject({ ...chatSubject(), adapter: (options) => chatAdapter(options, change(chatWire())) })
}

it('a right adapter agrees in all 25 decided members, re-chunks without a difference and refuses every cut', async () => {
  const { counts, findings } = await check()
  expect(findings).toEqual([])
  // 8 events before the one with the finish reason, cut after each and inside each; and once inside that one.
  expect(counts).toMatchObject({ files: 1, turns: 1, fields: 25, disagreeing: 0, crashed: 0, rechunked: 1, cuts: 17 })
  expect(counts).toMatchObject({ cutsAccepted: 0, cutsMisreported: 0, rechunkedDiffering: 0 })
})

it('a right adapter gives the same for CR LF line ends', async () => {
  const { findings, counts } = await check({ recording: { sse: twoCallStream('\r\n') } })
  expect(findings).toEqual([])
  expect(counts.cuts).toBe(17)
})

it.each<[string, (event: TurnEvent) => readonly TurnEvent[], readonly string[]]>([
  [
    'a lost second call: the number of calls and its five members',
    (event) => ('toolCallId' in event && event.toolCallId === 'call_b' ? [] : [event]),
    ['toolCalls.length', ...['id', 'name', 'input', 'inputValid', 'owner'].map((member) => `toolCalls[1].${member}`)],
  ],
  [
    'lost reasoning: its text, and the signature that has to go back',
    (event) => (event.type.startsWith('reasoning') ? [] : [event]),
    ['reasoningText', 'opaque'],
  ],
  [
    'usage that is added twice',
    (event) => [event.type === 'turn-end' ? { ...event, usage: { inputTokens: 62, outputTokens: 17 } } : event],
    ['usage.inputTokens'],
  ],
])('a wrong answer is reported member by member: %s', async (_, change, fields) => {
  const report = await spoiled((adapter) => withEvents(adapter, (batch) => batch.flatMap(change)))
  expect(report.counts).toMatchObject({ fields: 25, disagreeing: fields.length })
  expect(fieldsOf(report)).toEqual(fields)
})

it('a wrong answer is reported member by member: a signature that encode drops', async () => {
  const subject = wireSubject((wire) => ({
    ...wire,
    encode: () => ({ path: '/chat/completions', body: '{}', warnings: [] }),
  }))
  expect(fieldsOf(await check({ subject }))).toEqual(['opaque'])
})

it('a wrong answer is reported member by member: an error where the key has an answer', async () => {
  const subject = wireSubject((wire) => ({
    ...wire,
    createDecoder: () => ({
      push: () => undefined,
      end: () => {
        throw new AdapterError({ code: 'malformed-response', provider: 'stub', model: 'chat-model' })
      },
    }),
  }))
  const report = await check({ subject })
  expect(fieldsOf(report)).toContain('error')
  expect(fieldsOf(report)).toContain('text')
  expect(report.counts.crashed).toBe(0)
})

it('a wrong answer is reported member by member: an answer where the key has an error', async () => {
  const error = { kind: 'rate-limit', messageIncludes: 'Slow down', inBand: true, contentBefore: false }
  const report = await check({ key: { error, finish: 'error' } })
  expect(fieldsOf(report)).toEqual([
    'error.kind',
    'error.messageIncludes',
    'error.inBand',
    'error.contentBefore',
    'finish',
  ])
})

describe('errors', () => {
  const body = { error: { code: 'server_error', message: 'The server had an error.' } }
  const error = { kind: 'server', messageIncludes: 'The server had', inBand: false, contentBefore: false }

  it('agree when kind, message and location do', async () => {
    const report = await check({ recording: { body, status: 500 }, key: { error, finish: 'error', usage: null } })
    expect(report.findings).toEqual([])
    expect(report.counts.fields).toBe(9)
  })

  it('a response without a body is an error, no crash', async () => {
    const empty = { kind: 'empty-response', messageIncludes: 'empty', inBand: true, contentBefore: false }
    const report = await check({ recording: { status: 204 }, key: { error: empty } })
    expect(report.findings).toEqual([])
    expect(report.counts).toMatchObject({ turns: 1, errors: 1, crashed: 0 })
  })

  it('inside a 200 are distinguished from an HTTP status', async () => {
    const sse = `data: ${JSON.stringify(body)}\n\n`
    const report = await check({ recording: { sse }, key: { error } })
    expect(fieldsOf(report)).toEqual(['error.inBand'])
    expect(await check({ recording: { sse }, key: { error: { ...error, inBand: true } } })).toMatchObject({
      findings: [],
    })
  })
})

it('a cut stream that is taken for a finished turn is counted at every cut', async () => {
  const report = await spoiled((adapter) => onCut(adapter, () => [{ type: 'turn-end', finishReason: 'stop' }]))
  expect(report.counts).toMatchObject({ disagreeing: 0, cuts: 17, cutsAccepted: 17 })
  expect(report.findings.find(({ type }) => type === 'cut-accepted')?.message).toContain('finish reason stop')
})

it('a cut stream that gives an unfinished call as valid is accepted too, although it fails afterwards', async () => {
  const handOver = (events: readonly TurnEvent[]): readonly TurnEvent[] => {
    const open = events.find((event) => event.type === 'tool-call-start')
    if (open === undefined) throw new AdapterError({ code: 'incomplete-stream', provider: 'stub', model: 'm' })
    return [{ ...open, type: 'tool-call', input: {}, inputText: '{}' }]
  }
  const report = await spoiled((adapter) => ({
    ...adapter,
    async *turn(request, context) {
      yield* onCut(adapter, handOver).turn(request, context)
      if (context.mode === 'stream') throw new AdapterError({ code: 'incomplete-stream', provider: 'stub', model: 'm' })
    },
  }))
  expect(report.counts.cutsAccepted).toBeGreaterThan(0)
  expect(report.findings.filter(({ type }) => type === 'cut-accepted')[0]?.message).toContain('weather({})')
})

it('a cut stream that fails as something else is misreported, not accepted', async () => {
  const report = await spoiled((adapter) =>
    onCut(adapter, () => {
      throw new AdapterError({ code: 'connection', provider: 'stub', model: 'chat-model' })
    }),
  )
  expect(report.counts).toMatchObject({ cutsAccepted: 0, cutsMisreported: 17 })
})

it('a cut stream that a format without evidence finishes with a warning is listed, not accepted', async () => {
  const warnings = [{ type: 'unproven-end' as const, path: 'finish_reason', message: 'no end was announced' }]
  const report = await spoiled((adapter) =>
    onCut(adapter, (events) => [
      ...(events.length === 0 ? [{ type: 'turn-start' as const }] : []),
      { type: 'turn-end', finishReason: 'stop', warnings },
    ]),
  )
  expect(report.counts).toMatchObject({ cutsAccepted: 0, unprovenEnds: 17 })
  expect(report.findings).toEqual([])
})

it('a cut stream is any recorded stream that has no terminal evidence', async () => {
  const sse = 'data: {"id":"chat-1","choices":[{"delta":{"content":"Half"}}]}\n\n'
  const accepting = chatSubject((adapter) => onCut(adapter, () => [{ type: 'turn-end', finishReason: 'stop' }]))
  const report = await check({ recording: { sse }, key: { text: 'Half' }, subject: accepting })
  expect(report.counts.cutsAccepted).toBeGreaterThan(0)
})

it('other chunks that change the events are a difference of that stream', async () => {
  const report = await spoiled((adapter) =>
    withEvents(adapter, (batch) =>
      batch.at(-1)?.type === 'turn-end' ? batch : [...batch, { type: 'text-delta', part: 9, text: '' }],
    ),
  )
  expect(report.counts).toMatchObject({ rechunked: 1, rechunkedDiffering: 1 })
  expect(report.findings.filter(({ type }) => type === 'rechunk')).toHaveLength(1)
})

const crash = (): never => {
  throw new TypeError('x is undefined')
}

it('a crash inside the decoder is counted once per turn and tells where', async () => {
  const report = await check({
    subject: wireSubject((wire) => ({ ...wire, createDecoder: () => ({ push: crash, end: crash }) })),
  })
  expect(report.counts.crashed).toBe(1)
  expect(report.findings.find(({ type }) => type === 'crash')?.message).toContain('TypeError: x is undefined')
})

it('a crash while the turn is sent back is counted', async () => {
  const subject = wireSubject((wire) => ({
    ...wire,
    encode: (request, mode) => (request.messages.length > 1 ? crash() : wire.encode(request, mode)),
  }))
  expect((await check({ subject })).counts.crashed).toBe(1)
})

it('a crash outside the transport is counted', async () => {
  const report = await spoiled((adapter) => ({ ...adapter, turn: crash }))
  expect(report.counts.crashed).toBe(1)
})

it('a crash is a turn without `turn-end`, and one with two', async () => {
  const none = await spoiled((adapter) =>
    withEvents(adapter, (batch) => batch.filter(({ type }) => type !== 'turn-end')),
  )
  const two = await spoiled((adapter) =>
    withEvents(adapter, (batch) => [...batch, ...batch.filter(({ type }) => type === 'turn-end')]),
  )
  expect([none.counts.crashed, two.counts.crashed]).toEqual([1, 1])
})

it('a crash of a hand-edited recording is counted apart', async () => {
  const report = await check({
    subject: chatSubject((adapter) => ({ ...adapter, turn: crash })),
    recording: { sse: twoCallStream(), handEdited: true },
  })
  expect(report.counts).toMatchObject({ turns: 0, fields: 0, crashed: 0, handEdited: { turns: 1, crashed: 1 } })
})

it('a turn that no key covers is compared with a reading of the suite, and its stream is cut all the same', async () => {
  const { counts, findings } = await check({ key: null })
  expect(counts).toMatchObject({ turns: 0, unkeyed: 1, fields: 0, rechunked: 1, cuts: 17 })
  expect([counts.read, findings]).toEqual([{ turns: 1, fields: 15, disagreeing: 0 }, []])
})

it.each<[string, string, (event: TurnEvent) => readonly TurnEvent[]]>([
  ['text is lost', 'text', (event) => (event.type === 'text-delta' ? [] : [event])],
  ['thoughts are lost', 'reasoningText', (event) => (event.type === 'reasoning-delta' ? [] : [event])],
  [
    'a call has another id',
    'toolCalls[0].id',
    (event) => [event.type === 'tool-call' ? { ...event, toolCallId: 'x' } : event],
  ],
  [
    'arguments are lost',
    'toolCalls[0].input',
    (event) => [event.type === 'tool-call' ? { ...event, input: {} } : event],
  ],
  [
    'the reason is lost',
    'rawFinish',
    (event) => [event.type === 'turn-end' ? { ...event, rawFinishReason: undefined } : event],
  ],
  [
    'usage is lost',
    'usage.inputTokens',
    (event) => [event.type === 'turn-end' ? { ...event, usage: undefined } : event],
  ],
])('a turn that no key covers and %s: that is found', async (_, field, change) => {
  const subject = chatSubject((adapter) => withEvents(adapter, (batch) => batch.flatMap(change)))
  const report = await check({ subject, key: null })
  expect(fieldsOf(report)).toContain(field)
  expect(report.counts.read.disagreeing).toBeGreaterThan(0)
})

it('a turn that no key covers has to fail where the provider says that it failed', async () => {
  const body = { error: { message: 'No.' } }
  const deaf = chatSubject((adapter) => ({
    ...adapter,
    async *turn(request, context) {
      await collectTurn(adapter.turn(request, context)).catch(() => undefined)
      yield [{ type: 'turn-start' }, { type: 'turn-end', finishReason: 'stop' }]
    },
  }))
  const report = await check({ subject: deaf, key: null, recording: { body, status: 400 } })
  expect(fieldsOf(report)).toEqual(['error.messageIncludes'])
  expect((await check({ key: null, recording: { body, status: 400 } })).findings).toEqual([])
})

it('a turn that no key covers is left alone where its stream breaks off', async () => {
  const sse = twoCallStream()
  const { counts } = await check({ key: null, recording: { sse: sse.slice(0, sse.length >> 1) } })
  expect(counts.read.turns).toBe(0)
})

it('what is not compared is an undecided member, at any depth', async () => {
  const calls = [
    { id: 'UNDECIDED', name: 'UNDECIDED', input: { city: 'UNDECIDED' }, inputValid: true, owner: 'client' },
    { id: 'call_b', name: 'weather', input: 'UNDECIDED', inputValid: true, owner: 'client' },
  ]
  const key = { toolCalls: calls, text: 'UNDECIDED', usage: 'UNDECIDED', opaque: ['UNDECIDED'] } as const
  const report = await check({ key })
  expect(report.findings).toEqual([])
  // The number of calls; input, validity and owner of the first; id, name, validity and owner of the second.
  expect(report.counts.fields).toBe(8)
})

it('what is not compared is a wire format without a subject', async () => {
  const subject = defineSubject({ ...chatSubject(), wire: 'anthropic-messages' })
  const report = await check({ subject })
  expect(report.counts).toMatchObject({ turns: 0, noAdapter: 1, fields: 0 })
})
