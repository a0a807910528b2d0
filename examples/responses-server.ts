import { webSearch } from '@steploop/server/web-search'
import { serve as listen } from '@steploop/server/node'
import { memoryStore } from '@steploop/store'
import { z } from 'zod'
import type { ExampleContext } from './example.ts'

/** Any search engine, or your own documents: what comes back is what the model reads. */
const search = webSearch({
  search: async () => [{ url: 'https://museum.example/hours', title: 'Hours', text: 'Open until 18:00 on Thursdays.' }],
})

/** Declared by the client, which runs it: the server hands its calls out. */
const reserve = {
  type: 'function',
  name: 'reserve',
  description: 'Reserves a ticket',
  parameters: { type: 'object', properties: { day: { type: 'string' } }, required: ['day'] },
}
const tools = [{ type: 'web_search' }, reserve]

const item = z.object({ type: z.string(), name: z.string().optional(), call_id: z.string().optional() })
const content = z.array(z.object({ text: z.string() })).optional()
const reply = z.object({ id: z.string(), output: z.array(item.extend({ content })) })

/** OpenAI's Responses API in front of any model. `--serve`: it stays, for Codex, the Agents SDK or whatever else speaks it. */
export async function responsesServer({ model, print, serve }: ExampleContext): Promise<void> {
  // `sqliteStore({ path: 'conversations.db' })` of `@steploop/store/sqlite` outlives the process.
  const store = memoryStore()
  const options = { models: { 'my-model': model }, store, executors: [search], unsupportedTools: 'drop' as const }
  const server = await listen({ ...options, port: serve ? 8787 : 0 })
  if (serve) return print(`the model 'my-model' is at ${server.baseURL}`)
  const create = async (body: object): Promise<z.infer<typeof reply>> => {
    const init = { method: 'POST', body: JSON.stringify({ model: 'my-model', tools, ...body }) }
    const response = reply.parse(await (await fetch(`${server.baseURL}/responses`, init)).json())
    for (const { type, name, content: parts } of response.output)
      print([type, name, ...(parts ?? []).map(({ text }) => text)].filter(Boolean).join(': '))
    return response
  }
  const first = await create({ input: 'Reserve me a ticket for Thursday, if the museum is open at five.' })
  const call_id = first.output.find(({ type }) => type === 'function_call')?.call_id
  const output = { type: 'function_call_output', call_id, output: 'ticket 71' }
  await create({ previous_response_id: first.id, input: [output] })
  await server.stop()
}
