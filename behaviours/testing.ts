import { createAnthropic } from '@steploop/anthropic'
import { tool, type StepLoopOptions } from '@steploop/core'
import { StepLoop } from '@steploop/core'
import { scriptedAdapter, type ScriptedPart, type ScriptedTurn } from '@steploop/core/testing'
import { createOpenAI, type OpenAIOptions } from '@steploop/openai'
import { createOpenAICompatible } from '@steploop/openai-compatible'
import { z } from 'zod'

/** Parsed JSON that tests look into freely. */
export type Parsed = ReturnType<typeof JSON.parse>

export function call(toolName: string, input: Readonly<Record<string, unknown>> | string = {}, id?: string) {
  return { type: 'call', toolName, input, id } as const satisfies ScriptedPart
}

export const weather = tool({
  description: 'Weather of a city',
  inputSchema: z.object({ city: z.string() }),
  execute: ({ city }) => ({ city, degrees: 21 }),
})

export const time = tool({ inputSchema: z.object({ tz: z.string() }), execute: ({ tz }) => `noon in ${tz}` })

/** Without `execute`: the caller answers. */
export const ask = tool({ inputSchema: z.object({ question: z.string() }) })

const broken = tool({
  inputSchema: z.object({}),
  execute: () => {
    throw new Error('no "quotes"\nand no lines')
  },
})

/** A loop over a script, with the tools of this file. */
export function play(script: readonly ScriptedTurn[], options: Partial<StepLoopOptions> = {}) {
  const model = scriptedAdapter(script)
  const loop = new StepLoop({ model, tools: { weather, time, ask, broken }, maxRetries: 0, ...options })
  return { model, loop, requests: model.requests }
}

/** More turns with a call each, no two alike, than any limit lets through. */
export const endless: readonly ScriptedTurn[] = Array.from({ length: 140 }, (_, n) => [
  call('weather', { city: `city ${n}` }),
])

/** Output of a result: the code of an error, or the value. */
export function outcomes(results: readonly { readonly output: { readonly type: string; readonly value: Parsed } }[]) {
  return results.map(({ output }): unknown => (output.type === 'error' ? output.value.code : output.value))
}

export function idle(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}

/** What a server says: a JSON body, the text of an event stream, or any other response. */
export type Answer = object | string | Response

/** A server in memory. `bodies` and `headers` are those of the requests that it got. */
export function serverOf(answers: readonly Answer[]) {
  const bodies: Parsed[] = []
  const headers: Headers[] = []
  const fetchAnswer: typeof fetch = (_input, init) => {
    const answer = answers[bodies.length]
    bodies.push(typeof init?.body === 'string' ? JSON.parse(init.body) : undefined)
    headers.push(new Headers(init?.headers))
    if (answer === undefined) return Promise.reject(new Error(`no answer for request ${bodies.length}`))
    if (answer instanceof Response) return Promise.resolve(answer)
    const json = typeof answer !== 'string'
    const type = json ? 'application/json' : 'text/event-stream'
    const body = json ? JSON.stringify(answer) : answer
    return Promise.resolve(new Response(body, { headers: { 'content-type': type } }))
  }
  return { fetch: fetchAnswer, bodies, headers }
}

export function chatModel(answers: readonly Answer[], model = 'chat-model') {
  const server = serverOf(answers)
  const create = createOpenAICompatible({
    baseURL: 'https://chat.example.com/v1',
    apiKey: 'k-1234',
    fetch: server.fetch,
  })
  return { ...server, model: create(model) }
}

export function openaiModel(answers: readonly Answer[], options: OpenAIOptions = {}, model = 'gpt-4o') {
  const server = serverOf(answers)
  return { ...server, model: createOpenAI({ apiKey: 'k-1234', fetch: server.fetch, ...options })(model) }
}

export function anthropicModel(answers: readonly Answer[]) {
  const server = serverOf(answers)
  return { ...server, model: createAnthropic({ apiKey: 'k-1234', fetch: server.fetch })('claude-sonnet-4-5') }
}

export function streamOf(chunks: readonly (object | string)[]): string {
  return chunks.map((chunk) => `data: ${typeof chunk === 'string' ? chunk : JSON.stringify(chunk)}\n\n`).join('')
}

interface ChatCall {
  readonly id: string
  readonly name: string
  readonly input: object | string
}

const chatUsage = { prompt_tokens: 10, completion_tokens: 4 }

/** A whole answer of Chat Completions. */
export function chatAnswer(content: string | null, calls: readonly ChatCall[] = [], finish?: string): object {
  const toolCalls = calls.map(({ id, name, input }) => ({
    id,
    type: 'function',
    function: { name, arguments: typeof input === 'string' ? input : JSON.stringify(input) },
  }))
  const message = { role: 'assistant', content, ...(calls.length > 0 && { tool_calls: toolCalls }) }
  const reason = finish ?? (calls.length > 0 ? 'tool_calls' : 'stop')
  const choices = [{ index: 0, message, finish_reason: reason }]
  return { id: 'chat_1', model: 'chat-model-1', choices, usage: chatUsage }
}

/** Deltas of a streamed answer, one chunk each; the last has the finish reason. */
export function chatStream(deltas: readonly object[], finish = 'tool_calls'): string {
  const chunks = deltas.map((delta) => ({ id: 'chat_1', choices: [{ index: 0, delta, finish_reason: null }] }))
  return streamOf([...chunks, { id: 'chat_1', choices: [{ index: 0, delta: {}, finish_reason: finish }] }, '[DONE]'])
}

export function responsesCall(id: string, name: string, input: object): object {
  return {
    type: 'function_call',
    id: `fc_${id}`,
    call_id: id,
    name,
    arguments: JSON.stringify(input),
    status: 'completed',
  }
}

export function responsesText(text: string): object {
  const content = [{ type: 'output_text', text, annotations: [] }]
  return { type: 'message', id: `msg_${text.length}`, role: 'assistant', status: 'completed', content }
}

/** A whole answer of the Responses API. */
export function responsesAnswer(id: string, output: readonly object[]): object {
  const usage = { input_tokens: 10, output_tokens: 4 }
  return { id, object: 'response', status: 'completed', model: 'gpt-4o-1', output, usage }
}

export function anthropicAnswer(content: readonly object[], stopReason = 'end_turn'): object {
  const usage = { input_tokens: 10, output_tokens: 4 }
  return { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-1', content, stop_reason: stopReason, usage }
}

export function anthropicCall(id: string, name: string, input: object): object {
  return { type: 'tool_use', id, name, input }
}
