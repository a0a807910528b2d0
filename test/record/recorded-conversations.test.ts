import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { defineSubject, runConformance, type Subject } from '@steploop/conformance'
import { hasRecordedFindings, printRecorded, runRecorded, type RecordedReport } from '@steploop/lab'
import { createAnthropic } from '@steploop/anthropic'
import { createOpenAI } from '@steploop/openai'
import config from '../../steploop.config.ts'
import { describe, expect, test } from 'vitest'
import { scratchFolder } from '../scratch.ts'
import { hasTraffic, trafficFolders, trafficNote } from '../recorded-traffic.ts'

type Json = Record<string, unknown>

/** Subjects whose requests go through `spoil` before they leave. */
function subjects(spoil: (body: Json) => Json = (body) => body): readonly Subject[] {
  const spoiled = (fetch: typeof globalThis.fetch = globalThis.fetch): typeof globalThis.fetch => {
    return (url, init) => {
      const body = typeof init?.body === 'string' ? init.body : '{}'
      return fetch(url, { ...init, body: JSON.stringify(spoil(JSON.parse(body) as Json)) })
    }
  }
  const common = { model: 'm', cassettes: 'none' }
  return [
    defineSubject({
      ...common,
      name: 'anthropic',
      wire: 'anthropic-messages',
      baseURL: 'https://api.anthropic.com/v1',
      adapter: ({ fetch, model = 'm', ...options }) => createAnthropic({ ...options, fetch: spoiled(fetch) })(model),
    }),
    defineSubject({
      ...common,
      name: 'openai',
      wire: 'openai-responses',
      baseURL: 'https://api.openai.com/v1',
      adapter: ({ fetch, model = 'm', ...options }) => createOpenAI({ ...options, fetch: spoiled(fetch) })(model),
    }),
  ]
}

async function run(files: Readonly<Record<string, unknown>>, spoil?: (body: Json) => Json): Promise<RecordedReport> {
  const directory = scratchFolder()
  for (const [name, content] of Object.entries(files)) {
    await writeFile(join(directory, name), typeof content === 'string' ? content : JSON.stringify(content))
  }
  return runRecorded({ directory, subjects: subjects(spoil) })
}

const tools = [
  {
    name: 'weather',
    description: 'Looks outside.',
    input_schema: { type: 'object', properties: { city: { type: 'string' } } },
  },
  { name: 'time', description: '', input_schema: { type: 'object', properties: {} } },
]
const signature = 'c2lnbmF0dXJlLW9mLXRoZS1yZWFzb25pbmctcGFydA=='
const thinking = { type: 'thinking', thinking: 'Both.', signature }
const says = { type: 'text', text: 'I look.' }
const use = (id: string, name: string, input: Json): Json => ({ type: 'tool_use', id, name, input })
const result = (id: string, content: string): Json => ({ type: 'tool_result', tool_use_id: id, content })
const calls = [use('toolu_1', 'weather', { city: 'Zürich' }), use('toolu_2', 'time', {})]
const results = [result('toolu_1', '7 °C'), result('toolu_2', '12:34')]
const user = { role: 'user', content: 'Wetter und Zeit?' }
const assistant = (...content: readonly Json[]): Json => ({ role: 'assistant', content })
const answered = { type: 'text', text: '7 °C, 12:34.' }

function answer(content: readonly Json[], stop_reason: string): Json {
  return { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content, stop_reason, usage: {} }
}

function exchange(body: Json, response: Json, url = 'https://api.anthropic.com/v1/messages', status = 200): Json {
  const headers = { 'content-type': 'application/json' }
  return { request: { method: 'POST', url, headers, body }, response: { status, headers, body: response } }
}

/** Three requests: calls, results, and what the user says then. */
function session(change: (bodies: Json[]) => void = () => undefined): Json {
  const head = { model: 'm', max_tokens: 99, system: 'Be brief.', tools, tool_choice: { type: 'auto' } }
  const turn = assistant(thinking, says, ...calls)
  const bodies: Json[] = [
    { ...head, messages: [user] },
    { ...head, messages: [user, turn, { role: 'user', content: results }] },
    {
      ...head,
      messages: [
        user,
        turn,
        { role: 'user', content: results },
        assistant(answered),
        { role: 'user', content: 'Danke!' },
      ],
    },
  ].map((body) => structuredClone(body))
  change(bodies)
  const answers = [
    answer([thinking, says, ...calls], 'tool_use'),
    answer([answered], 'end_turn'),
    answer([says], 'end_turn'),
  ]
  return { wire: 'anthropic', interactions: bodies.map((body, index) => exchange(body, answers[index] ?? {})) }
}

/** Changes the messages of every request that has them, or of the recorded ones. */
function edit(change: (messages: Json[], body: Json) => void): (body: Json) => Json {
  return (body) => {
    if ((body['messages'] as Json[]).length > 1) change(body['messages'] as Json[], body)
    return body
  }
}

const blocksOf = (message: Json | undefined): Json[] => message?.['content'] as Json[]

test('a conversation that the loop holds as its recorded client did is equal, request by request', async () => {
  const report = await run({ 'one.json': session() })
  expect(report.findings).toEqual([])
  expect(report.formats).toEqual({
    'anthropic-messages': { sessions: 1, conversations: 1, turns: 3, requests: 3, followUps: 1, equal: 3, allowed: 0 },
  })
  expect(Object.keys(report.scenarios)).toEqual(
    expect.arrayContaining(['parallel-calls', 'no-arguments', 'reasoning-replay']),
  )
  expect(printRecorded(report)).toContain(
    '1 sessions, 3 turns, 3 requests compared, 3 of them equal: nothing unexplained.',
  )
})

test.each<[string, string, (messages: Json[], body: Json) => void]>([
  ['a signature is lost', 'opaque', (messages) => blocksOf(messages[1]).shift()],
  ['text of the model is lost', 'texts', (messages) => blocksOf(messages[1]).splice(1, 1)],
  ['text is added', 'texts', (messages) => blocksOf(messages[1]).push({ type: 'text', text: '!' })],
  ['a call is lost', 'calls', (messages) => blocksOf(messages[1]).pop()],
  ['arguments are changed', 'calls', (messages) => (blocksOf(messages[1])[2]!['input'] = { city: 'Bern' })],
  ['calls change places', 'calls', (messages) => blocksOf(messages[1]).push(blocksOf(messages[1]).splice(2, 1)[0]!)],
  ['a result is lost', 'results', (messages) => blocksOf(messages[2]).pop()],
  ['a result answers another call', 'results', (messages) => (blocksOf(messages[2])[0]!['tool_use_id'] = 'toolu_2')],
  ['a result says something else', 'results', (messages) => (blocksOf(messages[2])[0]!['content'] = '8 °C')],
  ['the user says something else', 'user', (messages) => (messages[0]!['content'] = 'Wetter?')],
  ['a turn is lost', 'roles', (messages) => messages.splice(1, 1)],
  ['the system prompt is lost', 'system', (_, body) => delete body['system']],
  ['a tool is lost', 'tools', (_, body) => (body['tools'] as Json[]).pop()],
  ['a schema is changed', 'tools', (_, body) => ((body['tools'] as Json[])[0]!['input_schema'] = { type: 'object' })],
  ['a tool has another name', 'tools', (_, body) => ((body['tools'] as Json[])[0]!['name'] = 'weather_2')],
  ['the choice is forced', 'choice', (_, body) => (body['tool_choice'] = { type: 'any' })],
])('what a broken adapter sends is unexplained: %s', async (_, what, spoil) => {
  const report = await run({ 'one.json': session() }, edit(spoil))
  expect(report.findings.map(({ difference }) => difference?.what)).toContain(what)
  expect(hasRecordedFindings(report)).toBe(true)
  expect(report.scenarios).toEqual({})
})

test.each<[string, (messages: Json[]) => void]>([
  ['opaque-left-out', (messages) => blocksOf(messages[1]).shift()],
  ['text-left-out', (messages) => blocksOf(messages[1]).splice(1, 1)],
  ['input-rewritten', (messages) => (blocksOf(messages[1])[2]!['input'] = { __arg1: 'Zürich' })],
  ['result-order', (messages) => blocksOf(messages[2]).push(blocksOf(messages[2]).shift()!)],
  ['calls-left-out', (messages) => void (blocksOf(messages[1]).pop(), blocksOf(messages[2]).pop())],
])('what the recorded client did in its own way is allowed, with the reason: %s', async (reason, change) => {
  const changed = session((bodies) => bodies.forEach(edit(change)))
  const report = await run({ 'one.json': changed })
  expect(report.findings).toEqual([])
  expect(report.allowed).toEqual({ [reason]: ['one.json #1', 'one.json #2'] })
})

test('what the recorded client did in its own way is allowed, with the reason: a character of its own where the model said blanks, which is not to be said again', async () => {
  const filled = session((bodies) =>
    bodies.forEach(edit((messages) => blocksOf(messages[1]).splice(2, 0, { type: 'text', text: '.' }))),
  )
  const [first] = filled['interactions'] as { response: { body: Json } }[]
  blocksOf(first!.response.body).splice(2, 0, { type: 'text', text: ' ' })
  const report = await run({ 'one.json': filled })
  expect([report.findings, report.allowed]).toEqual([[], { 'blank-text': ['one.json #1', 'one.json #2'] }])
})

test('what the recorded client did in its own way is allowed, with the reason: a tool that it declares twice, and names that not every provider takes', async () => {
  const twice = session((bodies) => {
    for (const { tools: declared } of bodies) (declared as Json[]).unshift({ ...tools[0], description: 'Old.' })
  })
  const odd = JSON.parse(JSON.stringify(session()).replaceAll('"weather"', '"home/weather.v1"')) as Json
  const report = await run({ 'twice.json': twice, 'odd.json': odd })
  const requests = (file: string): readonly string[] => [0, 1, 2].map((index) => `${file} #${index}`)
  expect([report.findings, report.allowed]).toEqual([
    [],
    { 'clean-names': requests('odd.json'), 'declared-twice': requests('twice.json') },
  ])
})

test('what the recorded client did in its own way is allowed, with the reason: ids of its own, which have to pair calls and results in the same way', async () => {
  const own = (messages: Json[]): void => {
    for (const [index, call] of blocksOf(messages[1]).slice(2).entries()) call['id'] = `own_${index}`
    for (const [index, one] of blocksOf(messages[2]).entries()) one['tool_use_id'] = `own_${index}`
  }
  const renamed = await run({ 'one.json': session((bodies) => bodies.forEach(edit(own))) })
  expect([renamed.findings, Object.keys(renamed.allowed)]).toEqual([[], ['made-ids']])
})

describe('sessions apart are named, with the reason', () => {
  const [first] = session()['interactions'] as Json[]
  const changed = session((bodies) => {
    blocksOf((bodies[1]!['messages'] as Json[])[1])[1]!['text'] = 'Something else.'
    bodies.pop()
  })
  test.each<[string, Json]>([
    ['hand-edited', { ...session(), handEdited: true }],
    ['no-request', { wire: 'anthropic', interactions: [{ ...first, request: null }] }],
    ['single', { interactions: [first] }],
    ['edited', changed],
    ['failed', { interactions: [exchange({ messages: [] }, { error: { message: 'no' } }, undefined, 400)] }],
    ['out-of-scope', { interactions: [exchange({}, {}, 'https://api.cohere.com/v2/chat')] }],
  ])('%s', async (reason, recording) => {
    const report = await run({ 'apart.json': recording, 'one.json': session() })
    expect(report.apart).toEqual({ [reason]: ['apart.json'] })
    expect([report.findings, report.formats['anthropic-messages']?.sessions]).toEqual([[], 1])
  })

  const damaged = (index: number, damage: (exchange: Record<string, Json>) => void): Json => {
    const copy = session()
    damage((copy['interactions'] as Record<string, Json>[])[index]!)
    return copy
  }
  test.each<[string, Json, string, number]>([
    ['a request that is lost', damaged(1, (one) => void (one['request'] = null as never)), 'no-request', 2],
    ['a response that breaks off', damaged(2, (one) => (one['response']!['body'] = '{"id":"msg')), 'cut', 3],
    ['a response that is lost', damaged(2, (one) => delete one['response']!['body']), 'cut', 2],
    ['a request of its own', { interactions: [first, ...(session()['interactions'] as Json[])] }, 'single', 3],
  ])('%s is named, and the rest of the session is compared', async (_, recording, reason, requests) => {
    const report = await run({ 'one.json': recording })
    expect(report.findings).toEqual([])
    expect([Object.keys(report.besides), report.formats['anthropic-messages']?.requests]).toEqual([[reason], requests])
  })

  test('nothing goes on from a response that breaks off: what comes after it begins anew', async () => {
    const report = await run({ 'cut.json': damaged(0, (one) => (one['response']!['body'] = '{"id":"msg')) })
    expect([report.findings, report.besides]).toEqual([[], { cut: ['cut.json #0'] }])
    expect(report.formats['anthropic-messages']).toMatchObject({ turns: 2, requests: 2 })
  })

  test('a folder without any conversation is refused, and one that holds a broken file goes on', async () => {
    await expect(run({ 'one.json': { interactions: [first] } })).rejects.toThrow(
      /no recorded conversation of a loop .1 single/,
    )
    const report = await run({ 'broken.json': '{', 'one.json': session() })
    expect(report.findings).toMatchObject([{ file: 'broken.json', message: expect.stringContaining('broken JSON') }])
    expect(report.formats['anthropic-messages']?.equal).toBe(3)
    expect(printRecorded(report)).toContain('3 of them equal: nothing unexplained, 1 unreadable.')
    expect(hasRecordedFindings(report)).toBe(true)
  })
})

describe('where the provider keeps the responses', () => {
  const url = 'https://api.openai.com/v1/responses'
  const declared = [
    { type: 'function', name: 'job', description: 'Job.', parameters: { type: 'object', properties: {} } },
  ]
  const head = { model: 'm', store: true, tools: declared, tool_choice: 'auto' }
  const call = (id: string): Json => ({
    type: 'function_call',
    id: `fc_${id}`,
    call_id: id,
    name: 'job',
    arguments: '{}',
  })
  const output = (id: string): Json => ({ type: 'function_call_output', call_id: id, output: 'failed' })
  const response = (id: string, item: Json): Json => ({
    id,
    object: 'response',
    model: 'm',
    status: 'completed',
    output: [item],
  })
  const text = { type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text: 'Done.' }] }
  const named = (last: string, ...input: readonly Json[]): Json => ({ ...head, previous_response_id: last, input })
  const recording = {
    interactions: [
      exchange({ ...head, input: 'Check job 382.' }, response('resp_1', call('c1')), url),
      exchange(named('resp_1', output('c1')), response('resp_2', call('c2')), url),
      exchange(
        named('resp_2', output('c2'), { type: 'message', role: 'user', content: 'Restart it.' }),
        response('resp_3', text),
        url,
      ),
      exchange({ ...named('resp_3'), input: 'Thanks.' }, response('resp_4', text), url),
    ],
  }

  test('requests name the response and hold only what is new', async () => {
    const report = await run({ 'one.json': recording })
    expect([report.findings, report.allowed]).toEqual([[], {}])
    expect(report.formats['openai-responses']).toMatchObject({ requests: 4, equal: 4, followUps: 2 })
    expect(Object.keys(report.scenarios)).toEqual(expect.arrayContaining(['continuation', 'tool-output-only']))
  })

  test('a call whose arguments are no JSON is answered in words of the loop, which is allowed', async () => {
    const broken = structuredClone(recording)
    const [first] = broken.interactions as [{ response: { body: { output: Json[] } } }]
    first.response.body.output[0]!['arguments'] = '{"id":'
    const report = await run({ 'one.json': broken })
    expect([report.findings, report.allowed]).toEqual([[], { 'unusable-arguments': ['one.json #1'] }])
  })

  test('what the adapter refuses to send is apart', async () => {
    const [first, second] = structuredClone(recording).interactions as { request: { body: Json } }[]
    first!.request.body['background'] = true
    const report = await run({ 'apart.json': { interactions: [first, second] }, 'one.json': recording })
    expect([report.findings, report.apart]).toEqual([[], { refused: ['apart.json'] }])
  })

  test('a required recording that cannot be held is reported', async () => {
    const name = 'x__openai_responses_tool_calls_3turn.json'
    const held = await run({ [name]: recording })
    expect(held.required).toContainEqual({ name: 'openai_responses_tool_calls_3turn', file: name, ok: true })
    const missed = await run({ [name]: { interactions: recording.interactions.slice(0, 1) }, 'one.json': recording })
    expect(missed.findings).toEqual([])
    expect(hasRecordedFindings(missed)).toBe(true)
    expect(printRecorded(missed)).toContain('✗ openai_responses_tool_calls_3turn')
  })
})

test(
  `recorded conversations hold in the loop, and the scenarios that reports mark are those that they show${trafficNote}`,
  { timeout: 120_000 },
  async () => {
    if (!hasTraffic) return
    const shown: Record<string, readonly string[]> = {}
    for (const directory of trafficFolders) {
      const report = await runRecorded({ directory, subjects: config.subjects })
      process.stdout.write(`${printRecorded(report)}\n`)
      expect([report.findings, hasRecordedFindings(report)]).toEqual([[], false])
      for (const [id, wires] of Object.entries(report.scenarios)) {
        shown[id] = [...new Set([...(shown[id] ?? []), ...wires])].toSorted()
      }
    }
    const { scenarios } = await runConformance(config.subjects, {
      only: ['openai', 'anthropic'],
      mode: 'stream',
      stress: [],
      frontEnds: ['fetch'],
    })
    const marked = scenarios.flatMap(({ id, onTraffic }) => (onTraffic === undefined ? [] : [[id, onTraffic] as const]))
    expect(marked.length).toBeGreaterThan(20)
    for (const [id, wires] of marked) expect([id, shown[id]]).toEqual([id, wires])
  },
)
