import { expect, test } from 'vitest'

import {
  all,
  drop,
  expectRefused,
  insert,
  repeat,
  set,
  type Corruption,
  type Draft,
  type Provider,
} from './simulator-corruption.ts'
import { providers } from './simulator-dialect-providers.ts'

type Row = readonly [name: string, corrupt: (draft: Draft) => void, error: Corruption['error'], status?: number]

/** The error of Mistral has a number as its code, given as a text. */
const mistral: readonly Row[] = [
  ['a member of OpenAI', set('stream_options', { include_usage: true }), extra('stream_options'), 422],
  ['the token limit of OpenAI', set('max_completion_tokens', 5), extra('max_completion_tokens'), 422],
  ['the seed of OpenAI', set('seed', 1), extra('seed'), 422],
  ['a storing switch', set('store', false), extra('store'), 422],
  [
    'reasoning in a field of its own',
    set('messages.2.reasoning_content', 'x'),
    extra('messages.2.reasoning_content'),
    422,
  ],
  [
    'a temperature of 1.6',
    set('temperature', 1.6),
    { message: 'body.temperature: Input should be less than or equal to 1.5' },
    422,
  ],
  [
    'a developer message',
    set('messages.0.role', 'developer'),
    { message: "body.messages.0.role: Input should be 'system' or" },
    422,
  ],
  ['no model', drop('model'), { message: 'body.model: Field required' }, 422],
  [
    'a call id of ten letters',
    renameCall('abcdefghij'),
    { code: '3280', message: 'Tool call id was abcdefghij but must be' },
  ],
  [
    'a call id with an underscore',
    renameCall('call_1234'),
    { code: '3280', message: 'Tool call id was call_1234 but must be' },
  ],
  [
    'one call of two without a result',
    drop('messages.4'),
    { code: '3230', message: 'Not the same number of function calls and responses' },
  ],
  ['a result given twice', repeat('messages.4'), { code: '3230', message: 'Not the same number' }],
  [
    'a question right after results',
    insert('messages.5', { role: 'user', content: 'Well?' }),
    { code: '3230', type: 'invalid_request_message_order', message: "Unexpected role 'user' after role 'tool'" },
  ],
  [
    'two answers in a row',
    insert('messages.2', { role: 'assistant', content: 'Hm.' }),
    { code: '3230', message: "Unexpected role 'assistant' after role 'assistant'" },
  ],
  [
    'an assistant with the last word',
    all(
      drop('messages.4'),
      drop('messages.3'),
      drop('messages.2'),
      insert('messages.2', { role: 'assistant', content: 'Hm.' }),
    ),
    { code: '3230', message: 'Expected last role User or Tool' },
  ],
  [
    'an assistant that says nothing',
    insert('messages.2', { role: 'assistant', content: '' }),
    { code: '3240', message: 'must have either content or tool_calls' },
  ],
  [
    'a schema for the answer beside tools',
    set('response_format', { type: 'json_object' }),
    { message: 'Cannot use json response type with tools' },
  ],
  [
    'a choice of no known word',
    set('tool_choice', 'must'),
    { message: "body.tool_choice: Input should be 'auto' or 'none' or 'any'" },
    422,
  ],
]

const groq: readonly Row[] = [
  [
    'a member that it does not know',
    set('top_k', 5),
    { message: "property 'top_k' is unsupported", type: 'invalid_request_error' },
  ],
  ['log probabilities', set('logprobs', true), { message: "property 'logprobs' is unsupported" }],
  [
    'a reasoning field of others',
    set('messages.2.reasoning_content', 'x'),
    { message: "'messages.2' : property 'reasoning_content' is unsupported" },
  ],
  [
    'a refusal in the history',
    set('messages.2.refusal', null),
    { message: "'messages.2' : property 'refusal' is unsupported" },
  ],
  ['no messages', drop('messages'), { message: "property 'messages' is missing" }],
  ['two answers at once', set('n', 2), { message: '\'n\' : value must be one of "1"' }],
  ['two ways to ask for reasoning', set('include_reasoning', true), { message: 'mutually exclusive' }],
  [
    'raw reasoning beside tools',
    set('reasoning_format', 'raw'),
    { message: '`raw` is not supported with tool calling' },
  ],
  [
    'an effort that the model does not know',
    set('reasoning_effort', 'high'),
    { message: '`reasoning_effort` must be one of `none` or `default`' },
  ],
  [
    'an effort for a model that does not think',
    all(set('model', 'llama-3.3-70b-versatile'), drop('reasoning_format'), set('reasoning_effort', 'low')),
    { message: 'reasoning_effort is not supported with this model' },
  ],
  [
    'a reasoning format for a model that does not think',
    set('model', 'llama-3.3-70b-versatile'),
    { message: 'reasoning_format is not supported with this model' },
  ],
  [
    'JSON mode beside tools',
    set('response_format', { type: 'json_object' }),
    { message: 'json mode cannot be combined with tool/function calling' },
  ],
  [
    'a result of another call',
    set('messages.3.tool_call_id', 'call_other'),
    { message: "'tool_call_id' of 'call_other' not found" },
  ],
  [
    'calls without any result',
    all(drop('messages.4'), drop('messages.3')),
    { message: 'did not have response messages' },
  ],
]

const deepseek: readonly Row[] = [
  [
    'a call of a thinking turn without its reasoning',
    drop('messages.2.reasoning_content'),
    {
      code: 'invalid_request_error',
      message: 'Missing `reasoning_content` field in the assistant message at message index 2',
    },
  ],
  [
    'a forced choice while thinking',
    set('tool_choice', 'required'),
    { message: 'Thinking mode does not support this tool_choice' },
  ],
  [
    'a choice by name while thinking',
    set('tool_choice', { type: 'function', function: { name: 'get_weather' } }),
    { message: 'Thinking mode does not support this tool_choice' },
  ],
  [
    'a schema for the answer',
    set('response_format', { type: 'json_schema', json_schema: { name: 'x', schema: {} } }),
    { message: 'This response_format type is unavailable now' },
  ],
  [
    'JSON mode without the word',
    set('response_format', { type: 'json_object' }),
    { message: "must contain the word 'json'" },
  ],
  [
    'a developer message',
    set('messages.0.role', 'developer'),
    { message: 'messages[0].role: unknown variant `developer`, expected one of `system`' },
  ],
  [
    'an image',
    set('messages.1.content.0', { type: 'image_url', image_url: { url: 'https://x.example' } }),
    { message: 'unknown variant `image_url`, expected one of `text`' },
  ],
  ['the token limit of OpenAI', set('max_completion_tokens', 5), { message: 'unknown field `max_completion_tokens`' }],
  ['a seed', set('seed', 1), { message: 'unknown field `seed`' }],
  [
    'reasoning under another name',
    set('messages.2.reasoning', 'x'),
    { message: 'messages[2].reasoning: unknown field `reasoning`' },
  ],
  [
    'an unknown mode of thinking',
    set('thinking', { type: 'auto' }),
    { message: 'thinking.type: unknown variant `auto`, expected one of `enabled`, `disabled`' },
  ],
  ['no model', drop('model'), { message: 'missing field `model`' }],
  [
    'a result without any call',
    drop('messages.2'),
    { message: "must be a response to a preceding message with 'tool_calls'" },
  ],
]

const argument = 'Client specified an invalid argument'
const xai: readonly Row[] = [
  [
    'a penalty for a model that thinks',
    set('presence_penalty', 1),
    { code: argument, message: 'does not support parameter presencePenalty' },
  ],
  [
    'stop words for a model that thinks',
    set('stop', ['x']),
    { code: argument, message: 'does not support parameter stop' },
  ],
  [
    'an effort between low and high',
    set('reasoning_effort', 'medium'),
    { message: 'Invalid reasoning effort for model grok-3-mini: medium' },
  ],
  [
    'an effort for a model that takes none',
    set('model', 'grok-4'),
    { message: 'Model grok-4 does not support parameter reasoningEffort.' },
  ],
  ['a member that it does not know', set('metadata', {}), { message: 'unknown field `metadata`' }, 422],
  [
    'a file',
    set('messages.1.content.0', { type: 'file', file: { file_id: 'x' } }),
    { message: 'unknown variant `file`' },
    422,
  ],
  ['no messages', drop('messages'), { message: 'missing field `messages`' }, 422],
  ['reasoning under another name', set('messages.2.reasoning', 'x'), { message: 'unknown field `reasoning`' }, 422],
  [
    'arguments as an object',
    set('messages.2.tool_calls.0.function.arguments', {}),
    { message: 'invalid type: object, expected string' },
    422,
  ],
  [
    'one call of two without a result',
    drop('messages.4'),
    { code: argument, message: 'did not have response messages' },
  ],
]

const openrouter: readonly Row[] = [
  ['a member that it does not know', set('top_q', 5), { code: 400, message: "Unknown parameter: 'top_q'." }],
  [
    'a thought that was changed',
    set('messages.2.reasoning_details.0.text', 'Bern first.'),
    upstream('Invalid `signature`'),
  ],
  [
    'a thought without its signature',
    drop('messages.2.reasoning_details.0.signature'),
    upstream('Invalid `signature`'),
  ],
  [
    'a signature of another thought',
    set('messages.2.reasoning_details.0.signature', 'EsSimOther'),
    upstream('messages.2.content.0'),
  ],
  [
    'an unknown kind of detail',
    set('messages.2.reasoning_details.0.type', 'thinking'),
    { code: 400, message: "Supported values are: 'reasoning.text'" },
  ],
  [
    'an effort and a budget',
    set('reasoning.max_tokens', 2000),
    { code: 400, message: 'Only one of "reasoning.effort" and "reasoning.max_tokens"' },
  ],
  ['an unknown effort', set('reasoning.effort', 'huge'), { code: 400, message: "Invalid value: 'huge'." }],
  [
    'a cache switch of another kind',
    set('messages.1.content.0.cache_control', { type: 'forever' }),
    { code: 400, message: "Invalid value: 'forever'." },
  ],
  [
    'a server tool that it does not know',
    set('tools.1', { type: 'openrouter:oracle' }),
    { code: 400, message: "Invalid value: 'openrouter:oracle'." },
  ],
  ['no model', drop('model'), { code: 400, message: "Missing required parameter: 'model'." }],
  [
    'a result of another call',
    set('messages.3.tool_call_id', 'call_other'),
    { code: 400, message: "'tool_call_id' of 'call_other' not found" },
  ],
]

function extra(path: string): Corruption['error'] {
  return { code: null, type: 'invalid_request_error', message: `body.${path}: Extra inputs are not permitted` }
}

function upstream(raw: string): Corruption['error'] {
  const contained: unknown = expect.stringContaining(raw)
  return { code: 400, message: 'Provider returned error', metadata: { provider_name: 'Sim', raw: contained } }
}

/** Both ends of a call get another id. */
function renameCall(id: string): (draft: Draft) => void {
  return all(set('messages.2.tool_calls.0.id', id), set('messages.3.tool_call_id', id))
}

const tables: readonly (readonly [string, Provider, readonly Row[]])[] = [
  ['mistral', providers.mistral, mistral],
  ['groq', providers.groq, groq],
  ['deepseek', providers.deepseek, deepseek],
  ['xai', providers.xai, xai],
  ['openrouter', providers.openrouter, openrouter],
]

const cases = tables.flatMap(([provider, dialect, rows]) =>
  rows.map(([name, corrupt, error, status = 400]) => ({ provider, dialect, entry: { name, corrupt, error, status } })),
)

test.each(cases)('$provider refuses $entry.name', async ({ dialect, entry }) => {
  await expectRefused(dialect, entry)
})

test('every provider has corruptions of its own, each with a name of its own', () => {
  const names = cases.map(({ provider, entry }) => `${provider}: ${entry.name}`)
  expect(new Set(names).size).toBe(names.length)
  for (const [, , rows] of tables) expect(rows.length).toBeGreaterThanOrEqual(10)
})
