import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { say } from './model.ts'

type Event = Readonly<Record<string, unknown>> & { readonly type: string }

/** Serves the same events by hand, with nothing behind them: no loop, no store, no checks. Gives its base URL. */
export async function startFloor(): Promise<string> {
  const server = createServer((request, response) => {
    void text(request).then(async (body) => {
      const { input, model } = JSON.parse(body) as { readonly input: string; readonly model: string }
      response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
      let number = 0
      for await (const event of events(input, model)) {
        const numbered = { ...event, sequence_number: number++ }
        response.write(`event: ${event.type}\ndata: ${JSON.stringify(numbered)}\n\n`)
      }
      response.end()
    })
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
}

async function* events(input: string, model: string): AsyncGenerator<Event> {
  const id = `resp_${crypto.randomUUID().replaceAll('-', '')}`
  const item_id = `msg_${crypto.randomUUID().replaceAll('-', '')}`
  const head = { id, object: 'response', created_at: Math.floor(Date.now() / 1000), model, ...settings }
  const response = { ...head, status: 'in_progress', output: [] }
  const at = { item_id, output_index: 0, content_index: 0 }
  yield { type: 'response.created', response }
  yield { type: 'response.in_progress', response }
  const item = { id: item_id, type: 'message', status: 'in_progress', role: 'assistant', content: [] }
  yield { type: 'response.output_item.added', output_index: 0, item }
  const part = { type: 'output_text', text: '', annotations: [], logprobs: [] }
  yield { type: 'response.content_part.added', ...at, part }
  let said = ''
  for await (const delta of say(input)) {
    said += delta
    yield { type: 'response.output_text.delta', ...at, delta, logprobs: [] }
  }
  yield { type: 'response.output_text.done', ...at, text: said, logprobs: [] }
  yield { type: 'response.content_part.done', ...at, part: { ...part, text: said } }
  const done = { ...item, status: 'completed', content: [{ ...part, text: said }] }
  yield { type: 'response.output_item.done', output_index: 0, item: done }
  yield { type: 'response.completed', response: { ...head, status: 'completed', output: [done] } }
}

const settings = {
  background: false,
  completed_at: null,
  max_tool_calls: null,
  prompt_cache_key: null,
  safety_identifier: null,
  service_tier: 'auto',
  top_logprobs: 0,
  error: null,
  incomplete_details: null,
  instructions: null,
  max_output_tokens: null,
  parallel_tool_calls: true,
  previous_response_id: null,
  reasoning: { effort: null, summary: null },
  store: true,
  temperature: null,
  text: { format: { type: 'text' } },
  tool_choice: 'auto',
  tools: [],
  top_p: null,
  truncation: 'disabled',
  usage: null,
  user: null,
  metadata: {},
}
