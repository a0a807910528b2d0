import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogle } from '@ai-sdk/google'
import { createGroq } from '@ai-sdk/groq'
import { createMistral } from '@ai-sdk/mistral'
import { createOpenAI } from '@ai-sdk/openai'
import { StepLoop, tool } from '@steploop/core'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { fromLanguageModel } from './from-language-model.ts'
import type { AiSdkModel } from './call-options.ts'

interface Provider {
  readonly name: string
  readonly make: (settings: { fetch: typeof fetch; apiKey: string }) => AiSdkModel
  /** A call of `weather` with what has to return, and the final answer. */
  readonly answers: readonly [call: unknown, text: unknown]
  /** Texts that the second request has to hold. */
  readonly returns: readonly string[]
}

const chat = (message: object, finish_reason: string) => ({
  id: 'r',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: null, ...message }, finish_reason }],
  usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 },
})
const chatCall = { id: 'abcdefghi', type: 'function', function: { name: 'weather', arguments: '{"city":"Chur"}' } }
const chatAnswers = [chat({ tool_calls: [chatCall] }, 'tool_calls'), chat({ content: 'Föhn.' }, 'stop')] as const

const message = (content: readonly object[], stop_reason: string) => ({
  id: 'r',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content,
  stop_reason,
  stop_sequence: null,
  usage: { input_tokens: 5, output_tokens: 2 },
})
const response = (output: readonly object[]) => ({
  id: 'r',
  object: 'response',
  created_at: 1,
  model: 'm',
  status: 'completed',
  output,
  usage: { input_tokens: 5, output_tokens: 2, total_tokens: 7 },
})
const candidate = (parts: readonly object[]) => ({
  responseId: 'r',
  candidates: [{ index: 0, content: { role: 'model', parts }, finishReason: 'STOP' }],
  usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 2, totalTokenCount: 7 },
})
const outputText = { type: 'output_text', text: 'Föhn.', annotations: [] }

const providers: readonly Provider[] = [
  {
    name: '@ai-sdk/openai',
    make: (settings) => createOpenAI(settings)('gpt-5-mini'),
    answers: [
      response([
        { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'sealed-thoughts' },
        { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'weather', arguments: '{"city":"Chur"}' },
      ]),
      response([{ type: 'message', id: 'msg_1', role: 'assistant', content: [outputText] }]),
    ],
    returns: ['sealed-thoughts', 'call_1'],
  },
  {
    name: '@ai-sdk/anthropic',
    make: (settings) => createAnthropic(settings)('claude-sonnet-4-5'),
    answers: [
      message(
        [
          { type: 'thinking', thinking: 'Hm.', signature: 'signed-thoughts' },
          { type: 'tool_use', id: 'toolu_1', name: 'weather', input: { city: 'Chur' } },
        ],
        'tool_use',
      ),
      message([{ type: 'text', text: 'Föhn.' }], 'end_turn'),
    ],
    returns: ['signed-thoughts', 'toolu_1'],
  },
  {
    name: '@ai-sdk/google',
    make: (settings) => createGoogle(settings)('gemini-3-flash-preview'),
    answers: [
      candidate([{ functionCall: { name: 'weather', args: { city: 'Chur' } }, thoughtSignature: 'signed-call' }]),
      candidate([{ text: 'Föhn.' }]),
    ],
    returns: ['signed-call'],
  },
  { name: '@ai-sdk/groq', make: (settings) => createGroq(settings)('m'), answers: chatAnswers, returns: ['abcdefghi'] },
  {
    name: '@ai-sdk/mistral',
    make: (settings) => createMistral(settings)('m'),
    answers: chatAnswers,
    returns: ['abcdefghi'],
  },
]

test.each(providers)(
  'the loop runs a tool behind $name, and what is opaque returns',
  async ({ make, answers, returns }) => {
    const bodies: string[] = []
    const model = make({
      apiKey: 'none',
      fetch: async (_url, init) =>
        Response.json(answers[bodies.push(typeof init?.body === 'string' ? init.body : '') - 1]),
    })
    const weather = tool({ inputSchema: z.object({ city: z.string() }), execute: ({ city }) => `Föhn in ${city}` })
    const adapter = fromLanguageModel(model)
    // What `store: true` would keep at OpenAI comes back with the messages instead.
    const providerOptions = { 'ai-sdk-openai': { store: false } }
    const result = await new StepLoop({ model: adapter, tools: { weather }, providerOptions }).generate('Weather?')
    expect(result).toMatchObject({ text: 'Föhn.', stopReason: 'answer', usage: { inputTokens: 10, outputTokens: 4 } })
    expect(bodies).toHaveLength(2)
    for (const text of [...returns, 'Föhn in Chur']) expect(bodies[1]).toContain(text)
  },
)

test.each(providers)('a refused key is `authentication` behind $name', async ({ make }) => {
  const body = { error: { message: 'no', type: 'authentication_error' }, type: 'error', detail: 'Unauthorized' }
  const model = make({ apiKey: 'none', fetch: async () => Response.json(body, { status: 401 }) })
  const loop = new StepLoop({ model: fromLanguageModel(model) })
  await expect(loop.generate('Hi')).rejects.toMatchObject({ cause: { code: 'authentication', status: 401 } })
})
