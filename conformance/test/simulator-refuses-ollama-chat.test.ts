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

const weather = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'Weather of a city',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
}
const alerts = {
  type: 'function',
  function: { name: 'list_alerts', parameters: { type: 'object', properties: {} } },
}
const head = {
  model: 'qwen3',
  stream: false,
  think: true,
  keep_alive: '10m',
  tools: [weather, alerts],
  options: { temperature: 0.5, num_ctx: 8192, stop: ['END'] },
}
const opening = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'Weather in Zürich?', images: ['iVBORw0KGgo='] },
]

const provider: Provider = {
  wire: 'ollama-chat',
  path: '/api/chat',
  headers: {},
  first: { ...head, messages: opening },
  second: (answer) => {
    const message = answer['message'] as Draft
    const calls = message['tool_calls'] as readonly {
      readonly id: string
      readonly function: { readonly name: string }
    }[]
    const results = calls.map(({ id, function: { name } }) => {
      return { role: 'tool', tool_name: name, tool_call_id: id, content: '21 °C' }
    })
    return { ...head, messages: [...opening, message, ...results] }
  },
  errorOf: (body) => {
    expect(Object.keys(body as object)).toEqual(['error'])
    return { message: (body as Draft)['error'] }
  },
}

function refusedByServer(name: string, corrupt: Corruption['corrupt'], message: string, status = 400): Corruption {
  return { name, corrupt, error: { message }, status }
}

const go = (type: string, field: string, expected: string): string =>
  `json: cannot unmarshal ${type} into Go struct field ChatRequest.${field} of type ${expected}`

// The good request: 0 system, 1 question, 2 assistant (calls 0 get_weather, 1 list_alerts), 3 and 4 results.
const byServer: readonly Corruption[] = [
  refusedByServer('no model', drop('model'), 'model is required'),
  refusedByServer('an empty model', set('model', ''), 'model is required'),
  refusedByServer('a model that is a number', set('model', 3), go('number', 'model', 'string')),
  refusedByServer('messages as a text', set('messages', 'Hello'), go('string', 'messages', 'slice')),
  refusedByServer(
    'content as a list of parts',
    set('messages.1.content', [{ type: 'text', text: 'x' }]),
    go('array', 'messages.content', 'string'),
  ),
  refusedByServer(
    'content as an object',
    set('messages.3.content', { c: 21 }),
    go('object', 'messages.content', 'string'),
  ),
  refusedByServer('a role that is a number', set('messages.1.role', 1), go('number', 'messages.role', 'string')),
  refusedByServer(
    'thinking as an object',
    set('messages.2.thinking', { text: 'Hm.' }),
    go('object', 'messages.thinking', 'string'),
  ),
  refusedByServer(
    'arguments as a text',
    set('messages.2.tool_calls.0.function.arguments', '{"city":"Zürich"}'),
    go('string', 'messages.tool_calls.function.arguments', 'map'),
  ),
  refusedByServer(
    'arguments as a list',
    set('messages.2.tool_calls.0.function.arguments', ['Zürich']),
    go('array', 'messages.tool_calls.function.arguments', 'map'),
  ),
  refusedByServer(
    'calls as an object',
    set('messages.2.tool_calls', { function: { name: 'get_weather' } }),
    go('object', 'messages.tool_calls', 'slice'),
  ),
  refusedByServer('an image as a URL', set('messages.1.images.0', 'https://example.com/a.png'), 'illegal base64 data'),
  refusedByServer(
    'an image as a data URL',
    set('messages.1.images.0', 'data:image/png;base64,iVBORw0='),
    'illegal base64',
  ),
  refusedByServer(
    'images as a text',
    set('messages.1.images', 'iVBORw0KGgo='),
    go('string', 'messages.images', 'slice'),
  ),
  refusedByServer('stream as a text', set('stream', 'false'), go('string', 'stream', 'bool')),
  refusedByServer('options as a list', set('options', []), go('array', 'options', 'map')),
  refusedByServer('tools as an object', set('tools', weather), go('object', 'tools', 'slice')),
  refusedByServer(
    'a property that is `true`',
    set('tools.0.function.parameters.properties.city', true),
    go('bool', 'tools.function.parameters.properties.city', 'struct'),
  ),
  refusedByServer(
    'a schema with several types at its root',
    set('tools.0.function.parameters.type', ['object', 'null']),
    go('array', 'tools.function.parameters.type', 'string'),
  ),
  refusedByServer(
    '`required` as a truth value',
    set('tools.0.function.parameters.required', true),
    go('bool', 'tools.function.parameters.required', 'slice'),
  ),
  refusedByServer(
    'a temperature as a text',
    set('options.temperature', '0.5'),
    'option "temperature" must be of type float32',
    500,
  ),
  refusedByServer(
    'a context length as a text',
    set('options.num_ctx', '8k'),
    'option "num_ctx" must be of type integer',
    500,
  ),
  refusedByServer(
    'a stop word that is no list',
    set('options.stop', 'END'),
    'option "stop" must be of type array',
    500,
  ),
  refusedByServer('a stop word that is a number', set('options.stop', [1]), 'must be of an array of strings', 500),
  refusedByServer('an unknown level of thinking', set('think', 'very much'), 'invalid think value: "very much"'),
  refusedByServer('thinking as a number', set('think', 1), 'think must be a boolean or string'),
  refusedByServer(
    'a level of thinking for a model without levels',
    set('think', 'high'),
    'think value "high" is not supported for this model',
  ),
  refusedByServer('a lifetime that is no duration', set('keep_alive', 'soon'), 'time: invalid duration "soon"'),
  refusedByServer('a lifetime that is a truth value', set('keep_alive', true), 'unsupported duration type'),
  refusedByServer(
    'a format that is a word',
    all(drop('tools'), set('format', 'xml')),
    'invalid format: "xml"; expected "json" or a valid JSON Schema object',
    500,
  ),
  refusedByServer(
    'too many alternatives',
    all(set('logprobs', true), set('top_logprobs', 21)),
    'top_logprobs must be between 0 and 20',
  ),
]

function silent(name: string, corrupt: Corruption['corrupt'], message: string): Corruption {
  return { name, corrupt, error: { message: `simulator: ${message}` } }
}

const ignoredByServer: readonly Corruption[] = [
  silent('a setting outside of `options`', set('temperature', 0.5), "unknown member 'temperature'"),
  silent('a tool choice', set('tool_choice', 'required'), "unknown member 'tool_choice'"),
  silent('a format of another provider', set('response_format', {}), "unknown member 'response_format'"),
  silent('`think` among the options', set('options.think', true), "unknown option 'think'"),
  silent('an option that does not exist', set('options.max_tokens', 5), "unknown option 'max_tokens'"),
  silent('an option that is null', set('options.seed', null), "option 'seed' is null"),
  silent('an integer with a fraction', set('options.num_predict', 1.5), "option 'num_predict' loses its fraction"),
  silent('an unknown member of a message', set('messages.1.name', 'x'), "unknown member 'messages[1].name'"),
  silent(
    'an unknown member of a call',
    set('messages.2.tool_calls.0.kind', 'function'),
    "unknown member 'messages[2].tool_calls[0].kind'",
  ),
  silent('`strict` in a tool', set('tools.0.function.strict', true), "unknown member 'tools[0].function.strict'"),
  silent('a tool without parameters', drop('tools.0.function.parameters'), "'tools[0].function.parameters' is missing"),
  silent('a tool that is no function', set('tools.0.type', 'web_search'), "'tools[0].type' is 'web_search'"),
  silent('a tool declared twice', repeat('tools.0'), "the tool 'get_weather' is declared twice"),
  silent('no messages', set('messages', []), "'messages' has to be at least 1"),
  silent('a message without content', drop('messages.2.content'), "'messages[2].content' is missing"),
  silent('a content that is null', set('messages.2.content', null), "'messages[2].content' is null"),
  silent('a role of another provider', set('messages.0.role', 'developer'), "'messages[0].role' is 'developer'"),
  silent(
    'a message that says nothing',
    insert('messages.2', { role: 'assistant', content: '' }),
    'messages[2] says nothing',
  ),
  silent(
    'an empty list of calls',
    all(drop('messages.4'), drop('messages.3'), set('messages.2.tool_calls', [])),
    "'messages[2].tool_calls'",
  ),
  silent(
    'a call without its name',
    set('messages.2.tool_calls.0.function.name', ''),
    "'messages[2].tool_calls[0].function.name'",
  ),
  silent(
    'a call without arguments',
    drop('messages.2.tool_calls.1.function.arguments'),
    "'messages[2].tool_calls[1].function.arguments' is missing",
  ),
  silent('a result without its tool', drop('messages.3.tool_name'), "'messages[3].tool_name' is missing"),
  silent(
    'results in another order',
    all(set('messages.3.tool_name', 'list_alerts'), set('messages.4.tool_name', 'get_weather')),
    "messages[3] is a result of 'list_alerts'",
  ),
  silent(
    'calls without any result',
    all(drop('messages.4'), drop('messages.3')),
    'calls without a result: get_weather, list_alerts',
  ),
  silent('one call of two without a result', drop('messages.4'), 'calls without a result: list_alerts'),
  silent('a result given twice', repeat('messages.4'), 'messages[5] answers no call'),
  silent('a result without a call', drop('messages.2'), 'messages[2] answers no call'),
  silent(
    'a word between a call and its result',
    insert('messages.3', { role: 'user', content: 'Well?' }),
    'calls without a result',
  ),
  silent(
    'a made-up id of a result',
    set('messages.3.tool_call_id', 'call_0_0'),
    "messages[3].tool_call_id is 'call_0_0', but the call has the id 'call_s001n001'",
  ),
  silent(
    'a call id that its result does not have',
    set('messages.2.tool_calls.1.id', 'call_1'),
    "messages[4].tool_call_id is 'call_s001n002', but the call has the id 'call_1'",
  ),
  silent('a format beside tools', set('format', { type: 'object' }), '`format` beside `tools`'),
  silent('alternatives without log probabilities', set('top_logprobs', 3), '`top_logprobs` without `logprobs`'),
]

test.each(byServer)('ollama-chat refuses, as the server does, $name', async (entry) => {
  await expectRefused(provider, entry)
})

test.each(ignoredByServer)(
  'ollama-chat refuses, in words of its own, $name, which the server ignores',
  async (entry) => {
    await expectRefused(provider, entry)
    await expectRefused(provider, { ...entry, error: { message: '(Ollama itself would not complain)' } })
  },
)

test('ollama-chat has at least 30 corruptions of either kind, each with a name of its own', () => {
  for (const list of [byServer, ignoredByServer]) {
    expect(new Set(list.map(({ name }) => name)).size).toBe(list.length)
    expect(list.length).toBeGreaterThanOrEqual(30)
  }
})
