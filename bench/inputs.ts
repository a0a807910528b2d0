import { StepLoop, type Adapter } from '@steploop/core'
import {
  createToolCallAssembler,
  parseDelay,
  providerErrorFacts,
  type CallFragment,
  type TurnEvent,
} from '@steploop/core/adapter'
import { scriptedAdapter } from '@steploop/core/testing'
import { createAnthropic } from '@steploop/anthropic'
import { createGemini } from '@steploop/gemini'
import { createOllama } from '@steploop/ollama'
import { createOpenAI } from '@steploop/openai'
import { createOpenAICompatible } from '@steploop/openai-compatible'
import { parameters } from './contestants/contestant.ts'
import { median } from './measure.ts'

/** What an input of this many bytes, made to be slow, costs. */
export interface InputCost {
  readonly title: string
  /** Milliseconds of CPU for a quarter of a megabyte, a half, and the whole. */
  readonly ms: readonly number[]
  /** The whole to the quarter: 4 where the time grows with the size, 16 where it grows with the square. */
  readonly growth: number
}

const sizes = [1 / 4, 1 / 2, 1].map((part) => part * 1024 * 1024)

/** How long inputs that providers and models may send hold the process: none of a megabyte should for more than 100 ms. */
export async function measureInputs(rounds: number): Promise<readonly InputCost[]> {
  const costs: InputCost[] = []
  for (const [title, prepare] of Object.entries(inputs)) {
    const ms: number[] = []
    for (const size of sizes) ms.push(await timeOf(prepare, size, rounds))
    costs.push({ title, ms, growth: (ms[2] ?? 0) / (ms[0] ?? 0) })
  }
  return costs
}

/** What is prepared is not measured. */
type Prepare = (size: number) => () => unknown

/** CPU and not the clock, which other processes slow down; it counts all threads that collect garbage. The first round warms up. */
async function timeOf(prepare: Prepare, size: number, rounds: number): Promise<number> {
  const times: number[] = []
  for (let round = 0; round <= rounds; round++) {
    const run = prepare(size)
    const begin = process.cpuUsage()
    await run()
    const { user, system } = process.cpuUsage(begin)
    if (round > 0) times.push((user + system) / 1000)
  }
  return median(times)
}

/** Text of as many repetitions as make up the size; `text` may count them. */
function repeated(size: number, text: string | ((number: number) => string)): string {
  if (typeof text === 'string') return text.repeat(size / text.length)
  const pieces: string[] = []
  for (let length = 0; length < size; length += pieces.at(-1)?.length ?? 1) pieces.push(text(pieces.length))
  return pieces.join('')
}

function assembled(size: number, fragment: (number: number) => CallFragment): () => void {
  const fragments: CallFragment[] = []
  for (let length = 0; length < size; length += 16 + (fragments.at(-1)?.argumentsText?.length ?? 0)) {
    fragments.push(fragment(fragments.length))
  }
  return () => {
    let parts = 0
    const assembler = createToolCallAssembler({ turn: 0, nextPart: () => parts++ })
    const out: TurnEvent[] = []
    for (const one of fragments) assembler.push(one, out)
    assembler.end(out, false)
  }
}

type Provider = (fetch: typeof globalThis.fetch) => Adapter

const apiKey = 'sk-bench-0123456789abcdefghijklmnop'
const chat: Provider = (fetch) => createOpenAICompatible({ baseURL: 'https://x.example', apiKey, fetch })('m')
const responses: Provider = (fetch) => createOpenAI({ apiKey, fetch })('m')
const anthropic: Provider = (fetch) => createAnthropic({ apiKey, fetch })('m')
const gemini: Provider = (fetch) => createGemini({ apiKey, fetch })('m')
const ollama: Provider = (fetch) => createOllama({ fetch })('m')

/** One turn over an answer that is there at once. */
function turnOf(provider: Provider, body: string, type: 'event-stream' | 'json' | 'x-ndjson', status = 200) {
  const folder = type === 'event-stream' ? 'text' : 'application'
  const init = { status, headers: { 'content-type': `${folder}/${type}` } }
  const adapter = provider(() => Promise.resolve(new Response(body, init)))
  return async () => {
    const events: TurnEvent[] = []
    const mode = type === 'json' ? 'generate' : 'stream'
    try {
      for await (const batch of adapter.turn({ messages: [], turn: 0 }, { mode })) events.push(...batch)
    } catch {
      // Most of this is no answer; what counts is how long that takes.
    }
  }
}

const frame = (data: unknown): string => `data: ${JSON.stringify(data)}\n\n`
const streamed = (provider: Provider, size: number, event: (number: number) => unknown) =>
  turnOf(
    provider,
    repeated(size, (number) => frame(event(number))),
    'event-stream',
  )
const refused = (provider: Provider, message: string) =>
  turnOf(provider, JSON.stringify({ error: { message, type: 'rate_limit' } }), 'json')
const delta = (content: unknown): unknown => ({ choices: [{ index: 0, delta: content }] })
const calling = (call: unknown): unknown => delta({ tool_calls: [call] })
const source = (n: number): unknown => ({ url: `https://x.example/${n}`, title: `${n}` })

const inputs: Readonly<Record<string, Prepare>> = {
  'retry: a delay of digits': (size) => () => parseDelay(repeated(size, '1')),
  'retry: a delay of units': (size) => () => parseDelay(repeated(size, '1s')),
  'retry: a header of digits': (size) => {
    const headers = new Headers({ 'retry-after': repeated(size, '1') })
    return () => providerErrorFacts({ status: 429, headers })
  },
  'retry: digits in a message (chat)': (size) => refused(chat, `try again in ${repeated(size, '1')}`),
  'retry: dots in a message (responses)': (size) => refused(responses, `try again in 1s${repeated(size, '.')}s`),
  'retry: many delays in a message (responses)': (size) => refused(responses, repeated(size, 'try again in 1.1')),
  'error: "previous response" again and again': (size) => refused(responses, repeated(size, 'previous response ')),
  'error: "not support" again and again': (size) => refused(responses, repeated(size, 'not support ')),
  'error: backslashes': (size) => turnOf(chat, repeated(size, '\\'), 'json', 500),
  'error: an answer that is no JSON': (size) => turnOf(gemini, repeated(size, '%25'), 'json'),
  'assembler: a name with every piece, no ids': (size) =>
    assembled(size, () => ({ index: 0, name: 'f', argumentsText: 'x'.repeat(20) })),
  'assembler: braces, a name with every piece': (size) =>
    assembled(size, () => ({ index: 0, name: 'f', argumentsText: '{"a":' })),
  'assembler: calls without ids or indexes': (size) => assembled(size, () => ({ name: 'f', argumentsText: '{}' })),
  'assembler: calls told by ids': (size) => assembled(size, (n) => ({ id: `c${n}`, name: 'f', argumentsText: '{}' })),
  'assembler: index 0 and another id each': (size) =>
    assembled(size, (n) => ({ index: 0, id: `c${n}`, name: 'f', argumentsText: '{}' })),
  'fences: line ends': (size) => fenced(`\`\`\`${repeated(size, '\n')}`),
  'fences: fences': (size) => fenced(repeated(size, '```\n')),
  'chat: calls': (size) =>
    streamed(chat, size, (n) => calling({ index: n, id: `c${n}`, function: { name: 'f', arguments: '{}' } })),
  'chat: deltas': (size) => streamed(chat, size, () => delta({ content: 'a' })),
  'chat: entries of reasoning': (size) =>
    streamed(chat, size, (n) => delta({ reasoning_details: [{ type: 'reasoning.text', index: n, text: 'a' }] })),
  'chat: annotations of files': (size) =>
    streamed(chat, size, (n) => delta({ annotations: [{ type: 'file', file: { hash: n } }] })),
  'chat: sources': (size) => {
    const all = Array.from({ length: size / 80 }, (_, n) => source(n))
    return turnOf(
      chat,
      frame({ citations: all, search_results: all, ...Object(delta({ content: 'a' })) }),
      'event-stream',
    )
  },
  'responses: items': (size) =>
    streamed(responses, size, (n) => ({
      type: 'response.output_item.done',
      output_index: n,
      item: { type: 'function_call', id: `i${n}`, call_id: `c${n}`, name: 'f', arguments: '{}' },
    })),
  'responses: items without an index': (size) =>
    streamed(responses, size, (n) => ({
      type: 'response.output_item.added',
      item: { type: 'function_call', id: `i${n}`, call_id: `c${n}`, name: 'f', arguments: '' },
    })),
  'responses: items that the end repeats': (size) => {
    const item = (n: number): unknown => ({
      type: 'function_call',
      id: `i${n}`,
      call_id: `c${n}`,
      name: 'f',
      arguments: '{}',
    })
    const output = Array.from({ length: size / 160 }, (_, n) => item(n))
    const begun = output
      .map((one, n) => frame({ type: 'response.output_item.added', output_index: n, item: one }))
      .join('')
    const response = { id: 'r', status: 'completed', output }
    return turnOf(responses, begun + frame({ type: 'response.completed', response }), 'event-stream')
  },
  'messages: blocks': (size) =>
    streamed(anthropic, size, (n) => ({
      type: 'content_block_start',
      index: n,
      content_block: { type: 'text', text: 'a' },
    })),
  'gemini: calls': (size) =>
    streamed(gemini, size, () => ({
      candidates: [{ content: { parts: [{ functionCall: { name: 'f', args: {} } }] } }],
    })),
  'ollama: calls': (size) => {
    const line = `${JSON.stringify({ message: { tool_calls: [{ function: { name: 'f', arguments: {} } }] } })}\n`
    return turnOf(ollama, repeated(size, line), 'x-ndjson')
  },
  'framing: line ends': (size) => turnOf(chat, repeated(size, '\r'), 'event-stream'),
  'framing: lines of one event': (size) => turnOf(chat, repeated(size, 'data: x\n'), 'event-stream'),
}

/** A structured answer in a block that is none. */
function fenced(text: string): () => Promise<unknown> {
  const model = scriptedAdapter([text], { capabilities: { structured: true } })
  const loop = new StepLoop({ model, output: { schema: parameters, maxRepairs: 0 } })
  return () => loop.generate('x').catch(() => undefined)
}
