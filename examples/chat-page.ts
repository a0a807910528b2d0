import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { LoopError, readServerSentEvents, StepLoop, tool, toServerSentEvents, type Transcript } from '@steploop/core'
import { z } from 'zod'
import type { ExampleContext } from './example.ts'

const inputSchema = z.object({ place: z.string() })
const hours = tool({ description: 'Opening hours', inputSchema, execute: () => ({ until: '18:00', now: '15:30' }) })
const reserve = tool({ description: 'Reserves a desk', inputSchema, needsApproval: true, execute: () => 'desk 12' })
const asked = z.object({ id: z.string(), prompt: z.string().optional(), approved: z.boolean().optional() })

/** The server of a chat: the page sends words and decisions, the conversations stay here. Whoever leaves, or stops, aborts the run. */
function createChat(loop: StepLoop, conversations = new Map<string, Transcript>()) {
  return async (url: URL, body: string): Promise<Response> => {
    if (url.pathname !== '/chat') return new Response(readFileSync(new URL('chat-page.html', import.meta.url)))
    const kept = conversations.get(url.searchParams.get('id') ?? '') ?? { messages: [] }
    if (body === '')
      return new Response(JSON.stringify(kept, (key, item: unknown) => (key === 'providerMetadata' ? undefined : item)))
    const { id, prompt, approved } = asked.parse(JSON.parse(body))
    const transcript = conversations.get(id)
    const toolOutputs = approved === undefined ? {} : { '*': { approved } }
    const stream = loop.stream(transcript ? { transcript, prompt, toolOutputs } : prompt || 'Hello')
    void stream.result
      .catch((error: unknown) => (LoopError.isInstance(error) ? error : undefined))
      .then((end) => end?.transcript && conversations.set(id, end.transcript))
    const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-store' }
    return new Response(toServerSentEvents(stream), { headers })
  }
}

/** A chat page with history, stop and approval: `--serve` opens it, else a visitor of its own plays through it. */
export async function chatPage({ model, print, serve }: ExampleContext): Promise<void> {
  const chat = createChat(new StepLoop({ model, tools: { hours, reserve } }))
  // Deno, Bun and edge runtimes serve a `Response` as it is; Node wants a few lines more.
  const server = createServer((request, response) => {
    const answer = async (): Promise<void> => {
      const { headers, body } = await chat(new URL(request.url ?? '/', 'http://localhost'), await text(request))
      await pipeline(body ?? [], response.writeHead(200, Object.fromEntries(headers)))
    }
    answer().catch(() => response.destroy())
  })
  const port = await new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(z.object({ port: z.number() }).parse(server.address()).port))
  })
  if (serve) return print(`open http://127.0.0.1:${port}/`)
  for (const input of [{ prompt: 'Reserve a desk in the library if it is open.' }, { approved: true }]) {
    const body = JSON.stringify({ id: 'visitor', ...input })
    let answer = ''
    const response = await fetch(`http://127.0.0.1:${port}/chat`, { method: 'POST', body })
    for await (const event of readServerSentEvents(response)) {
      if (event.type === 'content') answer += event.content
      if (event.type === 'tool_executing') print(`running ${event.name}`)
      if (event.type === 'done') print(event.pendingCalls.map(({ name }) => `may it run ${name}?`).join() || answer)
    }
  }
  server.close()
}
