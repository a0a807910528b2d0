import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { createChat, memoryStore } from '@steploop/chat'
import { AdapterError, StepLoop, tool, toServerSentEvents, type LoopEvent } from '@steploop/core'
import { scriptedAdapter, type ScriptedTurn } from '@steploop/core/testing'
import { estimate, median } from './measure.ts'

// How long a page waits after a stop, next to the abort of a bare run: `chat.stop` until the body of the message has ended, and `abort()` until
// `toServerSentEvents` has; both take a `Request` that stops and answer it. In one process, and over HTTP on the loopback interface. Rounds are
// interleaved, each begins with the other one, and the first ones warm up.

const rounds = Number(process.argv[2] ?? 300)
const overloaded = new AdapterError({ provider: 'acme', model: 'm', code: 'overloaded' })
const hang = tool({ inputSchema: { type: 'object' }, execute: () => new Promise(() => undefined) })
const pay = tool({ inputSchema: { type: 'object' }, needsApproval: true, execute: () => 'paid' })
const call = (toolName: string) => ({ type: 'call', toolName, input: {} }) as const
const said = [{ type: 'text', text: 'Once upon a time' }] as const

/** What the model says, and what the page sees then. */
const moments = {
  model: { script: [{ parts: said, hang: true }], sign: /Once/ },
  tool: { script: [[...said, call('hang')]], sign: /"running"|tool_executing/ },
  'retry wait': { script: [{ parts: said, error: overloaded }, 'never'], sign: /retry/ },
  approval: { script: [[...said, call('pay')]], sign: /"requires-action"/ },
} satisfies Readonly<Record<string, { readonly script: readonly ScriptedTurn[]; readonly sign: RegExp }>>

type Moment = (typeof moments)[keyof typeof moments]

const loopOf = ({ script }: Moment): StepLoop =>
  new StepLoop({ model: scriptedAdapter(script), tools: { hang, pay }, maxRetries: 1 })

/** Something that runs, and can be stopped. */
interface Running {
  readonly body: ReadableStream<Uint8Array> | null
  /** Settles when it says that it has stopped. */
  readonly stop: () => Promise<unknown>
}

function bare(moment: Moment): Running {
  const controller = new AbortController()
  const stream = loopOf(moment).stream('Hello', { abortSignal: controller.signal })
  const over = stream.result.catch(() => undefined)
  const stopRoute = async ({ method }: Request): Promise<Response> => {
    if (method === 'POST') controller.abort()
    await over
    return new Response(null, { status: 204 })
  }
  return { body: toServerSentEvents(stream as AsyncIterable<LoopEvent>), stop: () => stopRoute(stopRequest()) }
}

const stopRequest = () => new Request('http://chat/api/a/stop', { method: 'POST' })
const json = { 'content-type': 'application/json' }
const message = JSON.stringify({ id: 'a', message: { role: 'user', parts: [{ type: 'text', text: 'Hello' }] } })

async function chatRun(moment: Moment): Promise<Running> {
  const chat = createChat({ loop: loopOf(moment), store: memoryStore() })
  const response = await chat.send(new Request('http://chat/api', { method: 'POST', headers: json, body: message }))
  return { body: response.body, stop: () => chat.stop(stopRequest()) }
}

/** A server in this process with one run at a time: POST /start streams it, POST /stop ends it. */
async function serve(start: (moment: Moment) => Running | Promise<Running>) {
  let running: Running | undefined
  let moment: Moment = moments.model
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.url === '/stop') {
      await running?.stop()
      response.writeHead(204).end()
      return
    }
    await text(request)
    running = await start(moment)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for await (const bytes of running.body ?? []) response.write(bytes)
    response.end()
  }
  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    async run(which: Moment): Promise<Running> {
      moment = which
      const response = await fetch(`${url}/start`, { method: 'POST', headers: json, body: message })
      return { body: response.body, stop: () => fetch(`${url}/stop`, { method: 'POST' }) }
    },
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** Milliseconds from the stop until the page is ready: the message has ended, and the stop is answered. */
async function readyAfter({ body, stop }: Running, { sign }: Moment): Promise<number> {
  if (body === null) throw new TypeError('There is no body.')
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let read = ''
  while (!sign.test(read)) {
    const next = await reader.read()
    if (next.done) break
    read += decoder.decode(next.value, { stream: true })
  }
  for (let waited = 0; waited < 3; waited++) await new Promise((resolve) => setImmediate(resolve))
  const start = performance.now()
  const stopped = stop()
  for (let next = await reader.read(); !next.done; next = await reader.read());
  await stopped
  return performance.now() - start
}

const servers = { bare: await serve(bare), chat: await serve(chatRun) }
const ways = {
  'in one process': { bare: (moment: Moment) => Promise.resolve(bare(moment)), chat: chatRun },
  'over loopback HTTP': {
    bare: (moment: Moment) => servers.bare.run(moment),
    chat: (moment: Moment) => servers.chat.run(moment),
  },
}

async function measure(way: keyof typeof ways, name: keyof typeof moments): Promise<void> {
  const { bare: plain, chat } = ways[way]
  const moment = moments[name]
  const samples: { bare: number[]; chat: number[]; ratio: number[] } = { bare: [], chat: [], ratio: [] }
  for (let round = -30; round < rounds; round++) {
    // Who comes first may find a colder cache.
    const early = round % 2 === 0 ? await readyAfter(await chat(moment), moment) : undefined
    const first = await readyAfter(await plain(moment), moment)
    const second = early ?? (await readyAfter(await chat(moment), moment))
    if (round < 0) continue
    samples.bare.push(first)
    samples.chat.push(second)
    samples.ratio.push(second / first)
  }
  const [before, after] = [median(samples.bare), median(samples.chat)]
  const { median: ratio, low, high } = estimate(samples.ratio)
  console.log(
    `${way}, ${name}: chat ${after.toFixed(3)} ms, bare ${before.toFixed(3)} ms: ${ratio.toFixed(2)}x in pairs (${low.toFixed(2)} to ${high.toFixed(2)}), ${((after - before) * 1000).toFixed(0)} µs more`,
  )
}

for (const way of ['in one process', 'over loopback HTTP'] as const)
  for (const name of ['model', 'tool', 'retry wait', 'approval'] as const) await measure(way, name)
servers.bare.close()
servers.chat.close()
