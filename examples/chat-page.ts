import { createServer } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { StepLoop, tool, toServerSentEvents } from '@steploop/core'
import { z } from 'zod'
import type { ExampleContext } from './example.ts'

const page = `<!doctype html><meta charset="utf-8"><title>Chat</title>
<form><input name="prompt" value="Is the library open?" size="40"> <button>Ask</button></form><pre></pre>
<script>
  const [form, out] = [document.querySelector('form'), document.querySelector('pre')]
  form.onsubmit = (event) => {
    event.preventDefault()
    const source = new EventSource('/chat?prompt=' + encodeURIComponent(form.prompt.value))
    const show = (text) => (out.textContent += text)
    source.addEventListener('tool_executing', ({ data }) => show('[' + JSON.parse(data).name + ']\\n'))
    source.addEventListener('content', ({ data }) => show(JSON.parse(data).content))
    source.addEventListener('error', ({ data }) => data && show(JSON.parse(data).message))
    source.addEventListener('done', () => (source.close(), show('\\n')))
  }
</script>`

const hours = tool({
  description: 'Opening hours',
  inputSchema: z.object({ place: z.string() }),
  execute: () => ({ open: '9:00 to 18:00', now: '15:30' }),
})

/** A chat page: the run as server-sent events. Closing the page aborts the run. */
export async function chatPage({ model, print, serve }: ExampleContext): Promise<void> {
  const loop = new StepLoop({ model, tools: { hours } })
  const chat = (url: URL): Response => {
    if (url.pathname !== '/chat') return new Response(page, { headers: { 'content-type': 'text/html' } })
    const events = toServerSentEvents(loop.stream(url.searchParams.get('prompt') || 'Hello'))
    return new Response(events, { headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store' } })
  }
  // Deno, Bun and edge runtimes serve a `Response` as it is; Node wants a few lines more.
  const server = createServer((request, response) => {
    const { headers, body } = chat(new URL(request.url ?? '/', 'http://localhost'))
    response.writeHead(200, Object.fromEntries(headers))
    pipeline(body ?? [], response).catch(() => response.destroy())
  })
  const port = await new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(z.object({ port: z.number() }).parse(server.address()).port))
  })
  const address = `http://127.0.0.1:${port}/`
  if (serve) return print(`open ${address}`)
  const response = await fetch(`${address}chat?prompt=${encodeURIComponent('Is the library open?')}`)
  print((await response.text()).trim())
  server.close()
}
