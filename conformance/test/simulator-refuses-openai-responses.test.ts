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
  name: 'get_weather',
  description: 'Weather of a city',
  strict: true,
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  },
}
const alerts = {
  type: 'function',
  name: 'list_alerts',
  strict: false,
  parameters: { type: 'object', properties: {} },
}
const head = { model: 'gpt-sim', temperature: 1, tools: [weather, alerts], tool_choice: 'auto' }
const question = { role: 'user', content: [{ type: 'input_text', text: 'Weather in Zürich?' }] }

function outputsOf(answer: Draft): readonly Draft[] {
  return (answer['output'] as Draft[])
    .filter((item) => item['type'] === 'function_call')
    .map((item) => ({ type: 'function_call_output', call_id: item['call_id'], output: '21 °C' }))
}

const common = {
  wire: 'openai-responses',
  path: '/responses',
  headers: { authorization: 'Bearer good' },
  errorOf: openaiError,
}

/** Full replay: nothing is stored, the encrypted reasoning comes back. */
const stateless = { ...head, store: false, include: ['reasoning.encrypted_content'] }
const replaying: Provider = {
  ...common,
  first: { ...stateless, input: [question] },
  second: (answer) => ({
    ...stateless,
    input: [question, ...(answer['output'] as Draft[]), ...outputsOf(answer)],
  }),
}

/** Continuation: the provider has the answer, only the outputs are new. */
const continuing: Provider = {
  ...common,
  first: { ...head, input: [question] },
  second: (answer) => ({ ...head, previous_response_id: answer['id'], input: outputsOf(answer) }),
}

/** Full replay of items that are stored, too: the reasoning may be a reference by its id. */
const stored: Provider = {
  ...common,
  first: { ...head, input: [question] },
  second: (answer) => ({ ...head, input: [question, ...(answer['output'] as Draft[]), ...outputsOf(answer)] }),
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
const history = (message: string) => ({ code: null, param: 'input', message })

// The good request: 0 question, 1 reasoning, 2 message, 3 get_weather, 4 list_alerts, 5 and 6 outputs.
const corruptions: readonly Corruption[] = [
  corruption('an unknown member of the body', set('max_tokens', 5), unknown('max_tokens')),
  corruption('an unknown member of a message', set('input.0.name', 'x'), unknown('input[0].name')),
  corruption('an unknown member of a text', set('input.0.content.0.extra', 1), unknown('input[0].content[0].extra')),
  corruption('an unknown member of a call', set('input.3.input', {}), unknown('input[3].input')),
  corruption('an unknown member of an output', set('input.5.name', 'x'), unknown('input[5].name')),
  corruption('an unknown member of a tool', set('tools.0.input_schema', {}), unknown('tools[0].input_schema')),
  corruption(
    'a tool in the shape of the other endpoint',
    set('tools.0', { type: 'function', function: { name: 'x', parameters: {} } }),
    missing('tools[0].name'),
  ),
  corruption('no model', drop('model'), missing('model')),
  corruption('no input', drop('input'), {
    code: 'missing_required_parameter',
    param: 'input',
    message: "One of 'input'",
  }),
  corruption('a tool without parameters', drop('tools.0.parameters'), missing('tools[0].parameters')),
  corruption('a call without a call_id', drop('input.3.call_id'), missing('input[3].call_id')),
  corruption('a call without arguments', drop('input.3.arguments'), missing('input[3].arguments')),
  corruption('an output without its text', drop('input.5.output'), missing('input[5].output')),
  corruption('reasoning without a summary', drop('input.1.summary'), missing('input[1].summary')),
  corruption(
    'a hosted tool without its container',
    insert('tools.0', { type: 'code_interpreter' }),
    missing('tools[0].container'),
  ),
  corruption(
    'call arguments as an object',
    set('input.3.arguments', { city: 'Zürich' }),
    wrongType('input[3].arguments', 'expected a string, but got an object'),
  ),
  corruption(
    'an output as an object',
    set('input.5.output', { celsius: 21 }),
    wrongType('input[5].output', 'expected one of a string or an array'),
  ),
  corruption(
    'a temperature as a text',
    set('temperature', '1'),
    wrongType('temperature', 'expected a decimal, but got a string'),
  ),
  corruption('a temperature below 0', set('temperature', -1), {
    code: 'decimal_below_min_value',
    param: 'temperature',
    message: 'Expected a value >= 0, but got -1 instead.',
  }),
  corruption('a top_p above 1', set('top_p', 1.1), {
    code: 'decimal_above_max_value',
    param: 'top_p',
    message: 'Expected a value <= 1',
  }),
  corruption('too few output tokens', set('max_output_tokens', 1), {
    code: 'integer_below_min_value',
    param: 'max_output_tokens',
    message: 'Expected a value >= 16, but got 1 instead.',
  }),
  corruption('no hosted calls at all', set('max_tool_calls', 0), {
    code: 'integer_below_min_value',
    param: 'max_tool_calls',
    message: 'Expected a value >= 1, but got 0 instead.',
  }),
  corruption(
    'an item of another provider',
    set('input.3.type', 'tool_use'),
    wrongValue('input[3].type', "Invalid value: 'tool_use'."),
  ),
  corruption(
    'a role of another provider',
    set('input.0.role', 'tool'),
    wrongValue('input[0].role', "Invalid value: 'tool'."),
  ),
  corruption(
    'a part of the other endpoint',
    set('input.0.content.0.type', 'text'),
    wrongValue('input[0].content[0].type', "Invalid value: 'text'. Supported values are: 'input_text'"),
  ),
  corruption(
    'input text in an assistant message',
    set('input.2.content.0.type', 'input_text'),
    wrongValue('input[2].content[0].type', "Supported values are: 'output_text', 'refusal'."),
  ),
  corruption('a message without content', set('input.0.content', []), {
    code: 'empty_array',
    param: 'input[0].content',
    message: 'empty array',
  }),
  corruption(
    'something unknown to include',
    set('include', ['everything']),
    wrongValue('include[0]', "Invalid value: 'everything'."),
  ),
  corruption(
    'an item id of another kind',
    set('input.3.id', 'msg_1'),
    wrongValue('input[3].id', "matches the pattern '^fc'"),
  ),
  corruption('a call_id of 65 letters', set('input.5.call_id', 'x'.repeat(65)), {
    code: 'string_above_max_length',
    param: 'input[5].call_id',
    message: 'maximum length 64',
  }),
  corruption('an empty call_id', set('input.3.call_id', ''), {
    code: 'empty_string',
    param: 'input[3].call_id',
    message: 'empty string',
  }),
  corruption(
    'an output without a call',
    set('input.5.call_id', 'call_other'),
    history('No tool call found for function call output with call_id call_other.'),
  ),
  corruption(
    'an output before its call',
    all(drop('input.5'), insert('input.1', { type: 'function_call_output', call_id: 'call_sim1n3', output: 'x' })),
    history('No tool call found for function call output with call_id call_sim1n3.'),
  ),
  corruption(
    'an output given twice',
    repeat('input.5'),
    history('No tool call found for function call output with call_id call_sim1n3.'),
  ),
  corruption(
    'a call without an output',
    drop('input.6'),
    history('No tool output found for function call call_sim1n4.'),
  ),
  corruption('an item given twice', repeat('input.3'), history('Duplicate item found with id fc_sim1n3.')),
  corruption(
    'reasoning without the item that followed',
    all(drop('input.4'), drop('input.3'), drop('input.2'), drop('input.3'), drop('input.2')),
    history("Item 'rs_sim1n1' of type 'reasoning' was provided without its required following item."),
  ),
  corruption(
    'reasoning right before an output',
    (draft) => {
      const input = draft['input'] as Draft[]
      input.splice(4, 0, ...input.splice(1, 1))
    },
    history("Item 'rs_sim1n1' of type 'reasoning' was provided without its required following item."),
  ),
  corruption('encrypted reasoning that was edited', set('input.1.encrypted_content', 'gAAAAABother'), {
    code: 'invalid_encrypted_content',
    param: 'input',
    message: 'The encrypted content for item rs_sim1n1 could not be verified.',
  }),
  corruption('a forced choice without tools', all(drop('tools'), set('tool_choice', 'required')), {
    code: null,
    param: 'tool_choice',
    message: "Tool choice 'required' must be specified with 'tools' parameter.",
  }),
  corruption('a choice of an unknown tool', set('tool_choice', { type: 'function', name: 'nope' }), {
    code: null,
    param: 'tool_choice',
    message: "Tool choice 'function' not found in 'tools' parameter.",
  }),
  corruption(
    'a named choice when the tools are gone',
    all(drop('tools'), set('tool_choice', { type: 'function', name: 'get_weather' })),
    { code: null, param: 'tool_choice', message: "Tool choice 'function' not found in 'tools' parameter." },
  ),
  corruption(
    'a choice in the shape of the other endpoint',
    set('tool_choice', { type: 'function', function: { name: 'get_weather' } }),
    missing('tool_choice.name'),
  ),
  corruption(
    'a tool name with a blank',
    set('tools.0.name', 'get weather'),
    wrongValue('tools[0].name', "matches the pattern '^[a-zA-Z0-9_-]+$'"),
  ),
  corruption('a strict tool with an optional input', set('tools.0.parameters.required', []), {
    code: 'invalid_function_parameters',
    param: 'tools[0].parameters',
    message: "Missing 'city'",
  }),
  corruption('a strict tool that allows more', set('tools.0.parameters.additionalProperties', true), {
    code: 'invalid_function_parameters',
    message: "'additionalProperties' is required to be supplied and to be false",
  }),
  corruption('a tool whose schema has no type', set('tools.1.parameters', {}), {
    code: 'invalid_function_parameters',
    param: 'tools[1].parameters',
    message: 'got \'type: "None"\'',
  }),
  corruption('stream options without a stream', set('stream_options', { include_obfuscation: false }), {
    code: null,
    param: 'stream_options',
    message: "only allowed when 'stream' is enabled",
  }),
  corruption(
    'a conversation beside a continuation',
    all(set('conversation', 'conv_1'), set('previous_response_id', 'resp_sim1')),
    { code: 'mutually_exclusive_parameters', message: 'Mutually exclusive parameters' },
  ),
  corruption('a continuation of what was not stored', set('previous_response_id', 'resp_sim1'), {
    code: 'previous_response_not_found',
    param: 'previous_response_id',
    message: "Previous response with id 'resp_sim1' not found.",
  }),
]

test.each(corruptions)('openai-responses refuses $name', async (entry) => {
  await expectRefused(replaying, entry)
})

test.each([
  {
    ...corruption(
      'reasoning without its encrypted content',
      drop('input.1.encrypted_content'),
      history("Item with id 'rs_sim1n1' not found."),
    ),
    status: 404,
  },
  {
    ...corruption(
      'a reference to an item that is not stored',
      set('input.1', { type: 'item_reference', id: 'rs_sim1n1' }),
      history("Item with id 'rs_sim1n1' not found."),
    ),
    status: 404,
  },
])('openai-responses, nothing stored, refuses $name', async (entry) => {
  await expectRefused(replaying, entry)
})

test.each([
  corruption('an unknown response id', set('previous_response_id', 'resp_other'), {
    code: 'previous_response_not_found',
    param: 'previous_response_id',
    message: "Previous response with id 'resp_other' not found.",
  }),
  corruption(
    'a call without an output',
    drop('input.1'),
    history('No tool output found for function call call_sim1n4.'),
  ),
  corruption('an output of another call', set('input.0.call_id', 'call_other'), history('with call_id call_other.')),
  corruption(
    'a call that the provider has already',
    insert('input.0', {
      type: 'function_call',
      id: 'fc_sim1n3',
      call_id: 'call_sim1n3',
      name: 'get_weather',
      arguments: '{}',
    }),
    history('Duplicate item found with id fc_sim1n3.'),
  ),
])('openai-responses, continuing, refuses $name', async (entry) => {
  await expectRefused(continuing, entry)
})

test.each([
  corruption(
    'an item without the reasoning before it',
    drop('input.1'),
    history("Item 'msg_sim1n2' of type 'message' was provided without its required 'reasoning' item: 'rs_sim1n1'."),
  ),
])('openai-responses, stored and replayed, refuses $name', async (entry) => {
  await expectRefused(stored, entry)
})

test('openai-responses has at least 30 corruptions, each with a name of its own', () => {
  expect(new Set(corruptions.map(({ name }) => name)).size).toBe(corruptions.length)
  expect(corruptions.length).toBeGreaterThanOrEqual(30)
})
