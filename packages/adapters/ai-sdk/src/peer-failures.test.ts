import { readFileSync } from 'node:fs'
import { createOpenAI } from '@ai-sdk/openai'
import { createAnthropic } from '@steploop/anthropic'
import {
  AdapterError,
  createTurnCollector,
  type Adapter,
  type Message,
  type Mode,
  type Turn,
} from '@steploop/core/adapter'
import { createGemini } from '@steploop/gemini'
import { createGroq } from '@steploop/groq'
import { createOpenAI as createOpenAIAdapter } from '@steploop/openai'
import { createOpenAICompatible } from '@steploop/openai-compatible'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import config from '../traffic.config.ts'

const fields = z.record(z.string(), z.unknown())
const listSchema = z.array(
  z.strictObject({
    id: z.string(),
    package: z.string(),
    status: z.enum(['confirmed', 'suspected']),
    evidence: z.string(),
    what: z.string(),
    subject: z.string(),
    control: z.string(),
    mode: z.enum(['generate', 'stream']),
    answer: fields.optional(),
    stream: z.array(fields).optional(),
    ending: z.string().default('\n\n'),
    right: fields,
    returns: z.array(z.string()).default([]),
    tells: z.array(z.string()).default([]),
  }),
)
type PeerFailure = z.infer<typeof listSchema>[number]

const file = new URL('../peer-failures.yaml', import.meta.url)
const failures = listSchema.parse(parse(readFileSync(file, 'utf8')))

interface Options {
  readonly fetch: typeof fetch
  readonly apiKey: string
}

const baseURL = 'https://chat.example.com/v1'
const controls: Readonly<Record<string, (options: Options) => Adapter>> = {
  openai: (options) => createOpenAIAdapter(options)('gpt-5-mini'),
  'openai-compatible': (options) => createOpenAICompatible({ ...options, baseURL })('m'),
  anthropic: (options) => createAnthropic(options)('claude-sonnet-4-5'),
  gemini: (options) => createGemini(options)('gemini-3-flash-preview'),
  groq: (options) => createGroq(options)('groq/compound'),
}

function answerOf({ answer, stream, ending }: PeerFailure): Response {
  if (stream === undefined) return Response.json(answer)
  const events = stream.map((event) => {
    const name = typeof event['type'] === 'string' ? `event: ${event['type']}\n` : ''
    return `${name}data: ${JSON.stringify(event)}`
  })
  return new Response(events.join('\n\n') + ending, { headers: { 'content-type': 'text/event-stream' } })
}

interface Outcome {
  readonly turn: Turn
  readonly error: unknown
}

async function run(adapter: Adapter, messages: readonly Message[], mode: Mode): Promise<Outcome> {
  const collector = createTurnCollector(adapter)
  try {
    for await (const batch of adapter.turn({ messages, turn: messages.length >> 1 }, { mode })) collector.push(batch)
    return { turn: collector.turn(), error: undefined }
  } catch (error) {
    return { turn: collector.turn(), error }
  }
}

/** What an adapter makes of the answer, in the words of `right`, and the request that follows. */
async function observe(failure: PeerFailure, make: (options: Options) => Adapter) {
  let body = ''
  const adapter = make({
    apiKey: 'none',
    fetch: async (_url, init) => {
      body = typeof init?.body === 'string' ? init.body : ''
      return answerOf(failure)
    },
  })
  const ask: Message = { role: 'user', content: 'Hi' }
  const { turn, error } = await run(adapter, [ask], failure.mode)
  const again = await run(adapter, [ask], failure.mode)
  await run(adapter, [ask, turn.message, ask], failure.mode)
  const { message, finishReason, rawFinishReason, responseId, model } = turn
  const failed = AdapterError.isInstance(error) ? error : undefined
  const observed = {
    text: message.content.map((part) => (part.type === 'text' ? part.text : '')).join(''),
    calls: message.content.filter(({ type }) => type === 'tool-call'),
    error: failed?.code ?? null,
    status: failed?.status ?? null,
    repeatable: JSON.stringify(again.turn) === JSON.stringify(turn),
    finishReason,
    rawFinishReason,
    responseId,
    model,
  }
  return { observed, body, reported: JSON.stringify(turn.warnings ?? []) }
}

type Observed = Awaited<ReturnType<typeof observe>>

function isRight({ right, returns, tells }: PeerFailure, { observed, body, reported }: Observed): void {
  expect(observed).toMatchObject(right)
  for (const text of tells) expect(reported).toContain(text)
  for (const text of returns) expect(body).toContain(text)
}

test.each(failures)('each peer failure: $id is right with the adapter of the project', async (failure) => {
  const make = controls[failure.control]
  expect(make).toBeDefined()
  isRight(failure, await observe(failure, make!))
})

test.each(failures)(
  'each peer failure: $id still fails with the package: otherwise remove the entry',
  async (failure) => {
    const subject = config.subjects.find(({ name }) => name === failure.subject)
    expect(subject).toBeDefined()
    const found = await observe(failure, (options) => subject!.adapter(options))
    expect(() => isRight(failure, found)).toThrow('expected')
  },
)

test('each peer failure has an id of its own', () => {
  const ids = failures.map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
})

test('@ai-sdk/openai hands over a call of which only the name came when a chat stream breaks off', async () => {
  const call = { index: 0, id: 'c1', type: 'function', function: { name: 'pay', arguments: '' } }
  const delta = { role: 'assistant', tool_calls: [call] }
  const chunk = { id: 'r', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta }] }
  const headers = { 'content-type': 'text/event-stream' }
  const send = async (): Promise<Response> => new Response(`data: ${JSON.stringify(chunk)}\n\n`, { headers })
  const { stream } = await createOpenAI({ apiKey: 'none', fetch: send }).chat('m').doStream({ prompt: [] })
  const types: string[] = []
  for await (const part of stream) types.push(part.type)
  // `fromLanguageModel` holds calls back until the end is proven; without that this one would be `pay({})`.
  expect(types).toContain('tool-call')
})
