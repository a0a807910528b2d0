import { readCassette, writeCassette } from '@steploop/cassette'
import { defineSubject, runConformance, type Subject, type SubjectAdapterOptions } from '@steploop/conformance'
import { cassettePath, wireKit } from '@steploop/conformance/cli'
import { recordScenario } from '@steploop/lab'
import { startSimulator } from '@steploop/conformance/simulator'
import { AdapterError, type Adapter } from '@steploop/core'
import { objectOf, textOf } from '@steploop/core/adapter'
import { createOllama } from '@steploop/ollama'
import { expect, test } from 'vitest'
import { behind, hostile, mutantNamed } from './broken-subject.ts'
import { scenarioNamed, scratchFolder, subjectNamed } from '../scratch.ts'

/** A format that the suite has never heard of, whatever it looks like. */
function ownFormat(): Subject {
  return defineSubject({
    name: 'mine',
    wire: 'mine-chat',
    model: 'mine-1',
    baseURL: 'https://api.mine.example',
    adapter: ({ model = 'mine-1', ...options }) =>
      createOllama({ baseURL: 'https://api.mine.example', ...options })(model),
    cassettes: scratchFolder(),
  })
}

/** From a simulator of the author's. */
async function record(subject: Subject, id: string): Promise<string> {
  const scenario = scenarioNamed(id)
  const server = await startSimulator({ wire: 'ollama-chat', script: scenario.script })
  try {
    const from = { baseURL: server.url, origin: 'simulated' as const }
    return (await recordScenario({ subject, scenario, mode: 'stream', from })).status
  } finally {
    await server.close()
  }
}

test('an adapter with a wire format of its own passes, though the suite cannot play its provider', async () => {
  const subject = ownFormat()
  expect(await record(subject, 'single-call')).toBe('written')
  const { cases } = await runConformance([subject], { scenario: ['single-call'], mode: 'stream' })
  expect(cases.map(({ verdict }) => verdict)).toEqual(['pass'])
  const handOver = cases[0]?.checks.find(({ id }) => id === 'hand-over')
  expect(handOver?.verdict).toBe('not-applicable')
})

test('of such a format no cassette is asked for that no provider gives on demand, and one that is there counts', async () => {
  const subject = ownFormat()
  const options = { scenario: ['cut-stream'], mode: 'stream', stress: [] } as const
  const [before] = (await runConformance([subject], options)).cases
  expect(before?.verdict).toBe('not-applicable')
  expect(before?.reason).toContain("the simulator does not speak 'mine-chat'")
  expect(await record(subject, 'cut-stream')).toBe('written')
  const [after] = (await runConformance([subject], options)).cases
  expect(after?.verdict).toBe('pass')
})

test('whoever has recorded from a simulator is asked for what only a simulator gives', async () => {
  const subject = ownFormat()
  expect(await record(subject, 'text-only')).toBe('written')
  const options = { scenario: ['cut-stream'], mode: 'stream', stress: [] } as const
  const [one] = (await runConformance([subject], options)).cases
  expect(one?.verdict).toBe('fail')
  expect(one?.checks.flatMap(({ failures }) => failures)[0]?.message).toContain('there is no cassette')
})

test('a recording that was refused leaves a mark: the case is red, and says why, until one is written', async () => {
  const subject = ownFormat()
  const broken = { ...subject, adapter: credulous }
  expect(await record(broken, 'cut-stream')).toBe('refused')
  const options = { scenario: ['cut-stream'], mode: 'stream', stress: [] } as const
  const [marked] = (await runConformance([broken], options)).cases
  expect(marked?.verdict).toBe('fail')
  expect(marked?.checks.flatMap(({ failures }) => failures)[0]?.message).toMatch(
    /was refused: .*settles|was refused: .*golden/s,
  )
  expect(await record(subject, 'cut-stream')).toBe('written')
  const [after] = (await runConformance([subject], options)).cases
  expect(after?.verdict).toBe('pass')
})

test('what a provider can be asked for is missed, whatever the format', async () => {
  const options = { scenario: ['text-only'], mode: 'stream', stress: [] } as const
  const [one] = (await runConformance([ownFormat()], options)).cases
  expect(one?.verdict).toBe('fail')
  expect(one?.checks.flatMap(({ failures }) => failures)[0]?.message).toContain('there is no cassette')
})

test('a server that escapes the slashes of its JSON says the same as one that does not', async () => {
  const subject = ownFormat()
  await record(subject, 'text-only')
  const path = cassettePath(subject, 'text-only', 'stream')
  const { header, exchanges } = readCassette(path)
  const escaped = exchanges.map(({ request, response }) => {
    const body = Buffer.from(
      Buffer.from(response.body)
        .toString()
        .replaceAll('"mine-1"', String.raw`"mine\/1"`),
    )
    return { request, response: { ...response, body, chunks: [{ ms: 0, bytes: body.length }] } }
  })
  writeCassette(path, { header, exchanges: escaped })
  const [one] = (await runConformance([subject], { scenario: ['text-only'], mode: 'stream', stress: [] })).cases
  expect(one?.checks.filter(({ verdict }) => verdict === 'fail')).toEqual([])
  expect(Buffer.from(readCassette(path).exchanges[0]!.response.body).toString()).toContain(String.raw`"mine\/1"`)
})

test('a provider that takes fewer names for tools than others is asked for what it takes, and calls them so', async () => {
  const subject: Subject = { ...ownFormat(), wire: 'ollama-chat', toolNames: /^[a-z]+$/, adapter: lettersOnly() }
  const chosen = ['single-call', 'unknown-tool', 'tool-output-only', 'tool-declarations']
  for (const id of chosen) expect([id, await record(subject, id)]).toEqual([id, 'written'])
  const options = { scenario: chosen, mode: 'stream', stress: ['hand-over'] } as const
  const { counts } = await runConformance([subject], options)
  expect(counts).toMatchObject({ pass: chosen.length, fail: 0 })
  const { cases } = await runConformance([{ ...subject, toolNames: undefined }], options)
  expect(
    cases.flatMap(({ checks }) => checks.flatMap(({ id, verdict }) => (verdict === 'fail' ? [id] : []))),
  ).toContain('tools-as-declared')
})

interface Naming {
  readonly mapsBack?: boolean
  readonly inWords?: (body: string) => string
}

/** Names of tools go out as their letters alone, and come back as they were. */
function lettersOnly({ mapsBack = true, inWords = (body) => body }: Naming = {}): Subject['adapter'] {
  return ({ fetch: given = fetch, ...options }) => {
    const own = new Map<string, string>()
    const field = /("(?:function":\{(?:"index":\d+,)?"name|tool_name)":")([^"]+)(?=")/g
    const renaming: typeof fetch = async (url, init) => {
      const body = (typeof init?.body === 'string' ? init.body : '').replace(
        field,
        (_, before: string, name: string) => {
          const wireName = name.replaceAll(/[\W_]/g, '')
          own.set(wireName, name)
          return before + wireName
        },
      )
      const response = await given(url, { ...init, body: inWords(body) })
      if (!mapsBack) return response
      const text = await response.text()
      const told = text.replace(field, (_, before: string, name: string) => before + (own.get(name) ?? name))
      return new Response(told, response)
    }
    return createOllama({ baseURL: 'https://api.mine.example', ...options, fetch: renaming })('mine-1')
  }
}

const words = [
  ['"tools":', '"toolbox":'],
  ['"name":', '"tool":'],
  ['"description":', '"about":'],
] as const

/** A provider whose tools stand in a toolbox, and which has no way but them to ask for an object. */
function boxed(naming: Naming = {}): Subject {
  const inWords = (body: string) => words.reduce((text, [usual, other]) => text.replaceAll(usual, other), body)
  const subject = { ...ownFormat(), toolNames: /^[a-z]+$/i, adapter: lettersOnly({ ...naming, inWords }) }
  return {
    ...hostile(subject, ({ capabilities, ...adapter }) => ({
      ...adapter,
      capabilities: { ...capabilities, structured: false, structuredWithTools: false },
    })),
    simulate: () => (_, next) => {
      const turn = next()
      if (turn.type !== 'answer') throw new Error('nothing fails here')
      const content = turn.parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
      const tool_calls = turn.parts.flatMap((part) =>
        part.type === 'call' ? [{ function: { name: part.toolName, arguments: part.input } }] : [],
      )
      const { inputTokens: prompt_eval_count, outputTokens: eval_count } = turn.usage
      const message = { role: 'assistant', content, tool_calls }
      return { body: { model: 'mine-1', message, done: true, done_reason: 'stop', prompt_eval_count, eval_count } }
    },
    readRequest(body) {
      const usual = words.reduce((text, [one, other]) => text.replaceAll(other, one), JSON.stringify(body))
      return wireKit('ollama-chat')!.readRequest!(JSON.parse(usual))
    },
  }
}

const read = () => boxed()
const deaf = () => boxed({ mapsBack: false })
const unread = () => ({ ...boxed(), readRequest: undefined })
const nobodyTells = /nobody can tell under which name it was sent: let `readRequest`/

test.each<readonly [what: string, id: string, make: () => Subject, wanted: string, told: RegExp]>([
  ['by the name that was sent', 'odd-tool-names', read, 'written', /"name":"wetterabfragenZrich"/],
  ['so that a name that is not mapped back is red', 'odd-tool-names', deaf, 'refused', /golden/],
  ['for an object too', 'structured', read, 'written', /"name":"outputstructureddata"/],
  ['or not at all, where nobody reads its name', 'odd-tool-names', unread, 'refused', nobodyTells],
  ['and no object is written down in its place', 'structured', unread, 'refused', nobodyTells],
])('a tool that a request has in words of its own is called %s', async (_what, id, make, wanted, told) => {
  const subject = make()
  const scenario = scenarioNamed(id)
  const { status, problems } = await recordScenario({ subject, scenario, mode: 'generate', from: 'simulator' })
  expect([status, ...problems]).toEqual([wanted, ...problems])
  const path = cassettePath(subject, id, 'generate')
  const said = status === 'written' ? readCassette(path).exchanges.map(({ response }) => response.body) : []
  expect([...problems, ...said.map((body) => Buffer.from(body).toString())].join('\n')).toMatch(told)
})

/** Chat Completions with a seal on each call, which nobody looks at when it comes back. */
const trusting: NonNullable<Subject['simulate']> = () => (_, next) => {
  const turn = next()
  if (turn.type !== 'answer') throw new Error('nothing fails here')
  const calls = turn.parts.flatMap((part) => (part.type === 'call' ? [part] : []))
  const tool_calls = calls.map(({ toolName: name, input }, index) => ({
    id: `call_${turn.turn}_${index}`,
    type: 'function',
    function: { name, arguments: JSON.stringify(input) },
    extra_content: { seal: `sealed-${['abcdefgh', 'ijklmnop'][index]}-${turn.turn}` },
  }))
  const content = turn.parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
  const message = { role: 'assistant', content, ...(calls.length > 0 && { tool_calls }) }
  const finish_reason = calls.length > 0 ? 'tool_calls' : 'stop'
  const { inputTokens: prompt_tokens, outputTokens: completion_tokens } = turn.usage
  const usage = { prompt_tokens, completion_tokens }
  return { body: { id: `chat-${turn.turn}`, model: 'chat-1', choices: [{ index: 0, finish_reason, message }], usage } }
}

test.each<readonly [what: string, name: string, broken: (subject: Subject) => Subject, message: RegExp]>([
  [
    'a call has the seal of the one before it',
    'parallel-calls',
    (subject) => behind(subject, (text) => text.replaceAll(/sealed-\w+-\d/g, /sealed-\w+-\d/.exec(text)?.[0] ?? '')),
    /'sealed-abcdefgh-1' stands beside another call in the response, and is `providerMetadata` of the call of get_time/,
  ],
  [
    'a call goes back with what came with that of an earlier turn',
    'three-turn',
    mutantNamed('first-metadata-again').apply,
    /'call_2_0' of the last turn is not sent, and 'call_1_0' of a part before it is/,
  ],
])('where a simulator takes any seal, `twins` alone notices that %s', async (_what, name, broken, message) => {
  const sound: Subject = { ...subjectNamed('openai-compatible'), simulate: trusting, cassettes: scratchFolder() }
  const scenario = scenarioNamed(name)
  const reds = async (subject: Subject) => {
    const { status } = await recordScenario({ subject, scenario, mode: 'generate', from: 'simulator' })
    const { cases } = await runConformance([subject], { scenario: [name], mode: 'generate' })
    const red = cases.flatMap(({ checks }) => checks.filter(({ verdict }) => verdict === 'fail'))
    return [status, ...red.map((check) => `${check.id}: ${check.failures[0]?.message}`)]
  }
  expect(await reds(sound)).toEqual(['written'])
  expect(await reds(broken({ ...sound, cassettes: scratchFolder() }))).toEqual([
    'written',
    expect.stringMatching(message),
  ])
})

/** The same as markup in a text, and what fails. */
const inMarkup: NonNullable<Subject['simulate']> = (play) => (request, next) => {
  const turn = next()
  if (turn.type === 'answer') {
    const { body } = objectOf(trusting(play)(request, () => turn))
    return { body: { answer: `<answer ref="${textOf(objectOf(body)['id'])}">${JSON.stringify(body)}</answer>` } }
  }
  if (turn.type === 'loss' || turn.location === 'body') throw new Error('no answer fails here')
  return { status: turn.failure === 'overloaded' ? 503 : 400, body: { error: { message: turn.failure } } }
}

/** @param change of a body as the adapter gets it */
const unwrapping = (change: (text: string, status: number) => string): Subject => ({
  ...subjectNamed('openai-compatible'),
  simulate: inMarkup,
  cassettes: scratchFolder(),
  adapter: ({ fetch: given = fetch, ...options }) =>
    subjectNamed('openai-compatible').adapter({
      ...options,
      async fetch(url, init) {
        const response = await given(url, init)
        const text = await response.text()
        const markup = text.startsWith('{"answer"') ? textOf(objectOf(JSON.parse(text))['answer']) : undefined
        const inside = markup?.slice(markup.indexOf('>') + 1, -'</answer>'.length)
        return new Response(change(inside ?? text, response.status), response)
      },
    }),
})

test.each<readonly [what: string, stress: string, change: (text: string, status: number) => string, told: RegExp]>([
  ['no id of the response', 'tolerate', (text) => text.replaceAll('chat-1', 'chat'), /named by `ref`, 'chat-1'/],
  [
    'the whole body as words of the provider',
    'errors',
    (text, status) => (status < 400 ? text : JSON.stringify({ error: { message: text } })),
    /`providerMessage` is the whole body for status 400/,
  ],
])('where answers are markup in a text, an adapter is red that tells %s', async (_what, stress, change, message) => {
  const told = async (subject: Subject): Promise<string> => {
    await recordScenario({ subject, scenario: scenarioNamed('text-only'), mode: 'generate', from: 'simulator' })
    const { cases } = await runConformance([subject], { scenario: ['text-only'], mode: 'generate', stress: [stress] })
    const red = cases.flatMap(({ checks }) => checks.filter(({ verdict }) => verdict === 'fail'))
    return red.flatMap(({ failures }) => failures.map((failure) => failure.message)).join('\n')
  }
  expect(await told(unwrapping((text) => text))).not.toMatch(message)
  expect(await told(unwrapping(change))).toMatch(message)
})

test.each([
  ['escapes', '&#13;', /^$/],
  ['loses', '', /^`words-as-they-are`: .* is not in the request, and nobody is told/s],
])('of ends of lines that a format %s its reader is asked', async (_does, inBody, message) => {
  const { adapter, ...subject } = subjectNamed('openai-compatible')
  const escaping: Subject = {
    ...subject,
    simulate: trusting,
    readRequest(body) {
      const text = JSON.stringify(body).replaceAll('&#13;', String.raw`\r`)
      return wireKit('openai-chat')!.readRequest!(JSON.parse(text))
    },
    adapter: ({ fetch: given = fetch, ...options }) =>
      adapter({
        ...options,
        fetch: (url, init) => {
          const body = typeof init?.body === 'string' ? init.body : ''
          return given(url, { ...init, body: body.replaceAll(String.raw`\r`, inBody) })
        },
      }),
  }
  const stress = ['requests@words-as-they-are']
  const { cases } = await runConformance([escaping], { scenario: ['text-only'], mode: 'stream', stress })
  const [check] = cases[0]?.checks.filter(({ id }) => id === 'requests') ?? []
  expect(check?.failures[0]?.message ?? '').toMatch(message)
})

test.each([
  ['as JSON has them', '"', true],
  ['as markup has them', '&quot;', true],
  ['so that all is lost', undefined, false],
] as const)('the quotes of half of a JSON that another provider called with are escaped %s', (_, quote, isSent) => {
  const half = quote === undefined ? '{}' : '{"city": "東京'.replaceAll('"', quote)
  const requests = [{ body: { text: `<call>${half}</call>` } }]
  const check = scenarioNamed('foreign-history').checks.find(({ id }) => id === 'losses-reported')
  const lost = check?.judge({ runs: [{ requests, turns: [] }] } as never).map(({ message }) => message)
  const message = 'the arguments that are no JSON is neither in the body nor in a warning'
  expect(lost?.includes(message)).toBe(!isSent)
})

/** A whole answer, whatever came until the connection ended. */
function credulous(options: SubjectAdapterOptions): Adapter {
  const adapter = createOllama({ baseURL: 'https://api.mine.example', ...options })('mine-1')
  const usage = { inputTokens: 1, outputTokens: 1 }
  return {
    ...adapter,
    async *turn(request, context) {
      try {
        yield* adapter.turn(request, context)
      } catch (error) {
        if (!AdapterError.isInstance(error) || error.code !== 'incomplete-stream') throw error
        yield [
          { type: 'text-end', part: 0 },
          { type: 'turn-end', finishReason: 'stop', rawFinishReason: 'stop', usage },
        ]
      }
    },
  }
}
