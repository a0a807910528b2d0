import { expect, test } from 'vitest'

import { simulatedWire, type JsonObject } from '@steploop/conformance/simulator'

import { typesBeyond } from '../src/type-map.ts'
import { wireKit } from '../src/wires/index.ts'
import { emittedTypes, recordedTypes } from './simulator-emissions.ts'
import { hasRecordedTraffic, recordedExchanges, trafficNote, type RecordedExchange } from './simulator-recorded.ts'
import { sectionsOf } from './simulator-tables.ts'

interface Emitter {
  /** Default: the name of its entry. */
  readonly wire?: string
  /** Of a dialect. */
  readonly baseURL?: string
  /** Of recordings. Default: the name of its entry. */
  readonly folders?: readonly string[]
  /** Part of the address of its recordings. */
  readonly address?: string
  /** They show everything that the models can show. */
  readonly requests: readonly JsonObject[]
}

const hello = [{ role: 'user', content: 'x' }]
const weather = { type: 'function', function: { name: 'get_weather', parameters: { type: 'object' } } }

const emitters: Readonly<Record<string, Emitter>> = {
  'openai-responses': {
    folders: ['openai-responses', 'mixed'],
    requests: [
      { model: 'gpt-sim', input: 'x' },
      {
        model: 'gpt-sim',
        input: [{ role: 'user', content: 'x' }],
        instructions: 'Be brief.',
        store: false,
        include: ['reasoning.encrypted_content'],
        reasoning: { effort: 'low', summary: 'auto' },
        previous_response_id: 'resp_sim0',
        tools: [{ type: 'function', name: 'get_weather', parameters: { type: 'object' } }],
        tool_choice: { type: 'function', name: 'get_weather' },
        text: { format: { type: 'json_schema', name: 'x', schema: {}, strict: true }, verbosity: 'low' },
        metadata: { key: 'value' },
        parallel_tool_calls: false,
        stream_options: { include_obfuscation: false },
      },
    ],
  },
  'openai-chat': {
    folders: ['openai-chat', 'other-chat-compatible', 'mixed'],
    requests: [
      { model: 'chat-sim', messages: [] },
      { model: 'chat-sim', messages: [], stream_options: { include_usage: true, include_obfuscation: false } },
    ],
  },
  'anthropic-messages': {
    folders: ['anthropic', 'mixed'],
    requests: [
      { model: 'claude-sim', messages: [], max_tokens: 100 },
      { model: 'claude-sim', messages: [], max_tokens: 4096, thinking: { type: 'enabled', budget_tokens: 1024 } },
    ],
  },
  'gemini-generate': {
    folders: ['gemini', 'mixed'],
    requests: [
      { model: 'gemini-3-flash-preview', contents: [] },
      { model: 'gemini-2.5-flash', contents: [], generationConfig: { thinkingConfig: { includeThoughts: true } } },
      { model: 'gemini-2.0-flash', contents: [] },
    ],
  },
  mistral: {
    wire: 'openai-chat',
    baseURL: 'https://api.mistral.ai/v1',
    requests: [
      { model: 'mistral-small-latest', messages: hello },
      { model: 'magistral-medium-latest', messages: hello },
    ],
  },
  groq: {
    wire: 'openai-chat',
    baseURL: 'https://api.groq.com/openai/v1',
    requests: [
      { model: 'llama-3.3-70b-versatile', messages: hello },
      { model: 'openai/gpt-oss-120b', messages: hello, tools: [weather] },
      { model: 'qwen/qwen3-32b', messages: hello, reasoning_format: 'parsed' },
    ],
  },
  deepseek: {
    wire: 'openai-chat',
    baseURL: 'https://api.deepseek.com',
    requests: [
      { model: 'deepseek-chat', messages: hello },
      { model: 'deepseek-reasoner', messages: hello, stream_options: { include_usage: true } },
    ],
  },
  xai: {
    wire: 'openai-chat',
    baseURL: 'https://api.x.ai/v1',
    requests: [
      { model: 'grok-4', messages: hello },
      { model: 'grok-3-mini', messages: hello, stream_options: { include_usage: true } },
    ],
  },
  openrouter: {
    wire: 'openai-chat',
    baseURL: 'https://openrouter.ai/api/v1',
    requests: [
      { model: 'anthropic/claude-sonnet-4.5', messages: hello, reasoning: { effort: 'low' } },
      { model: 'z-ai/glm-4.6', messages: hello, reasoning: { enabled: true } },
    ],
  },
  'xai-responses': {
    wire: 'openai-responses',
    baseURL: 'https://api.x.ai/v1',
    folders: ['openai-responses'],
    address: 'vercel-ai__xai__',
    requests: [
      { model: 'grok-4', input: 'x' },
      { model: 'grok-code-fast-1', input: 'x' },
    ],
  },
}

const exceptions = sectionsOf('emission-exceptions.txt')

test.each(Object.entries(emitters))(
  `%s: events, fields and types of what is emitted were all recorded${trafficNote}`,
  (name, { wire = name, baseURL, folders = [name], address = '', requests }) => {
    const recorded = recordedExchanges(folders).filter((one) => one.address.includes(address) && isOfWire(one, wire))
    const [emits, known] = [emittedTypes(simulatedWire(wire, baseURL), requests), recordedTypes(recorded, wire)]
    const differences = hasRecordedTraffic ? typesBeyond(emits, known).map(({ path }) => path) : []
    const excused = (exceptions.get(name) ?? []).map((line) => line.split(' | ')[0] ?? '')
    process.stdout.write(`${name}: ${emits.size} emitted paths, ${known.size} recorded, ${excused.length} exceptions\n`)
    expect(differences.filter((path) => !excused.some((pattern) => matches(pattern, path)))).toEqual([])
    const idle = excused.filter((pattern) => !differences.some((path) => matches(pattern, path)))
    expect(hasRecordedTraffic ? idle : []).toEqual([])
  },
)

test('an exception covers what it names and nothing else', () => {
  const pattern = 'stream<a.*>.part<x>'
  expect(matches(pattern, 'stream<a.b>.part<x>')).toBe(true)
  expect(matches(pattern, 'stream<a.b>.part<x>.text')).toBe(false)
  expect(matches(pattern, 'streams<a.b>.part<x>')).toBe(false)
})

function matches(pattern: string, path: string): boolean {
  const parts = pattern.split('*').map((part) => part.replace(/[.[\]<>|()+?^$\\{}]/g, '\\$&'))
  return new RegExp(`^${parts.join('.*')}$`).test(path)
}

/** Exchanges without a request stand in the folder of their wire format; in `mixed` the URL tells. */
function isOfWire({ address, request }: RecordedExchange, wire: string): boolean {
  const isApart = !address.startsWith('mixed/')
  if (request === null || wire !== 'gemini-generate') return isApart || isAt(request?.url, wire)
  return isAt(request.url, wire)
}

function isAt(url: string | undefined, wire: string): boolean {
  return url !== undefined && wireKit(wire)!.detect.isEndpoint(new URL(url).pathname, {})
}
