import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readCassette, writeCassette } from '@steploop/cassette'
import { runConformance, type Subject } from '@steploop/conformance'
import { wireKit } from '@steploop/conformance/cli'
import { objectOf, type TurnRequest } from '@steploop/core/adapter'
import { expect, test } from 'vitest'
import { scratchFolder, subjectNamed } from '../scratch.ts'
import { faulty, plain } from './broken-subject.ts'

/** What an author tells of a provider whose wire format the suite does not know. */
const reported: Readonly<Record<string, Partial<Subject>>> = {
  openai: {
    sampleOptions: { metadata: { ticket: 'Zürich-東京-42' } },
    cacheOptions: { prompt_cache_key: 'Zürich-東京-42' },
    providerTools: {
      web_search: { type: 'web_search' },
      code_interpreter: { type: 'code_interpreter', container: { type: 'auto' } },
    },
  },
  anthropic: {
    sampleOptions: { metadata: { user_id: 'kunde-zürich-42' } },
    cacheOptions: { cacheControl: { system: true, tools: true, messages: true } },
    providerTools: {
      web_search: { type: 'web_search_20250305', name: 'web_search' },
      code_execution: { type: 'code_execution_20250825', name: 'code_execution' },
    },
  },
  gemini: {
    sampleOptions: { safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_ONLY_HIGH' }] },
    providerTools: { google_search: { googleSearch: {} }, code_execution: { codeExecution: {} } },
  },
  ollama: { sampleOptions: { keep_alive: '10m', num_ctx: 8192 } },
}

/** A correct subject, as if its wire format were one that the suite has never heard of, perhaps in other words. */
function asForeign(subject: Subject, inOtherWords = (body: string): string => body): Subject {
  const cassettes = scratchFolder()
  const wire = 'foreign-chat'
  const from = fileURLToPath(subject.cassettes)
  for (const name of readdirSync(from)) {
    const { header, exchanges } = readCassette(join(from, name))
    if (header.origin.kind !== 'simulated') continue
    const said = exchanges.map(({ request, response }) => ({
      request: { ...request, body: Buffer.from(inOtherWords(Buffer.from(request.body).toString())) },
      response,
    }))
    writeCassette(join(cassettes, name), { header: { ...header, wire, provider: 'foreign' }, exchanges: said })
  }
  return { ...subject, ...reported[subject.name], name: 'foreign', wire, cassettes }
}

test.each(Object.keys(reported))(
  'no check blames %s for what the suite cannot read of its wire format',
  async (name) => {
    const subject = subjectNamed(name)
    // How a cassette answers is no matter of its wire format: one front-end shows it.
    const { cases } = await runConformance([asForeign(subject)], { stress: [], frontEnds: ['fetch'] })
    const red = cases.flatMap(({ checks }) => checks.filter(({ verdict }) => /fail|error/.test(verdict)))
    // Its cassettes lack what its own format has no words for.
    const wrong = red.filter(({ id }) => id !== 'cassette')
    expect(wrong.map(({ address, failures }) => `${address}: ${failures[0]?.message.slice(0, 200)}`)).toEqual([])
    expect(cases.filter(({ verdict }) => verdict === 'pass').length).toBeGreaterThan(100)
  },
)

/** All that was said as one text. */
function asOneText(body: string): string {
  const { messages, ...others } = objectOf(JSON.parse(body))
  return JSON.stringify({ ...others, script: `script: ${JSON.stringify(messages)}` })
}

const lateLast = (body: string): string => body.replace(/(Ab jetzt [^"\\]*)(.*Wie ist das Wetter[^"\\]*)/, '$2$1')

test('where a request holds a conversation as one text, a system message amid it has its place there', async () => {
  const subject = asForeign(subjectNamed('ollama'), asOneText)
  const reds = async (change: (body: string) => string) => {
    const sending: Subject = {
      ...subject,
      adapter: ({ fetch = globalThis.fetch, ...options }) =>
        subject.adapter({
          ...options,
          fetch: (url, init) =>
            fetch(url, { ...init, body: change(asOneText(typeof init?.body === 'string' ? init.body : '')) }),
        }),
    }
    const options = { scenario: ['system-messages'], stress: [], frontEnds: ['fetch'] } as const
    const { cases } = await runConformance([sending], options)
    return cases.map(({ checks }) => checks.flatMap(({ id, verdict }) => (verdict === 'fail' ? [id] : [])))
  }
  expect(await reds((same) => same)).toEqual([[], []])
  const turned = expect.arrayContaining(['system-arrives-once'])
  expect(await reds(lateLast)).toEqual([turned, turned])
})

/** How Chat Completions' cousin would be, had it not taken over the usual words. */
const otherWords = [
  ['"store":', '"keep":'],
  ['"prompt_cache_key":', '"memo":'],
  ['"parallel_tool_calls":false', '"one_at_a_time":true'],
] as const

/** As compact JSON, from which the words can be told. */
const compact = (text: string): string => JSON.stringify(JSON.parse(text))
const renamed = (text: string): string =>
  otherWords.reduce((all, [usual, own]) => all.replaceAll(usual, own), compact(text))
const usual = (data: unknown): unknown =>
  JSON.parse(otherWords.reduce((all, [known, own]) => all.replaceAll(own, known), JSON.stringify(data)))

/** The subject over a wire where all this is called otherwise, as its author would tell the suite. */
function inWordsOfItsOwn(name: string): Subject {
  const subject = asForeign(subjectNamed(name), renamed)
  const read = wireKit(subjectNamed(name).wire)?.readRequest
  return {
    ...subject,
    storeOptions: { keep: true },
    cacheOptions: { memo: 'Zürich-東京-42' },
    readRequest(body) {
      const view = read?.(usual(body))
      if (view === undefined) throw new Error(`nobody reads ${name}`)
      return { ...view, oneCallPerTurn: Object.hasOwn(objectOf(body), 'one_at_a_time') }
    },
    adapter: ({ fetch = globalThis.fetch, ...options }) => {
      const adapter = subject.adapter({
        ...options,
        fetch: (input, init) =>
          fetch(input, { ...init, body: typeof init?.body === 'string' ? renamed(init.body) : null }),
      })
      const translated = (asked: TurnRequest['providerOptions'] = {}) => {
        const text = JSON.stringify(asked)
        if (renamed(text) !== text) throw new Error(`no option of this provider: ${text}`)
        return objectOf(objectOf(usual(asked))[name])
      }
      return {
        ...plain(adapter),
        turn: (request, context) =>
          adapter.turn({ ...request, providerOptions: { [name]: translated(request.providerOptions) } }, context),
      }
    },
  }
}

test('an adapter that cleans two names of tools to the same one is red, though no simulator of its provider refuses them', async () => {
  const readRequest = wireKit('ollama-chat')?.readRequest
  const careless = faulty({ ...asForeign(subjectNamed('ollama')), readRequest }, (adapter) => (request, context) => {
    const tools = request.tools?.map((tool) => ({ ...tool, name: tool.name.replaceAll(/\W/g, '_').slice(0, 64) }))
    return adapter.turn({ ...request, tools }, context)
  })
  const options = { scenario: ['text-only'], mode: 'stream', stress: ['requests'], frontEnds: ['fetch'] } as const
  const { cases } = await runConformance([careless], options)
  const failures = cases[0]?.checks.find(({ id }) => id === 'requests')?.failures ?? []
  expect(failures.map(({ message }) => message).join('\n')).toContain("two tools are called 'find_it'")
})

test('an adapter that goes on from answers that nobody asked to keep is told so', async () => {
  const eager = faulty(subjectNamed('openai'), (adapter) => (request, context) => {
    const providerOptions = request.continuation && { openai: { store: true } }
    return adapter.turn({ ...request, providerOptions }, context)
  })
  // The run asks for nothing; what it is asked with is the bug's.
  const options = { scenario: ['single-call'], mode: 'stream', stress: [], frontEnds: ['fetch'] } as const
  const { cases } = await runConformance([eager], options)
  const check = cases[0]?.checks.find(({ id }) => id === 'whole-history')
  expect(check?.failures[0]?.message).toMatch(/^the body goes on from 'resp_\w+', though nobody asked/)
})

test('a reader that takes a refusal of the model for its text is told how to read it', async () => {
  const read = wireKit('openai-responses')?.readRequest
  const readRequest: Subject['readRequest'] = (body) => {
    const text = /"refusal":"([^"]*)"/.exec(JSON.stringify(body))?.[1] ?? ''
    const view = read!(body)
    const items = view.items.map((item) =>
      item.type === 'other' && item.kind === 'refusal' ? { type: 'text' as const, text, path: item.path } : item,
    )
    return { ...view, items }
  }
  const options = { scenario: ['refusal'], mode: 'stream', stress: [], frontEnds: ['fetch'] } as const
  const { cases } = await runConformance([{ ...asForeign(subjectNamed('openai')), readRequest }], options)
  const check = cases[0]?.checks.find(({ id }) => id === 'whole-history')
  expect(check?.failures[0]?.message).toMatch(/^item 1 of the conversation .*; read a refusal of the model as `other`$/)
})

test('no check blames an adapter for the words of its provider: to keep answers, to cache, for one call at a time', async () => {
  const scenario = [
    'instructions-and-settings',
    'prompt-cache',
    'continuation',
    'continuation-lost',
    'continuation-edited',
  ]
  const { cases } = await runConformance([inWordsOfItsOwn('openai')], { scenario, stress: [], frontEnds: ['fetch'] })
  const red = cases.flatMap(({ checks }) => checks.filter(({ verdict }) => /fail|error/.test(verdict)))
  expect(red.map(({ address, failures }) => `${address}: ${failures[0]?.message.slice(0, 300)}`)).toEqual([])
  expect(cases.map(({ verdict }) => verdict)).toEqual(cases.map(() => 'pass'))
  expect(cases).toHaveLength(10)
})
