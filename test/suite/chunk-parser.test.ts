import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { readCassette } from '@steploop/cassette'
import type { Subject } from '@steploop/conformance'
import { AdapterError, type TurnEvent } from '@steploop/core/adapter'
import { expect, test, vi } from 'vitest'
import config from '../../steploop.config.ts'

// Many streams, on a machine that may be busy.
vi.setConfig({ testTimeout: 60_000 })

/** A field that nobody reads, and that is another in every chunk: so no chunk is like one before, and each is parsed in full. */
function withNoise(body: string): string {
  let count = 0
  return body.replaceAll(/^(data: ?)?\{(?=")/gm, (start) => `${start}"~":${count++},`)
}

/** The body in pieces of this many bytes. */
function inPieces(body: string, size: number): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(body)
  let start = 0
  return new ReadableStream({
    pull(controller) {
      if (start >= bytes.length) controller.close()
      else controller.enqueue(bytes.slice(start, (start += size)))
    },
  })
}

async function decoded({ adapter }: Subject, body: BodyInit, type: string): Promise<readonly unknown[]> {
  const fetch = async (): Promise<Response> => new Response(body, { headers: { 'content-type': type } })
  const events: TurnEvent[] = []
  try {
    const turn = adapter({ fetch, apiKey: 'key' }).turn({ messages: [], turn: 0 }, { mode: 'stream' })
    for await (const batch of turn) events.push(...batch)
    return events
  } catch (error) {
    return [...events, AdapterError.isInstance(error) ? error.code : error]
  }
}

const names = [
  'anthropic',
  'azure-chat',
  'groq',
  'mistral',
  'ollama',
  'openai',
  'openai-compatible',
  'openrouter',
  'xai',
]
const subjects = config.subjects.filter(({ name }) => names.includes(name))

test.for(subjects)('$name reads every recorded stream as if each chunk were parsed in full', async (subject) => {
  const folder = new URL(`../../cassettes/${subject.name}/`, import.meta.url)
  let compared = 0
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.stream.yaml'))) {
    const { exchanges } = readCassette(fileURLToPath(new URL(file, folder)))
    for (const { response } of exchanges) {
      const type = response.headers['content-type'] ?? ''
      if (!/event-stream|ndjson/.test(type)) continue
      const body = new TextDecoder().decode(response.body)
      const expected = await decoded(subject, withNoise(body), type)
      expect(await decoded(subject, body, type)).toEqual(expected)
      expect(await decoded(subject, inPieces(body, 7 + (compared % 90)), type)).toEqual(expected)
      compared++
    }
  }
  expect(compared).toBeGreaterThan(5)
})
