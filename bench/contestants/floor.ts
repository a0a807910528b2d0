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

/**
 * What a careful loop of some sixty lines does: it fetches with a signal, checks the status, parses, appends, runs the tools, and answers a
 * call that fails. It validates nothing, tells nobody what goes on, and knows one wire format.
 */
export const floor: Contestant = {
  prepare(options) {
    const tools = [{ type: 'function', function: { name: 'weather', description, parameters } }]
    return async () => {
      const { signal } = new AbortController()
      const messages: unknown[] = [{ role: 'user', content: prompt }]
      for (let step = 0; step <= options.maxSteps; step++) {
        signal.throwIfAborted()
        const body = JSON.stringify({ model: 'bench-1', messages, tools, ...(options.stream && { stream: true }) })
        const headers = { 'content-type': 'application/json', authorization: 'Bearer bench' }
        const response = await options.fetch(`${baseURL}/chat/completions`, { method: 'POST', headers, body, signal })
        if (!response.ok) throw new Error(`The provider answered ${response.status}: ${await response.text()}`)
        const answer = await (options.stream ? readStream(response) : readJson(response))
        messages.push(answer)
        if (answer.tool_calls === undefined) return
        messages.push(...(await Promise.all(answer.tool_calls.map((call) => execute(call, signal)))))
      }
      throw new Error('The model does not come to an end.')
    }
  },
}

const functions: ReadonlyMap<string, (input: { city: string }, signal: AbortSignal) => Promise<unknown>> = new Map([
  ['weather', ({ city }) => weather(city)],
])

async function execute(call: Call, signal: AbortSignal): Promise<unknown> {
  return { role: 'tool', tool_call_id: call.id, content: await answerTo(call, signal) }
}

async function answerTo({ function: { name, arguments: text } }: Call, signal: AbortSignal): Promise<string> {
  const run = functions.get(name)
  if (run === undefined) return `There is no tool '${name}'.`
  try {
    return JSON.stringify(await run(JSON.parse(text) as { city: string }, signal))
  } catch (error) {
    signal.throwIfAborted()
    return `The tool failed: ${String(error)}`
  }
}

async function readJson(response: Response): Promise<Answer> {
  const { choices } = (await response.json()) as { choices?: [{ message?: Answer }] }
  const message = choices?.[0].message
  if (message === undefined) throw new Error('The response has no message.')
  return message
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
