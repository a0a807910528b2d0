import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { readCassette } from '@steploop/cassette'
import { createAnthropic } from '@steploop/anthropic'
import type { Adapter } from '@steploop/core'
import { createGemini } from '@steploop/gemini'
import { createMistral } from '@steploop/mistral'
import { createOllama } from '@steploop/ollama'
import { createOpenAI } from '@steploop/openai'
import { createOpenAICompatible } from '@steploop/openai-compatible'
import { createOpenRouter } from '@steploop/openrouter'
import { estimate, median, type Estimate } from './measure.ts'

/** How fast an adapter reads recorded streams. */
export interface DecoderSpeed {
  readonly name: string
  readonly streams: number
  /** Megabytes for each second of CPU. */
  readonly speed: number
  /** CPU, to that of decoding, splitting and parsing the same bytes and doing nothing with them. */
  readonly ratio: Estimate
}

interface Options {
  readonly fetch: typeof fetch
  readonly apiKey: string
}

/** By the folder of their cassettes. */
const adapters: Readonly<Record<string, (options: Options) => Adapter>> = {
  openai: (options) => createOpenAI(options)('m'),
  'openai-compatible': (options) => createOpenAICompatible({ ...options, baseURL: 'https://chat.example.com/v1' })('m'),
  anthropic: (options) => createAnthropic(options)('m'),
  gemini: (options) => createGemini(options)('m'),
  ollama: (options) => createOllama(options)('m'),
  mistral: (options) => createMistral(options)('m'),
  openrouter: (options) => createOpenRouter(options)('m'),
}

/** All recorded streams of a subject, whole turns from bytes to events, in chunks of `chunkBytes`. */
export async function measureDecoders(rounds: number, chunkBytes: number): Promise<readonly DecoderSpeed[]> {
  const speeds: DecoderSpeed[] = []
  for (const [name, adapter] of Object.entries(adapters)) {
    const streams = streamsOf(name)
    const bytes = streams.reduce((sum, { body }) => sum + body.length, 0)
    const times: number[] = []
    const ratios: number[] = []
    // The first rounds warm up.
    for (let round = -20; round < rounds; round++) {
      const floor = await cpuOf(() => parseAll(streams, chunkBytes))
      const own = await cpuOf(() => decodeAll(adapter, streams, chunkBytes))
      if (round < 0) continue
      times.push(own)
      ratios.push(own / floor)
    }
    const speed = bytes / 1000 / median(times)
    speeds.push({ name, streams: streams.length, speed, ratio: estimate(ratios) })
  }
  return speeds
}

interface Stream {
  readonly type: string
  readonly body: Uint8Array
}

const noStream: Stream = { type: '', body: new Uint8Array() }

function streamsOf(name: string): readonly Stream[] {
  const folder = join(import.meta.dirname, '../cassettes', name)
  return readdirSync(folder)
    .filter((file) => file.endsWith('.stream.yaml'))
    .flatMap((file) => readCassette(join(folder, file)).exchanges)
    .map(({ response }) => ({ type: response.headers['content-type'] ?? '', body: response.body }))
    .filter(({ type }) => /event-stream|ndjson/.test(type))
}

async function cpuOf(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

function inChunks({ body, type }: Stream, size: number): Response {
  let start = 0
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (start >= body.length) controller.close()
      else controller.enqueue(body.subarray(start, (start += size)))
    },
  })
  return new Response(stream, { headers: { 'content-type': type } })
}

async function parseAll(streams: readonly Stream[], size: number): Promise<void> {
  for (const stream of streams) await parseLines(inChunks(stream, size).body)
}

async function parseLines(body: ReadableStream<Uint8Array> | null): Promise<void> {
  const text = new TextDecoder()
  let rest = ''
  for await (const chunk of body ?? []) {
    const lines = (rest + text.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) parse(line.slice(line.startsWith('data:') ? 5 : 0))
  }
}

/** Some streams are recorded because they break. */
function parse(text: string): unknown {
  if (!text.trimStart().startsWith('{')) return undefined
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

async function decodeAll(
  adapter: (options: Options) => Adapter,
  streams: readonly Stream[],
  size: number,
): Promise<void> {
  let next = 0
  const fetch = async (): Promise<Response> => inChunks(streams[next++] ?? noStream, size)
  const model = adapter({ fetch, apiKey: 'bench' })
  for (let index = 0; index < streams.length; index++) {
    try {
      for await (const _ of model.turn({ messages: [], turn: 0 }, { mode: 'stream' }));
    } catch {
      // The error that was recorded.
    }
  }
}
