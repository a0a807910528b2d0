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
  parametersJsonSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
}
const alerts = { name: 'list_alerts', parameters: { type: 'OBJECT', properties: {} } }
const head = {
  systemInstruction: { parts: [{ text: 'Be brief.' }] },
  tools: [{ functionDeclarations: [weather, alerts] }],
  toolConfig: { functionCallingConfig: { mode: 'AUTO' } },
  generationConfig: { temperature: 1, thinkingConfig: { includeThoughts: true, thinkingLevel: 'LOW' } },
}
const question = { role: 'user', parts: [{ text: 'Weather in Zürich?' }] }

interface Part {
  readonly functionCall?: { readonly id: string; readonly name: string }
}

const provider: Provider = {
  wire: 'gemini-generate',
  path: '/models/gemini-3-flash-preview:generateContent',
  headers: { 'x-goog-api-key': 'good' },
  first: { ...head, contents: [question] },
  second: (answer) => {
    const [candidate] = answer['candidates'] as readonly { readonly content: { readonly parts: readonly Part[] } }[]
    const parts = candidate?.content.parts ?? []
    const responses = parts.flatMap(({ functionCall }) =>
      functionCall === undefined ? [] : [{ functionResponse: responseTo(functionCall) }],
    )
    return { ...head, contents: [question, { role: 'model', parts }, { role: 'user', parts: responses }] }
  },
  errorOf: (body) => {
    const { error, ...others } = body as { readonly error: Draft }
    expect(others).toEqual({})
    expect(Object.keys(error).toSorted()).toEqual(['code', 'message', 'status'])
    expect(error).toMatchObject({ code: 400, status: 'INVALID_ARGUMENT' })
    return { message: error['message'] }
  },
}

function responseTo({ id, name }: { readonly id: string; readonly name: string }): Draft {
  return { id, name, response: { output: '21 °C' } }
}

function corruption(name: string, corrupt: Corruption['corrupt'], message: string): Corruption {
  return { name, corrupt, error: { message } }
}

const unknown = (name: string, place: string): string =>
  `Invalid JSON payload received. Unknown name "${name}"${place === '' ? '' : ` at '${place}'`}: Cannot find field.`
const count =
  'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.'
const afterCall = 'Please ensure that function response turn comes immediately after a function call turn.'
const corrupted = 'Corrupted thought signature.'

// The good request: 0 question, 1 model (0 thought, 1 text, 2 get_weather with its signature, 3 list_alerts), 2 responses (0, 1).
const shapes: readonly Corruption[] = [
  corruption('an unknown member of the body', set('messages', []), unknown('messages', '')),
  corruption('an unknown member of a content', set('contents.0.content', 'x'), unknown('content', 'contents[0]')),
  corruption(
    'an unknown member of a part',
    set('contents.0.parts.0.type', 'x'),
    unknown('type', 'contents[0].parts[0]'),
  ),
  corruption(
    'an unknown member of a call',
    set('contents.1.parts.2.functionCall.arguments', '{}'),
    unknown('arguments', 'contents[1].parts[2].function_call'),
  ),
  corruption(
    'an unknown member of a response',
    set('contents.2.parts.0.functionResponse.content', 'x'),
    unknown('content', 'contents[2].parts[0].function_response'),
  ),
  corruption(
    'an unknown member of a declaration',
    set('tools.0.functionDeclarations.0.strict', true),
    unknown('strict', 'tools[0].function_declarations[0]'),
  ),
  corruption(
    'JSON Schema in the place of an OpenAPI schema',
    set('tools.0.functionDeclarations.1.parameters.additionalProperties', false),
    unknown('additionalProperties', 'tools[0].function_declarations[1].parameters'),
  ),
  corruption(
    'an unknown member of the generation config',
    set('generationConfig.max_tokens', 5),
    unknown('max_tokens', 'generation_config'),
  ),
  corruption('a member of Vertex AI', set('labels', { team: 'x' }), unknown('labels', '')),
  corruption(
    'a mode that does not exist',
    set('toolConfig.functionCallingConfig.mode', 'SOMETIMES'),
    '(TYPE_ENUM), "SOMETIMES"',
  ),
  corruption(
    'a temperature as text',
    set('generationConfig.temperature', 'hot'),
    "'generation_config.temperature' (TYPE_FLOAT)",
  ),
  corruption(
    'a temperature out of range',
    set('generationConfig.temperature', 3),
    'generation_config.temperature: must be at most 2',
  ),
  corruption(
    'half a token',
    set('generationConfig.maxOutputTokens', 0.5),
    "'generation_config.max_output_tokens' (TYPE_INT32)",
  ),
  corruption(
    'too many stop sequences',
    set('generationConfig.stopSequences', ['a', 'b', 'c', 'd', 'e', 'f']),
    'stop_sequences: must be at most 5',
  ),
  corruption('arguments as text', set('contents.1.parts.2.functionCall.args', '{}'), 'google.protobuf.Struct'),
  corruption(
    'a response that is no object',
    set('contents.2.parts.0.functionResponse.response', 'x'),
    'google.protobuf.Struct',
  ),
  corruption(
    'a response without a name',
    drop('contents.2.parts.0.functionResponse.name'),
    'function_response.name: is not specified',
  ),
  corruption(
    'a call without a name',
    drop('contents.1.parts.2.functionCall.name'),
    'function_call.name: is not specified',
  ),
  corruption(
    'a file that is no base64',
    set('contents.0.parts.0', { inlineData: { mimeType: 'image/png', data: '€' } }),
    'Base64 decoding failed',
  ),
]

const meanings: readonly Corruption[] = [
  corruption('no contents', set('contents', []), 'contents is not specified'),
  corruption('a content without parts', set('contents.0.parts', []), 'contents.parts must not be empty'),
  corruption(
    'a role that does not exist',
    set('contents.1.role', 'assistant'),
    'Please use a valid role: user, model.',
  ),
  corruption(
    'a part that says nothing',
    set('contents.0.parts.0', { thoughtSignature: 'AAAA' }),
    "required oneof field 'data'",
  ),
  corruption('a part that says two things', set('contents.1.parts.2.text', 'x'), "oneof field 'data' is already set"),
  corruption(
    'a call by the user',
    set('contents.0.parts.0', { functionCall: { name: 'get_weather' } }),
    'not supported for the role user',
  ),
  corruption('a response by the model', set('contents.2.role', 'model'), 'not supported for the role model'),
  corruption('no responses', drop('contents.2'), count),
  corruption('a missing response', drop('contents.2.parts.1'), count),
  corruption('a response too many', repeat('contents.2.parts.1'), count),
  corruption('a response without a call', set('contents.1.parts', [{ text: 'No.' }]), afterCall),
  corruption(
    'responses before their calls',
    insert('contents.1', { role: 'user', parts: [{ functionResponse: { name: 'get_weather', response: {} } }] }),
    afterCall,
  ),
  corruption(
    'text between calls and responses',
    insert('contents.2', { role: 'user', parts: [{ text: 'Well?' }] }),
    afterCall,
  ),
  corruption(
    'a response with the id of another call',
    set('contents.2.parts.0.functionResponse.id', 'sim9n9'),
    "'sim9n9' is not",
  ),
  corruption('a response without the id of its call', drop('contents.2.parts.0.functionResponse.id'), "'' is not"),
  corruption(
    'a response under another name',
    set('contents.2.parts.0.functionResponse.name', 'list_alerts'),
    "'list_alerts' answers 'get_weather'",
  ),
  corruption(
    'a call without its signature',
    drop('contents.1.parts.2.thoughtSignature'),
    'Function call is missing a thought_signature',
  ),
  corruption('a changed signature', set('contents.1.parts.2.thoughtSignature', 'EtSimAAAA'), corrupted),
  corruption(
    'changed arguments under a signature',
    set('contents.1.parts.2.functionCall.args', { city: 'Bern' }),
    corrupted,
  ),
  corruption('a signature on another part', (draft) => moveSignature(draft), corrupted),
  corruption(
    'two functions of one name',
    repeat('tools.0.functionDeclarations.0'),
    'Duplicate function declaration found: get_weather',
  ),
  corruption('a name with a blank', set('tools.0.functionDeclarations.0.name', 'get weather'), 'Invalid function name'),
  corruption(
    'two schemas for one function',
    set('tools.0.functionDeclarations.0.parameters', { type: 'OBJECT' }),
    'cannot be set both',
  ),
  corruption(
    'parameters that are no object',
    set('tools.0.functionDeclarations.0.parametersJsonSchema', { type: 'string' }),
    'should be of type OBJECT',
  ),
  corruption('a tool without content', insert('tools.0', {}), "required one_of 'tool_type'"),
  corruption(
    'a forced call without functions',
    all(set('tools', []), set('toolConfig.functionCallingConfig.mode', 'ANY')),
    'is set without function_declarations',
  ),
  corruption(
    'allowed names in the mode AUTO',
    set('toolConfig.functionCallingConfig.allowedFunctionNames', ['get_weather']),
    'only allowed with the function calling modes',
  ),
  corruption(
    'an allowed name that was not declared',
    set('toolConfig.functionCallingConfig', { mode: 'ANY', allowedFunctionNames: ['fly'] }),
    '"fly" should be among',
  ),
  corruption(
    'built-in tools beside functions without the switch',
    insert('tools.0', { googleSearch: {} }),
    'include_server_side_tool_invocations',
  ),
  corruption(
    'a budget beside a level',
    set('generationConfig.thinkingConfig.thinkingBudget', 0),
    'only one of thinking budget and thinking level',
  ),
  corruption(
    'a schema without its media type',
    set('generationConfig.responseJsonSchema', { type: 'object' }),
    'response_mime_type',
  ),
  corruption('tools beside a cache', set('cachedContent', 'cachedContents/1'), 'CachedContent can not be used'),
]

function moveSignature(draft: Draft): void {
  const [, model] = draft['contents'] as readonly { readonly parts: readonly Draft[] }[]
  const [, , call, other] = model?.parts ?? []
  if (call === undefined || other === undefined) throw new TypeError('the answer has no two calls')
  other['thoughtSignature'] = call['thoughtSignature']
}

test('at least thirty corruptions are tried', () => {
  expect(shapes.length + meanings.length).toBeGreaterThanOrEqual(30)
})

test.each(shapes)('the shape is refused: $name', (one) => expectRefused(provider, one))

test.each(meanings)('refused although the shape is right: $name', (one) => expectRefused(provider, one))
