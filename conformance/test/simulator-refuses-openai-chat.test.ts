import { expect, test } from 'vitest'

import {
  all,
  drop,
  expectRefused,
  insert,
  openaiError,
  repeat,
  set,
  type Corruption,
  type Draft,
  type Provider,
} from './simulator-corruption.ts'

const weather = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'Weather of a city',
    strict: true,
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
      additionalProperties: false,
    },
  },
}
const alerts = { type: 'function', function: { name: 'list_alerts', parameters: { type: 'object', properties: {} } } }
const head = { model: 'chat-sim', temperature: 0.5, tools: [weather, alerts], tool_choice: 'auto' }
const opening = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: [{ type: 'text', text: 'Weather in Zürich?' }] },
]

const provider: Provider = {
  wire: 'openai-chat',
  path: '/chat/completions',
  headers: { authorization: 'Bearer good' },
  first: { ...head, messages: opening },
  second: (answer) => {
    const [choice] = answer['choices'] as { readonly message: Draft }[]
    const { content, tool_calls: calls } = choice!.message
    const results = (calls as Draft[]).map((call) => ({ role: 'tool', tool_call_id: call['id'], content: '21 °C' }))
    const assistant = { role: 'assistant', content, tool_calls: calls }
    return { ...head, messages: [...opening, assistant, ...results] }
  },
  errorOf: openaiError,
}

function corruption(name: string, corrupt: Corruption['corrupt'], error: Corruption['error']): Corruption {
  return { name, corrupt, error }
}

const unknown = (param: string) => ({ code: 'unknown_parameter', param, message: `Unknown parameter: '${param}'.` })
const missing = (param: string) => ({
  code: 'missing_required_parameter',
  param,
  message: `Missing required parameter: '${param}'.`,
})
const wrongType = (param: string, message: string) => ({ code: 'invalid_type', param, message })
const wrongValue = (param: string, message: string) => ({ code: 'invalid_value', param, message })
const empty = (param: string) => ({ code: 'empty_array', param, message: 'empty array' })

// The good request: 0 system, 1 user, 2 assistant (get_weather, list_alerts), 3 and 4 results.
const corruptions: readonly Corruption[] = [
  corruption('an unknown member of the body', set('top_k', 5), unknown('top_k')),
  corruption('an unknown member of a message', set('messages.1.id', 'x'), unknown('messages[1].id')),
  corruption(
    'an unknown member of a text',
    set('messages.1.content.0.extra', 1),
    unknown('messages[1].content[0].extra'),
  ),
  corruption(
    'an unknown member of a call',
    set('messages.2.tool_calls.0.index', 0),
    unknown('messages[2].tool_calls[0].index'),
  ),
  corruption(
    'an unknown member of a called function',
    set('messages.2.tool_calls.0.function.input', {}),
    unknown('messages[2].tool_calls[0].function.input'),
  ),
  corruption('an unknown member of a tool', set('tools.0.name', 'x'), unknown('tools[0].name')),
  corruption(
    'an unknown member of a function',
    set('tools.0.function.input_schema', {}),
    unknown('tools[0].function.input_schema'),
  ),
  corruption(
    'an unknown stream option',
    all(set('stream', true), set('stream_options', { usage: true })),
    unknown('stream_options.usage'),
  ),
  corruption('no model', drop('model'), missing('model')),
  corruption('no messages', drop('messages'), missing('messages')),
  corruption('an empty list of messages', set('messages', []), empty('messages')),
  corruption('an empty list of tools', all(set('tools', []), drop('tool_choice')), empty('tools')),
  corruption('an empty list of calls', set('messages.2.tool_calls', []), empty('messages[2].tool_calls')),
  corruption('a message without content', set('messages.1.content', []), empty('messages[1].content')),
  corruption(
    'a user message of null',
    set('messages.1.content', null),
    wrongType('messages[1].content', 'expected one of a string or an array'),
  ),
  corruption(
    'an assistant that says and calls nothing',
    insert('messages.2', { role: 'assistant', content: null }),
    wrongType('messages.[2].content', "Invalid value for 'content': expected a string, got null."),
  ),
  corruption(
    'a role of another provider',
    set('messages.0.role', 'model'),
    wrongValue('messages[0].role', "Invalid value: 'model'."),
  ),
  corruption(
    'a part of another provider',
    set('messages.1.content.0.type', 'input_text'),
    wrongValue('messages[1].content[0].type', "Invalid value: 'input_text'. Supported values are: 'text'"),
  ),
  corruption(
    'an image in an assistant message',
    set('messages.2.content', [{ type: 'image_url', image_url: { url: 'https://x.example' } }]),
    wrongValue('messages[2].content[0].type', "Invalid value: 'image_url'."),
  ),
  corruption('a temperature above 2', set('temperature', 2.5), {
    code: 'decimal_above_max_value',
    param: 'temperature',
    message: 'Expected a value <= 2, but got 2.5 instead.',
  }),
  corruption('a temperature below 0', set('temperature', -1), {
    code: 'decimal_below_min_value',
    param: 'temperature',
    message: 'Expected a value >= 0, but got -1 instead.',
  }),
  corruption(
    'a temperature as a text',
    set('temperature', '1'),
    wrongType('temperature', "Invalid type for 'temperature': expected a decimal, but got a string instead."),
  ),
  corruption('a token limit of zero', set('max_completion_tokens', 0), {
    code: 'integer_below_min_value',
    param: 'max_completion_tokens',
    message: 'Expected a value >= 1',
  }),
  corruption(
    'a token limit with a fraction',
    set('max_completion_tokens', 10.5),
    wrongType('max_completion_tokens', 'expected an integer, but got a decimal instead'),
  ),
  corruption('both names of the token limit', all(set('max_tokens', 5), set('max_completion_tokens', 5)), {
    code: 'invalid_parameter_combination',
    param: 'max_tokens',
    message: 'at the same time is not supported',
  }),
  corruption('five stop sequences', set('stop', ['a', 'b', 'c', 'd', 'e']), {
    code: 'array_above_max_length',
    param: 'stop',
    message: 'maximum length 4, but got an array with length 5',
  }),
  corruption('stream options without a stream', set('stream_options', { include_usage: true }), {
    code: null,
    param: 'stream_options',
    message: "only allowed when 'stream' is enabled",
  }),
  corruption(
    'call arguments as an object',
    set('messages.2.tool_calls.0.function.arguments', {}),
    wrongType('messages[2].tool_calls[0].function.arguments', 'expected a string, but got an object'),
  ),
  corruption('a call without an id', drop('messages.2.tool_calls.0.id'), missing('messages[2].tool_calls[0].id')),
  corruption('a call with an empty id', set('messages.2.tool_calls.0.id', ''), {
    code: 'empty_string',
    param: 'messages[2].tool_calls[0].id',
    message: 'empty string',
  }),
  corruption('a call without a type', drop('messages.2.tool_calls.0.type'), missing('messages[2].tool_calls[0].type')),
  corruption('two calls with one id', set('messages.2.tool_calls.1.id', 'call_sim1n1'), {
    code: null,
    param: 'messages.[2].tool_calls',
    message: "Duplicate value for 'id' of 'call_sim1n1'",
  }),
  corruption('a result without an id', drop('messages.3.tool_call_id'), missing('messages[3].tool_call_id')),
  corruption('a result of another call', set('messages.3.tool_call_id', 'call_other'), {
    code: null,
    param: 'messages.[3].tool_call_id',
    message: "'tool_call_id' of 'call_other' not found",
  }),
  corruption('a result without any call', drop('messages.2'), {
    code: null,
    param: 'messages.[2].role',
    message: "messages with role 'tool' must be a response to a preceding message with 'tool_calls'",
  }),
  corruption('a result given twice', repeat('messages.3'), {
    code: null,
    param: 'messages.[4].tool_call_id',
    message: "Duplicate value for 'tool_call_id' of 'call_sim1n1'",
  }),
  corruption('calls without any result', all(drop('messages.4'), drop('messages.3')), {
    code: null,
    message: 'did not have response messages: call_sim1n1, call_sim1n2',
  }),
  corruption('one call of two without a result', drop('messages.4'), {
    code: null,
    message: 'did not have response messages: call_sim1n2',
  }),
  corruption('a question between calls and results', insert('messages.3', { role: 'user', content: 'Well?' }), {
    code: null,
    param: 'messages.[3].role',
    message: "An assistant message with 'tool_calls' must be followed by tool messages",
  }),
  corruption('a tool choice without tools', drop('tools'), {
    code: null,
    param: 'tool_choice',
    message: "'tool_choice' is only allowed when 'tools' are specified.",
  }),
  corruption(
    'parallel calls without tools',
    all(drop('tools'), drop('tool_choice'), set('parallel_tool_calls', false)),
    { code: null, param: 'parallel_tool_calls', message: "is only allowed when 'tools' are specified" },
  ),
  corruption('a choice of an unknown tool', set('tool_choice', { type: 'function', function: { name: 'nope' } }), {
    code: null,
    param: 'tool_choice',
    message: "no function named 'nope'",
  }),
  corruption(
    'a tool choice of another provider',
    set('tool_choice', 'any'),
    wrongValue('tool_choice', "Invalid value: 'any'. Supported values are: 'none', 'auto', 'required'."),
  ),
  corruption(
    'a tool name with a dot',
    set('tools.0.function.name', 'get.weather'),
    wrongValue('tools[0].function.name', "matches the pattern '^[a-zA-Z0-9_-]+$'"),
  ),
  corruption('a tool name of 65 letters', set('tools.0.function.name', 'x'.repeat(65)), {
    code: 'string_above_max_length',
    param: 'tools[0].function.name',
    message: 'maximum length 64, but got a string with length 65',
  }),
  corruption('a tool whose schema is no object', set('tools.1.function.parameters', { type: 'array' }), {
    code: 'invalid_function_parameters',
    param: 'tools[1].function.parameters',
    message: 'schema must be a JSON Schema of \'type: "object"\', got \'type: "array"\'.',
  }),
  corruption('a strict tool with an optional input', set('tools.0.function.parameters.required', []), {
    code: 'invalid_function_parameters',
    param: 'tools[0].function.parameters',
    message: "Missing 'city'",
  }),
  corruption('a strict tool that allows more', drop('tools.0.function.parameters.additionalProperties'), {
    code: 'invalid_function_parameters',
    message: "'additionalProperties' is required to be supplied and to be false",
  }),
  corruption('JSON mode without the word', set('response_format', { type: 'json_object' }), {
    code: null,
    param: 'messages',
    message: "must contain the word 'json'",
  }),
  corruption(
    'an answer schema without a name',
    set('response_format', { type: 'json_schema', json_schema: { schema: {} } }),
    missing('response_format.json_schema.name'),
  ),
]

test.each(corruptions)('openai-chat refuses $name', async (entry) => {
  await expectRefused(provider, entry)
})

test('openai-chat has at least 30 corruptions, each with a name of its own', () => {
  expect(new Set(corruptions.map(({ name }) => name)).size).toBe(corruptions.length)
  expect(corruptions.length).toBeGreaterThanOrEqual(30)
})
