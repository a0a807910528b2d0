import { LLMock } from '@copilotkit/aimock'
import type { Adapter } from '@steploop/core'
import { createAzureChat } from '@steploop/openai-compatible'
import { onTestFinished } from 'vitest'
import config from '../../steploop.config.ts'

/** A server of aimock on the loopback interface, for one test. */
export async function startAimock(): Promise<LLMock> {
  const mock = new LLMock({ port: 0 })
  await mock.start()
  // It rejects when the test has stopped the server itself.
  onTestFinished(() => mock.stop().catch(() => undefined))
  return mock
}

/** Where aimock speaks a wire format, after its address. */
const basePaths: Readonly<Record<string, string>> = {
  'openai-responses': '/v1',
  'openai-chat': '/v1',
  'anthropic-messages': '/v1',
  'gemini-generate': '/v1beta',
  'ollama-chat': '',
  'cohere-chat': '/v2',
}

/** The same for those who have a surface of their own there. OpenRouter's has generation ids, `provider` and native finish reasons. */
const ownPaths: Readonly<Record<string, string>> = {
  openrouter: '/api/v1',
  vertex: '/v1/projects/p/locations/l/publishers/google',
}

export function aimockURL(mock: LLMock, { name, wire }: { readonly name: string; readonly wire: string }): string {
  return `${mock.url}${ownPaths[name] ?? basePaths[wire] ?? ''}`
}

export interface Speaker {
  readonly name: string
  readonly adapter: (mock: LLMock) => Adapter
}

const apiKey = 'any'

/** Without a place there: Vertex serves Gemini only, and frames for Claude hold an event as it is, where AWS has it in base64 (docs/wire.md#claude-on-bedrock-and-vertex). */
const unserved: readonly string[] = ['vertex-claude', 'bedrock-claude']

/** Every adapter of ours that finds its format there: those of the config, and one more way to the same formats. */
export const speakers: readonly Speaker[] = [
  ...config.subjects
    .filter(({ name }) => !unserved.includes(name))
    .map((subject) => ({
      name: subject.name,
      adapter: (mock: LLMock) => subject.adapter({ apiKey, baseURL: aimockURL(mock, subject) }),
    })),
  {
    name: 'azure',
    adapter: (mock) =>
      createAzureChat({ apiKey, baseURL: `${mock.url}/openai/deployments/gpt-4o`, apiVersion: '2024-10-21' })('gpt-4o'),
  },
]
