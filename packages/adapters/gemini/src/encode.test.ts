import { type Message, type ToolChoice, type ToolDefinition } from '@steploop/core/adapter'
import { expect, test } from 'vitest'
import { encoded, question, weather } from './testing.ts'

test.for([
  ['gemini-3-flash-preview', 'generate', '/models/gemini-3-flash-preview:generateContent'],
  ['gemini-3-flash-preview', 'stream', '/models/gemini-3-flash-preview:streamGenerateContent?alt=sse'],
  ['models/gemini-2.5-pro', 'generate', '/models/gemini-2.5-pro:generateContent'],
  ['publishers/google/models/gemini-2.5-pro', 'generate', '/publishers/google/models/gemini-2.5-pro:generateContent'],
  ['tunedModels/mine?x#y?z#', 'generate', '/tunedModels/mine%3Fx%23y%3Fz%23:generateContent'],
] as const)('a request of model %s in mode `%s` goes to the path %s', ([model, mode, path]) => {
  expect(encoded({}, { model }, mode).path).toBe(path)
})

test('instructions and leading system messages are the system instruction', () => {
  const messages: Message[] = [{ role: 'system', content: 'Be brief.' }, question]
  const alone = encoded({ instructions: 'Be brief.' }).body
  expect(alone['systemInstruction']).toEqual({ parts: [{ text: 'Be brief.' }] })
  const { body } = encoded({ messages, instructions: 'You look out of windows.' })
  expect(body['systemInstruction']).toEqual({ parts: [{ text: 'You look out of windows.' }, { text: 'Be brief.' }] })
  expect(body['contents']).toHaveLength(1)
})

test('a tool name that the API refuses is changed, with a warning, and two such names stay apart', () => {
  const tools = ['a b', 'a/b', '1st'].map((name) => ({ ...weather, name }))
  const { text, warnings } = encoded({ tools })
  const names = [...text.matchAll(/"name":"([^"]+)"/g)].map((match) => match[1] ?? '')
  expect(new Set(names).size).toBe(3)
  for (const name of names) expect(name).toMatch(/^[a-zA-Z_][a-zA-Z0-9_.:-]*$/)
  expect(warnings.map((warning) => warning.path)).toEqual(['tools[0].name', 'tools[1].name', 'tools[2].name'])
})

test.for<readonly [ToolChoice | undefined, object | undefined]>([
  [undefined, undefined],
  ['auto', { mode: 'AUTO' }],
  ['none', { mode: 'NONE' }],
  ['required', { mode: 'ANY' }],
  [
    { type: 'tool', toolName: 'weather' },
    { mode: 'ANY', allowedFunctionNames: ['weather'] },
  ],
])('the tool choice %j is the mode %j', ([toolChoice, functionCallingConfig]) => {
  const { body } = encoded({ tools: [weather], ...(toolChoice && { toolChoice }) })
  expect(body['toolConfig']).toEqual(functionCallingConfig && { functionCallingConfig })
  // Without functions there is nothing to choose.
  const search: ToolDefinition = { type: 'provider', provider: 'gemini', name: 's', definition: { codeExecution: {} } }
  expect(encoded({ tools: [search], ...(toolChoice && { toolChoice }) }).body).not.toHaveProperty('toolConfig')
})

test('a strict tool has its calls held to their schemas', () => {
  const { body } = encoded({ tools: [weather, { ...weather, name: 'strict', strict: true }] })
  expect(body['toolConfig']).toEqual({ functionCallingConfig: { mode: 'VALIDATED' } })
})

test('a response format asks for JSON by schema', () => {
  const schema = { type: 'object', properties: { rain: { type: 'boolean' } }, required: ['rain'] }
  const { body } = encoded({ responseFormat: { name: 'answer', schema }, settings: { temperature: 0 } })
  expect(body['generationConfig']).toEqual({
    temperature: 0,
    responseMimeType: 'application/json',
    responseJsonSchema: schema,
  })
  const { warnings } = encoded({ responseFormat: { name: 'answer', schema: { ...schema, minProperties: 1, not: {} } } })
  expect(warnings).toMatchObject([{ type: 'coerced', path: 'responseFormat.schema' }])
})

test('provider options go to the top level and win over what we set', () => {
  const gemini = {
    safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }],
    cachedContent: 'cachedContents/1',
    generationConfig: { temperature: 1, thinkingConfig: { thinkingBudget: 7 } },
    toolConfig: { functionCallingConfig: { mode: 'ANY' }, retrievalConfig: { languageCode: 'de' } },
    tools: [{ urlContext: {} }],
  }
  const { body } = encoded({
    tools: [weather],
    toolChoice: 'auto',
    settings: { temperature: 0, topP: 0.5, reasoning: 'low' },
    providerOptions: { gemini, openai: { store: true } },
  })
  expect(body).toMatchObject({ safetySettings: gemini.safetySettings, cachedContent: 'cachedContents/1' })
  expect(body['generationConfig']).toEqual({ topP: 0.5, ...gemini.generationConfig })
  expect(body['toolConfig']).toEqual(gemini.toolConfig)
  const search = { type: 'provider', provider: 'gemini', name: 'search', definition: { googleSearch: {} } } as const
  expect(encoded({ tools: [search], providerOptions: { gemini } }).body['toolConfig']).toEqual({
    ...gemini.toolConfig,
    includeServerSideToolInvocations: true,
  })
  expect(body['tools']).toMatchObject([{ functionDeclarations: [{ name: 'weather' }] }, { urlContext: {} }])
  expect(body).not.toHaveProperty('store')
})

test('more tools of the caller’s have to be a list, and what cannot be enforced in a schema is reported where it stands', () => {
  expect(encoded({ providerOptions: { gemini: { tools: 'all' } } }).warnings).toMatchObject([{ type: 'dropped' }])
  const inputSchema = { type: 'object', properties: { a: { type: 'array', uniqueItems: true } } }
  expect(encoded({ tools: [{ ...weather, inputSchema }] }).warnings).toMatchObject([
    { type: 'coerced', path: 'tools[0].inputSchema.properties.a' },
  ])
})

test('the conversation cannot be replaced through provider options', () => {
  const { body, text, warnings } = encoded({ providerOptions: { gemini: { contents: [] } } })
  expect(text.match(/"contents":/g)).toHaveLength(1)
  expect(body['contents']).toHaveLength(1)
  expect(warnings).toMatchObject([{ type: 'dropped', path: 'providerOptions.contents' }])
})
