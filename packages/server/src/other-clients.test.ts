import { createOpenAI } from '@ai-sdk/openai'
import {
  Agent,
  OpenAIConversationsSession,
  OpenAIResponsesModel,
  run,
  setTracingDisabled,
  tool as agentTool,
} from '@openai/agents'
import type { ScriptedTurn } from '@steploop/core/testing'
import { generateText, jsonSchema, stepCountIs, streamText, tool } from 'ai'
import { describe, expect, test } from 'vitest'
import { callWeather, testServer, type TestServer } from './testing.ts'

const schema = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
} as const
const signed = { provider: 'scripted', model: 'scripted-1', data: { signature: 's1g' } }
const reasoned: ScriptedTurn = [
  { type: 'reasoning', text: 'Rome', providerMetadata: signed },
  callWeather('Rome', 'c1'),
]

function rolesOf({ model }: TestServer, request: number): readonly string[] {
  return model.requests[request]?.request.messages.map(({ role }) => role) ?? []
}

const tools = {
  weather: tool({
    inputSchema: jsonSchema<{ city: string }>({ ...schema, required: ['city'] }),
    execute: () => 'warm',
  }),
}
const modelOf = ({ baseURL }: TestServer) => createOpenAI({ baseURL, apiKey: 'none' }).responses('m')

test.each<[string, Record<string, string | boolean | string[]>]>([
  ['as it comes', {}],
  ['without store', { store: false, include: ['reasoning.encrypted_content'] }],
])('AI SDK runs a tool and goes on, %s', async (_how, openai) => {
  const server = await testServer([reasoned, 'It is warm.'])
  const { text } = await generateText({
    model: modelOf(server),
    tools,
    prompt: 'Weather?',
    stopWhen: stepCountIs(3),
    providerOptions: { openai: { ...openai, forceReasoning: true } },
  })
  expect(text).toBe('It is warm.')
  expect(rolesOf(server, 1)).toEqual(['user', 'assistant', 'tool'])
  expect(JSON.stringify(server.model.requests[1]?.request.messages)).toContain('s1g')
})

test('AI SDK: streams, and goes on in a conversation', async () => {
  const server = await testServer(['One', 'Two'])
  const { id: conversation } = await server.client.conversations.create()
  const texts: string[] = []
  for (const prompt of ['a', 'b']) {
    const { textStream } = streamText({
      model: modelOf(server),
      prompt,
      providerOptions: { openai: { conversation } },
    })
    for await (const text of textStream) texts.push(text)
  }
  expect(texts.join('')).toBe('OneTwo')
  expect(rolesOf(server, 1)).toEqual(['user', 'assistant', 'user'])
})

describe('Agents SDK', () => {
  setTracingDisabled(true)
  const agentOf = ({ client }: TestServer) =>
    new Agent({
      name: 'a',
      model: new OpenAIResponsesModel(client, 'm'),
      tools: [
        agentTool({
          name: 'weather',
          description: 'x',
          parameters: schema as never,
          strict: true,
          execute: async () => 'warm',
        }),
      ],
    })

  test('the Agents SDK runs a tool and goes on from the response before', async () => {
    const server = await testServer([reasoned, 'It is warm.', 'Cold there.'])
    const first = await run(agentOf(server), 'Weather?')
    expect(first.finalOutput).toBe('It is warm.')
    const second = await run(agentOf(server), 'And Oslo?', { previousResponseId: first.lastResponseId ?? '' })
    expect(second.finalOutput).toBe('Cold there.')
    expect(rolesOf(server, 2)).toEqual(['user', 'assistant', 'tool', 'assistant', 'user'])
  })

  test('the Agents SDK goes on in a conversation, given by its id or kept as a session', async () => {
    const server = await testServer([reasoned, 'It is warm.', 'Cold there.'])
    const { id: conversationId } = await server.client.conversations.create()
    await run(agentOf(server), 'Weather?', { conversationId })
    await run(agentOf(server), 'And Oslo?', { conversationId })
    expect(rolesOf(server, 2)).toEqual(['user', 'assistant', 'tool', 'assistant', 'user'])
    const other = await testServer([reasoned, 'It is warm.', 'Cold there.'])
    const session = new OpenAIConversationsSession({ client: other.client })
    await run(agentOf(other), 'Weather?', { session })
    await run(agentOf(other), 'And Oslo?', { session })
    expect(rolesOf(other, 2)).toEqual(['user', 'assistant', 'tool', 'assistant', 'user'])
  })
})
