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
  name: 'get_weather',
  description: 'Weather of a city',
  input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
}
const alerts = { name: 'list_alerts', input_schema: { type: 'object', properties: {} } }
const head = {
  model: 'claude-sim',
  max_tokens: 4096,
  system: [{ type: 'text', text: 'Be brief.' }],
  thinking: { type: 'enabled', budget_tokens: 1024 },
  tools: [weather, alerts],
  tool_choice: { type: 'auto' },
}
const question = { role: 'user', content: [{ type: 'text', text: 'Weather in Zürich?' }] }

const provider: Provider = {
  wire: 'anthropic-messages',
  path: '/messages',
  headers: { 'x-api-key': 'good', 'anthropic-version': '2023-06-01' },
  first: { ...head, messages: [question] },
  second: (answer) => {
    const content = answer['content'] as Draft[]
    const results = content
      .filter((block) => block['type'] === 'tool_use')
      .map((block) => ({ type: 'tool_result', tool_use_id: block['id'], content: '21 °C' }))
    return { ...head, messages: [question, { role: 'assistant', content }, { role: 'user', content: results }] }
  },
  errorOf: (body) => {
    const { error, ...others } = body as { readonly error: Draft }
    expect(others).toEqual({ type: 'error', request_id: expect.stringMatching(/^req_/) as string })
    expect(Object.keys(error).toSorted()).toEqual(['message', 'type'])
    expect(error['type']).toBe('invalid_request_error')
    return error
  },
}

function corruption(name: string, corrupt: Corruption['corrupt'], message: string): Corruption {
  return { name, corrupt, error: { message } }
}

// The good request: 0 question, 1 assistant (0 thinking, 1 text, 2 get_weather, 3 list_alerts), 2 results (0, 1).
const corruptions: readonly Corruption[] = [
  corruption(
    'an unknown member of the body',
    set('frequency_penalty', 1),
    'frequency_penalty: Extra inputs are not permitted',
  ),
  corruption('an unknown member of a message', set('messages.0.name', 'x'), 'messages.0.name: Extra inputs'),
  corruption(
    'an unknown member of a text',
    set('messages.0.content.0.extra', 1),
    'messages.0.content.0.text.extra: Extra inputs',
  ),
  corruption(
    'an unknown member of a call',
    set('messages.1.content.2.arguments', '{}'),
    'messages.1.content.2.tool_use.arguments: Extra inputs',
  ),
  corruption(
    'an unknown member of a result',
    set('messages.2.content.0.name', 'x'),
    'messages.2.content.0.tool_result.name: Extra inputs',
  ),
  corruption('an unknown member of a tool', set('tools.0.parameters', {}), 'tools.0.custom.parameters: Extra inputs'),
  corruption('an unknown member of the tool choice', set('tool_choice.mode', 'x'), 'tool_choice.mode: Extra inputs'),
  corruption('no max_tokens', drop('max_tokens'), 'max_tokens: Field required'),
  corruption('no model', drop('model'), 'model: Field required'),
  corruption('no messages', drop('messages'), 'messages: Field required'),
  corruption('an empty list of messages', set('messages', []), 'messages: at least one message is required'),
  corruption('max_tokens as a text', set('max_tokens', '100'), 'max_tokens: Input should be a valid integer'),
  corruption('max_tokens of zero', set('max_tokens', 0), 'max_tokens: Input should be greater than or equal to 1'),
  corruption('stream as a text', set('stream', 'yes'), 'stream: Input should be a valid boolean'),
  corruption('a temperature above 1', set('temperature', 1.5), 'temperature: Input should be less than or equal to 1'),
  corruption(
    'a role of another provider',
    set('messages.2.role', 'tool'),
    "messages.2.role: Input should be 'user', 'assistant'",
  ),
  corruption(
    'a block of another provider',
    set('messages.0.content.0.type', 'input_text'),
    "messages.0.content.0: Input tag 'input_text' found using 'type'",
  ),
  corruption(
    'a call in a user message',
    insert('messages.0.content.1', { type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: {} }),
    "messages.0.content.1: Input tag 'tool_use'",
  ),
  corruption('a conversation that the assistant opens', drop('messages.0'), 'first message must use the "user" role'),
  corruption('a result without a call', set('messages.2.content.0.tool_use_id', 'toolu_other'), 'toolu_sim1n1'),
  corruption(
    'an additional result without a call',
    insert('messages.2.content.2', { type: 'tool_result', tool_use_id: 'toolu_other', content: 'x' }),
    'unexpected `tool_use_id` found in `tool_result` blocks: toolu_other',
  ),
  corruption(
    'a result that comes a turn too late',
    all(
      insert('messages.2', { role: 'user', content: 'Well?' }),
      insert('messages.3', { role: 'assistant', content: 'Wait.' }),
    ),
    '`tool_use` ids were found without `tool_result` blocks immediately after: toolu_sim1n1, toolu_sim1n2',
  ),
  corruption(
    'calls without any result',
    drop('messages.2'),
    'ids were found without `tool_result` blocks immediately after',
  ),
  corruption('one call of two without a result', drop('messages.2.content.1'), 'immediately after: toolu_sim1n2'),
  corruption('a result given twice', repeat('messages.2.content.0'), 'each tool_use must have a single result'),
  corruption(
    'text before the results',
    insert('messages.2.content.0', { type: 'text', text: 'Here:' }),
    'ids were found without `tool_result` blocks immediately after',
  ),
  corruption(
    'a call id with a wrong character',
    set('messages.1.content.2.id', 'call:1'),
    "messages.1.content.2.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
  ),
  corruption('two calls with one id', set('messages.1.content.3.id', 'toolu_sim1n1'), '`tool_use` ids must be unique'),
  corruption(
    'a call whose input is a text',
    set('messages.1.content.2.input', '{}'),
    'messages.1.content.2.tool_use.input: Input should be a valid dictionary',
  ),
  corruption(
    'a call whose input is a list',
    set('messages.1.content.3.input', []),
    'messages.1.content.3.tool_use.input: Input should be a valid dictionary',
  ),
  corruption(
    'thinking without its signature',
    drop('messages.1.content.0.signature'),
    'messages.1.content.0.thinking.signature: Field required',
  ),
  corruption(
    'thinking with an empty signature',
    set('messages.1.content.0.signature', ''),
    'messages.1.content.0: Invalid `signature` in `thinking` block',
  ),
  corruption(
    'a signature that was never issued',
    set('messages.1.content.0.signature', 'RXNTaW0='),
    'Invalid `signature` in `thinking` block',
  ),
  corruption(
    'thinking that was edited',
    set('messages.1.content.0.thinking', 'Basel first.'),
    'Invalid `signature` in `thinking` block',
  ),
  corruption(
    'a calling turn without its thinking',
    drop('messages.1.content.0'),
    'Expected `thinking` or `redacted_thinking`, but found `text`',
  ),
  corruption(
    'any tool forced while thinking',
    set('tool_choice', { type: 'any' }),
    'Thinking may not be enabled when tool_choice forces tool use.',
  ),
  corruption(
    'one tool forced while thinking',
    set('tool_choice', { type: 'tool', name: 'get_weather' }),
    'Thinking may not be enabled when tool_choice forces tool use.',
  ),
  corruption(
    'a thinking budget below the minimum',
    set('thinking.budget_tokens', 1000),
    'thinking.budget_tokens: Input should be greater than or equal to 1024',
  ),
  corruption(
    'a thinking budget above max_tokens',
    set('thinking.budget_tokens', 5000),
    '`max_tokens` must be greater than `thinking.budget_tokens`',
  ),
  corruption(
    'a temperature while thinking',
    set('temperature', 0.5),
    '`temperature` may only be set to 1 when thinking is enabled',
  ),
  corruption('a tool choice without tools', drop('tools'), 'tool_choice may only be specified while providing tools'),
  corruption(
    'a choice of an unknown tool',
    all(drop('thinking'), set('tool_choice', { type: 'tool', name: 'nope' })),
    "Tool 'nope' not found in provided tools",
  ),
  corruption('a tool choice as a text', set('tool_choice', 'auto'), 'tool_choice: Input should be a valid dictionary'),
  corruption('a tool declared twice', repeat('tools.0'), 'tools: Tool names must be unique.'),
  corruption(
    'a tool name with a dot',
    set('tools.0.name', 'get.weather'),
    'tools.0.custom.name: String should match pattern',
  ),
  corruption('a tool without a schema', drop('tools.0.input_schema'), 'tools.0.custom.input_schema: Field required'),
  corruption(
    'a tool whose schema is no object',
    set('tools.0.input_schema.type', 'string'),
    "tools.0.custom.input_schema.type: Input should be 'object'",
  ),
  corruption(
    'a tool of another provider',
    set('tools.0.type', 'function'),
    "tools.0: Input tag 'function' found using 'type'",
  ),
  corruption('an empty text', set('messages.0.content.0.text', ''), 'messages: text content blocks must be non-empty'),
  corruption(
    'a blank text',
    set('messages.0.content.0.text', ' \n'),
    'text content blocks must contain non-whitespace text',
  ),
  corruption(
    'an empty text in a result',
    set('messages.2.content.0.content', [{ type: 'text', text: '' }]),
    'messages.2.content.0.tool_result: text content blocks must be non-empty',
  ),
  corruption(
    'an empty text in the system prompt',
    set('system.0.text', ''),
    'system: text content blocks must be non-empty',
  ),
  corruption('a message without content', set('messages.0.content', []), 'all messages must have non-empty content'),
  corruption(
    'a prefilled answer that ends in a blank',
    insert('messages.3', { role: 'assistant', content: 'It is ' }),
    'final assistant content cannot end with trailing whitespace',
  ),
  corruption(
    'an image without a source',
    insert('messages.0.content.0', { type: 'image' }),
    'messages.0.content.0.image.source: Field required',
  ),
  corruption(
    'an unknown cache lifetime',
    set('system.0.cache_control', { type: 'ephemeral', ttl: '2h' }),
    'system.0.cache_control.ttl',
  ),
]

test.each(corruptions)('anthropic-messages refuses $name', async (entry) => {
  await expectRefused(provider, entry)
})

test('anthropic-messages has at least 30 corruptions, each with a name of its own', () => {
  expect(new Set(corruptions.map(({ name }) => name)).size).toBe(corruptions.length)
  expect(corruptions.length).toBeGreaterThanOrEqual(30)
})
