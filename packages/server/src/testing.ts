import type { Adapter } from '@steploop/core'
import { scriptedAdapter, type ScriptedAdapter, type ScriptedTurn } from '@steploop/core/testing'
import { memoryStore, type OpenStore } from '@steploop/store'
import OpenAI from 'openai'
import { onTestFinished } from 'vitest'
import { serve, type RunningServer, type ServeOptions } from './node.ts'

export interface TestServer extends RunningServer {
  readonly client: OpenAI
  readonly store: OpenStore
  readonly model: ScriptedAdapter
  /** A request without a client's help. */
  readonly post: (path: string, body: unknown, headers?: Readonly<Record<string, string>>) => Promise<Response>
  readonly get: (path: string, headers?: Readonly<Record<string, string>>) => Promise<Response>
}

/** A server on a port of its own, until the test is over. The model `m` says what the script has. */
export async function testServer(
  script: readonly ScriptedTurn[],
  options: Partial<ServeOptions> & { readonly model?: Adapter } = {},
): Promise<TestServer> {
  const model = scriptedAdapter(script)
  const { model: given, ...rest } = options
  const store = rest.store ?? memoryStore()
  const server = await serve({ models: { m: given ?? model }, port: 0, ...rest, store })
  onTestFinished(() => server.stop(0))
  const client = new OpenAI({ baseURL: server.baseURL, apiKey: 'none', maxRetries: 0 })
  const ask = (path: string, init: RequestInit): Promise<Response> => fetch(`${server.baseURL}${path}`, init)
  return {
    ...server,
    client,
    store,
    model,
    post: (path, body, headers = {}) => {
      const text = typeof body === 'string' ? body : JSON.stringify(body)
      return ask(path, { method: 'POST', body: text, headers: { 'content-type': 'application/json', ...headers } })
    },
    get: (path, headers = {}) => ask(path, { headers }),
  }
}

export const weather = {
  type: 'function',
  name: 'weather',
  description: 'The weather of a city',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  },
  strict: true,
} as const

/** The tool as a part of a script. */
export function callWeather(city: string, id?: string) {
  return { type: 'call', toolName: 'weather', input: { city }, ...(id !== undefined && { id }) } as const
}

export async function eventsOf(stream: AsyncIterable<OpenAI.Responses.ResponseStreamEvent>) {
  const events: OpenAI.Responses.ResponseStreamEvent[] = []
  for await (const event of stream) events.push(event)
  return events
}
