import type { TurnRequest } from '@steploop/core/adapter'
import type OpenAI from 'openai'
import { expect, test } from 'vitest'
import { testServer, weather } from './testing.ts'

/** What can be seen of a field that is taken: in the request to the model, in the response, or in its conversation. */
type Sight = (seen: { readonly asked: TurnRequest; readonly response: Readonly<Record<string, unknown>> }) => unknown

interface Row {
  readonly value: unknown
  /** Where it is seen that the field was taken. */
  readonly sight?: Sight
  /** What is seen there. Default: the value. */
  readonly shown?: unknown
  /** Where it is not taken: the code of the error, or that it is named in the header. */
  readonly not?: 'unsupported_parameter' | 'named'
}

const refused = 'unsupported_parameter'

const echoed = (field: string): Sight => {
  return ({ response }) => response[field]
}
const model = (field: keyof TurnRequest): Sight => {
  return ({ asked }) => asked[field]
}
const setting = (name: keyof NonNullable<TurnRequest['settings']>): Sight => {
  return ({ asked }) => asked.settings?.[name]
}

/** Every field that OpenAI's own client knows: what a later version of it adds does not pass the types here. */
const fields = {
  model: { value: 'm', sight: echoed('model') },
  input: { value: 'hi', sight: ({ asked }) => JSON.stringify(asked.messages).includes('"hi"'), shown: true },
  instructions: { value: 'be brief', sight: model('instructions') },
  tools: { value: [weather], sight: ({ asked }) => asked.tools?.map(({ name }) => name), shown: ['weather'] },
  tool_choice: { value: 'none', sight: model('toolChoice') },
  parallel_tool_calls: { value: false, sight: setting('parallelToolCalls') },
  max_output_tokens: { value: 7, sight: setting('maxOutputTokens') },
  max_tool_calls: { value: 3, sight: echoed('max_tool_calls') },
  temperature: { value: 0.5, sight: setting('temperature') },
  top_p: { value: 0.5, sight: setting('topP') },
  reasoning: { value: { effort: 'low' }, sight: setting('reasoning'), shown: 'low' },
  text: {
    value: { format: { type: 'json_schema', name: 'n', schema: { type: 'object' } } },
    sight: echoed('text'),
  },
  stream: { value: false, sight: echoed('object'), shown: 'response' },
  stream_options: { value: { include_obfuscation: false }, sight: echoed('status'), shown: 'completed' },
  store: { value: false, sight: echoed('store') },
  background: { value: false, sight: echoed('background') },
  previous_response_id: { value: 'PREVIOUS', sight: ({ asked }) => asked.messages.length, shown: 3 },
  conversation: {
    value: 'CONVERSATION',
    sight: ({ response }) => Object.keys(Object(response['conversation'])),
    shown: ['id'],
  },
  metadata: { value: { a: 'b' }, sight: echoed('metadata') },
  include: {
    value: ['reasoning.encrypted_content'],
    sight: ({ response }) => JSON.stringify(response['output']).includes('slr1'),
    shown: true,
  },
  user: { value: 'u', sight: echoed('user') },
  safety_identifier: { value: 's', sight: echoed('safety_identifier') },
  prompt_cache_key: { value: 'k', sight: echoed('prompt_cache_key') },
  service_tier: { value: 'auto', sight: echoed('service_tier') },
  truncation: { value: 'auto', not: refused },
  top_logprobs: { value: 2, not: refused },
  prompt: { value: { id: 'p' }, not: refused },
  context_management: { value: [{ type: 'compaction' }], not: refused },
  moderation: { value: { model: 'm' }, not: refused },
  prompt_cache_retention: { value: '24h', not: 'named' },
  prompt_cache_options: { value: {}, not: 'named' },
  access_programs: { value: {}, not: 'named' },
  image: { value: {}, not: 'named' },
} satisfies Readonly<Record<keyof OpenAI.Responses.ResponseCreateParams, Row>>

test.each<[string, Row]>(Object.entries(fields))(
  'the field `%s` is taken, refused by its name, or named as ignored',
  async (field, { value: given, sight, shown, not }) => {
    const server = await testServer(['{}', '{}'])
    const { client, post } = server
    const ids = new Map([
      ['PREVIOUS', async () => (await client.responses.create({ model: 'm', input: 'x' })).id],
      ['CONVERSATION', async () => (await client.conversations.create()).id],
    ])
    const value = (await ids.get(String(given))?.()) ?? given
    const body = { model: 'm', input: 'x', ...(field === 'tool_choice' && { tools: [weather] }), [field]: value }
    const answer = await post('/responses', body)
    const response = (await answer.json()) as {
      readonly error: { readonly code?: string; readonly param?: string } | null
    }
    const asked = server.model.requests.at(-1)?.request
    const found = {
      error: response.error && `${response.error.code} ${response.error.param}`,
      named: answer.headers.get('x-steploop-ignored-fields'),
      seen: asked && sight?.({ asked, response: { ...response } }),
    }
    const error = not === refused ? `${refused} ${field}` : null
    const seen = sight === undefined ? undefined : (shown ?? value)
    expect(found).toEqual({ error, named: not === 'named' ? field : null, seen })
  },
)

test('members that do nothing are named, too, and no more of them than a header takes', async () => {
  const { post } = await testServer(['ok', 'ok', 'ok'])
  const text = { verbosity: 'low' }
  const reasoning = { effort: 'low', generate_summary: null, mode: 'pro' }
  const include = ['message.output_text.logprobs', 'message.input_image.image_url']
  const stream_options = { include_obfuscation: true }
  const some = await post('/responses', { model: 'm', input: 'x', text, reasoning, include, stream_options })
  expect(some.headers.get('x-steploop-ignored-fields')?.split(', ')).toEqual([
    'reasoning.mode',
    'text.verbosity',
    'stream_options.include_obfuscation',
    'include.message.output_text.logprobs',
  ])
  const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`field${index}`, 1]))
  const all = await post('/responses', { model: 'm', input: 'x', ...many })
  expect(all.headers.get('x-steploop-ignored-fields')?.split(', ')).toHaveLength(32)
  const long = Object.fromEntries(Array.from({ length: 32 }, (_, index) => ['漢'.repeat(60) + index, 1]))
  const few = await post('/responses', { model: 'm', input: 'x', ...long })
  expect(few.headers.get('x-steploop-ignored-fields')?.split(', ')).toHaveLength(3)
})
