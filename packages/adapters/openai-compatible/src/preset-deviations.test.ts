import type { AssistantMessage, JsonObject, TurnRequest } from '@steploop/core/adapter'
import { expect, test } from 'vitest'
import { openaiCompatible, type PresetName } from './index.ts'
import { askOnce } from './test-kit.ts'

const get_weather = { type: 'function', name: 'get_weather', inputSchema: { type: 'object', properties: {} } } as const
const schema = { type: 'object', properties: {}, additionalProperties: false } as const

/** Asks for all that some server does in its own way. */
const demanding: Partial<TurnRequest> = {
  settings: { topK: 5, seed: 7, parallelToolCalls: false, reasoning: 'low' },
  tools: [get_weather],
  toolChoice: { type: 'tool', toolName: 'get_weather' },
  responseFormat: { name: 'answer', schema },
}

/** What a server gets that does nothing in its own way; the settings are those of the default dialect. */
const plain: JsonObject = {
  top_k: undefined,
  seed: 7,
  parallel_tool_calls: false,
  reasoning_effort: 'low',
  reasoning: undefined,
  tool_choice: { type: 'function', function: { name: 'get_weather' } },
  response_format: expect.objectContaining({ type: 'json_schema' }) as unknown,
}

/** The grammar of an answer would hold from the first token on, and a choice by name is taken for `auto`. */
const grammar = { tool_choice: 'auto', response_format: undefined }

const deviations: Readonly<Record<PresetName, JsonObject>> = {
  perplexity: { top_k: 5, seed: undefined, parallel_tool_calls: undefined },
  together: { top_k: 5, parallel_tool_calls: undefined },
  venice: { top_k: 5 },
  'vercel-ai-gateway': { reasoning_effort: undefined, reasoning: { effort: 'low' } },
  'hugging-face': {},
  gpustack: { top_k: 5 },
  'llama.cpp': grammar,
  vllm: { top_k: 5 },
  'lm-studio': grammar,
  copilot: {},
  databricks: { parallel_tool_calls: undefined },
}

const make = (name: PresetName) => (fetch: typeof globalThis.fetch) =>
  openaiCompatible(name, { apiKey: 'k', baseURL: 'https://server.example/v1', fetch })('m')

test.each(Object.entries(deviations) as [PresetName, JsonObject][])(
  '%s is sent what its server takes, and warned of what it does not take',
  async (name, deviation) => {
    const { body, turn } = await askOnce(make(name), undefined, demanding)
    const wanted = { ...plain, ...deviation }
    expect(Object.fromEntries(Object.keys(wanted).map((member) => [member, body[member]]))).toEqual(wanted)
    const unreported = ['topK', 'seed', 'parallelToolCalls'].filter(
      (setting) => turn?.warnings?.some(({ path }) => path.includes(setting)) !== true,
    )
    const taken = { topK: wanted['top_k'], seed: wanted['seed'], parallelToolCalls: wanted['parallel_tool_calls'] }
    expect(unreported).toEqual(
      Object.entries(taken).flatMap(([setting, sent]) => (sent === undefined ? [] : [setting])),
    )
  },
)

test('the gateway of Vercel gets thoughts back under the names of OpenRouter, changed ones too', async () => {
  const thought = { type: 'reasoning', text: 'Hm.' } as const
  const said = (provider: PresetName): AssistantMessage => ({
    role: 'assistant',
    provider,
    model: 'm',
    content: [thought, { type: 'text', text: 'Hi' }],
  })
  const sentBack = async (name: PresetName): Promise<unknown> => {
    const messages = [{ role: 'user', content: 'Hi' }, said(name), { role: 'user', content: 'And?' }] as const
    return (await askOnce(make(name), undefined, { messages })).body['messages']
  }
  expect(await sentBack('vercel-ai-gateway')).toMatchObject([{}, { reasoning: 'Hm.', content: 'Hi' }, {}])
  expect(JSON.stringify(await sentBack('hugging-face'))).not.toContain('Hm.')
})
