import { createParser } from 'eventsource-parser'
import { baseURL, description, parameters, prompt, weather, type Contestant } from './contestant.ts'

interface Call {
  id: string
  type: 'function'
  function: { name: string; arguments: string }
}

interface Answer {
  role: 'assistant'
  content: string | null
  tool_calls?: Call[]
}

/** The least that a tool loop can do: fetch, JSON.parse, run the tools, send everything again. It validates nothing. */
export const floor: Contestant = {
  name: 'floor',
  prepare(options) {
    const tools = [{ type: 'function', function: { name: 'weather', description, parameters } }]
    return async () => {
      const messages: unknown[] = [{ role: 'user', content: prompt }]
      for (;;) {
        const body = JSON.stringify({ model: 'bench-1', messages, tools, ...(options.stream && { stream: true }) })
        const headers = { 'content-type': 'application/json', authorization: 'Bearer bench' }
        const response = await options.fetch(`${baseURL}/chat/completions`, { method: 'POST', headers, body })
        const answer = await (options.stream ? readStream(response) : readJson(response))
        messages.push(answer)
        if (answer.tool_calls === undefined) return
        messages.push(...(await Promise.all(answer.tool_calls.map(execute))))
      }
    }
  },
}

async function execute(call: Call): Promise<unknown> {
  const { city } = JSON.parse(call.function.arguments) as { city: string }
  return { role: 'tool', tool_call_id: call.id, content: JSON.stringify(await weather(city)) }
}

async function readJson(response: Response): Promise<Answer> {
  const { choices } = (await response.json()) as { choices: [{ message: Answer }] }
  return choices[0].message
}

interface Chunk {
  choices: [{ delta: { content?: string; tool_calls?: (Partial<Call> & { index: number })[] } }]
}

async function readStream(response: Response): Promise<Answer> {
  const answer: Answer = { role: 'assistant', content: '' }
  const parser = createParser({
    onEvent({ data }) {
      if (data === '[DONE]') return
      const { content, tool_calls: calls } = (JSON.parse(data) as Chunk).choices[0].delta
      if (content) answer.content += content
      for (const call of calls ?? []) addFragment(answer, call)
    },
  })
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  const decoder = new TextDecoder()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return answer
    parser.feed(decoder.decode(value, { stream: true }))
  }
}

function addFragment(answer: Answer, fragment: Partial<Call> & { index: number }): void {
  answer.tool_calls ??= []
  const call = answer.tool_calls[fragment.index]
  if (call === undefined) answer.tool_calls[fragment.index] = fragment as Call
  else call.function.arguments += fragment.function?.arguments ?? ''
}
