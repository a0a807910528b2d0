import { expect, test } from 'vitest'

import { simulatedWire } from '@steploop/conformance/simulator'

import { typesBeyond } from '../src/type-map.ts'
import { dialectExceptions } from './simulator-dialect-exceptions.ts'
import { emittedTypes, recordedTypes } from './simulator-emissions.ts'
import { matches } from './simulator-emits-exceptions.ts'
import { hasRecordedTraffic, recordedExchanges, trafficNote } from './simulator-recorded.ts'

const hello = [{ role: 'user', content: 'x' }]
const weather = { type: 'function', function: { name: 'get_weather', parameters: { type: 'object' } } }

/** Folder of the recordings, and requests that show everything that the provider's models can show. */
const providers = {
  mistral: {
    baseURL: 'https://api.mistral.ai/v1',
    requests: [
      { model: 'mistral-small-latest', messages: hello },
      { model: 'magistral-medium-latest', messages: hello },
    ],
  },
  groq: {
    baseURL: 'https://api.groq.com/openai/v1',
    requests: [
      { model: 'llama-3.3-70b-versatile', messages: hello },
      { model: 'openai/gpt-oss-120b', messages: hello, tools: [weather] },
      { model: 'qwen/qwen3-32b', messages: hello, reasoning_format: 'parsed' },
    ],
  },
  deepseek: {
    baseURL: 'https://api.deepseek.com',
    requests: [
      { model: 'deepseek-chat', messages: hello },
      { model: 'deepseek-reasoner', messages: hello, stream_options: { include_usage: true } },
    ],
  },
  xai: {
    baseURL: 'https://api.x.ai/v1',
    requests: [
      { model: 'grok-4', messages: hello },
      { model: 'grok-3-mini', messages: hello, stream_options: { include_usage: true } },
    ],
  },
  openrouter: {
    baseURL: 'https://openrouter.ai/api/v1',
    requests: [
      { model: 'anthropic/claude-sonnet-4.5', messages: hello, reasoning: { effort: 'low' } },
      { model: 'z-ai/glm-4.6', messages: hello, reasoning: { enabled: true } },
    ],
  },
} as const

const names = Object.keys(providers) as (keyof typeof providers)[]

test.each(names)(`%s: fields and types of what is emitted were all recorded of this provider${trafficNote}`, (name) => {
  const { baseURL, requests } = providers[name]
  const emitted = emittedTypes(simulatedWire('openai-chat', baseURL), requests)
  const recorded = recordedTypes(recordedExchanges([name]), 'openai-chat')
  const differences = hasRecordedTraffic ? typesBeyond(emitted, recorded) : []
  const exceptions = dialectExceptions[name]
  process.stdout.write(
    hasRecordedTraffic
      ? `${name}: ${emitted.size} emitted paths, ${recorded.size} recorded paths, ${exceptions.length} exceptions\n`
      : `${name}: no recorded traffic here\n`,
  )
  expect(differences.filter(({ path }) => !exceptions.some((exception) => matches(exception, path)))).toEqual([])
  const idle = exceptions.filter((exception) => !differences.some(({ path }) => matches(exception, path)))
  expect(hasRecordedTraffic ? idle : []).toEqual([])
})
