import { serve } from '@hono/node-server'
import { createChat, memoryStore } from '@steploop/chat'
import { StepLoop, type Adapter } from '@steploop/core'
import { Hono } from 'hono'
import { chatTools } from './tools.ts'

/** What the page loads: everything comes from here, and nothing of it is made of text that a model wrote. */
export interface PageFiles {
  readonly script: string
  readonly style: string
}

const html = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width" />
    <title>Chat</title>
    <link rel="icon" href="data:," />
    <link rel="stylesheet" href="/page.css" />
  </head>
  <body>
    <div id="root"></div>
    <script type="module" src="/page.js"></script>
  </body>
</html>
`

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data: https:"

export interface ChatAppOptions {
  readonly model: Adapter
  readonly files: PageFiles
  /** How slow tools are; milliseconds. */
  readonly delayMs: number
}

/** The server: three routes of `createChat`, one that loads a chat, and the page. */
function chatApp({ model, files, delayMs }: ChatAppOptions) {
  const loop = new StepLoop({ model, tools: chatTools(delayMs), instructions: 'You are a friendly assistant.' })
  const chat = createChat({ loop, store: memoryStore(), onError: (error) => console.error(error) })
  const app = new Hono()
  app.post('/api/chat', (c) => chat.send(c.req.raw))
  app.get('/api/chat/:id/stream', (c) => chat.resume(c.req.raw))
  app.post('/api/chat/:id/stop', (c) => chat.stop(c.req.raw))
  app.get('/api/chat/:id', async (c) =>
    c.json(await chat.load(c.req.param('id')), 200, { 'cache-control': 'no-store' }),
  )
  app.get('/page.js', (c) => c.body(files.script, 200, { 'content-type': 'text/javascript' }))
  app.get('/page.css', (c) => c.body(files.style, 200, { 'content-type': 'text/css' }))
  app.get('/', (c) => c.html(html, 200, { 'content-security-policy': policy }))
  return { app, chat }
}

export interface ChatServer {
  /** Where it listens. */
  readonly url: string
  /** Ends the runs, stores them, and closes. */
  close(): Promise<void>
}

/** Listens on the loopback interface; port 0: any that is free. Rejects when the port is taken. */
export async function serveChat(options: ChatAppOptions, port: number): Promise<ChatServer> {
  const { app, chat } = chatApp(options)
  const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port })
  await new Promise<void>((resolve, reject) => {
    server.once('listening', () => resolve())
    server.once('error', reject)
  })
  const address = server.address()
  const boundPort = typeof address === 'object' && address !== null ? address.port : port
  return {
    url: `http://127.0.0.1:${boundPort}/`,
    async close() {
      await chat.close()
      server.close()
      if ('closeAllConnections' in server) server.closeAllConnections()
    },
  }
}
