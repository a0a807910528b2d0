import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { StepLoop, tool, type Mode, type RunResult } from '@steploop/core'
import { fakeClock } from '@steploop/core/testing'
import { createOpenAICompatible } from '@steploop/openai-compatible'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { chatAnswer, chatStream, idle } from './testing.ts'

const unhandled: unknown[] = []
const note = (reason: unknown): void => void unhandled.push(reason)
beforeAll(() => void process.on('unhandledRejection', note))
afterAll(() => void process.off('unhandledRejection', note))

type Answer = (response: ServerResponse, mode: Mode) => void

const type = (mode: Mode): string => (mode === 'stream' ? 'text/event-stream' : 'application/json')

const answers = {
  never: () => undefined,
  half: (response, mode) => {
    response.writeHead(200, { 'content-type': type(mode) })
    response.write(mode === 'stream' ? chatStream([{ content: 'Zür' }]).split('\n\n')[0] + '\n\n' : '{"choices":[')
  },
  call: (response, mode) => {
    const calls = [{ id: 'c1', name: 'stuck', input: {} }]
    const deltas = [{ tool_calls: [{ index: 0, id: 'c1', function: { name: 'stuck', arguments: '{}' } }] }]
    response.writeHead(200, { 'content-type': type(mode), connection: 'close' })
    response.end(mode === 'stream' ? chatStream(deltas) : JSON.stringify(chatAnswer(null, calls)))
  },
  busy: (response) => {
    response.writeHead(503, { 'retry-after': '30', connection: 'close' })
    response.end('{"error":{"message":"busy"}}')
  },
} satisfies Record<string, Answer>

/** A server on the loopback that knows its open sockets and how many requests came. */
async function listen(answer: Answer, mode: Mode) {
  const sockets = new Set<Socket>()
  let requests = 0
  let arrived: () => void = () => undefined
  const first = new Promise<void>((resolve) => {
    arrived = resolve
  })
  const server = createServer((request: IncomingMessage, response) => {
    requests++
    request.resume().once('end', () => {
      answer(response, mode)
      arrived()
    })
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return {
    baseURL: `http://127.0.0.1:${port}/v1`,
    first,
    requests: () => requests,
    /**
     * Open sockets, when those that are about to close have had their turns of the event loop. Node's `fetch` opens another one in place of
     * one that it closed amid a request, and closes it at once.
     */
    open: async () => {
      for (let quiet = 0, rounds = 0; quiet < 100 && rounds < 20_000; rounds++) {
        await idle()
        quiet = sockets.size === 0 ? quiet + 1 : 0
      }
      return sockets.size
    },
  }
}

async function until(holds: () => boolean): Promise<void> {
  for (let rounds = 0; rounds < 100_000 && !holds(); rounds++) await idle()
  expect(holds()).toBe(true)
}

interface Moment {
  readonly name: string
  readonly answer: Answer
  readonly requests: number
  /** Settles when the moment has come. */
  readonly reached: (seen: {
    first: Promise<void>
    clock: { open: number }
    tool: () => boolean
    delta: () => boolean
  }) => Promise<unknown>
}

const modes: readonly Mode[] = ['generate', 'stream']
const moments: readonly Moment[] = [
  { name: 'before the request', answer: answers.never, requests: 0, reached: () => Promise.resolve() },
  { name: 'while the request waits', answer: answers.never, requests: 1, reached: ({ first }) => first },
  {
    name: 'in the middle of the answer',
    answer: answers.half,
    requests: 1,
    reached: ({ first, delta }) => first.then(() => until(delta)),
  },
  {
    name: 'in a tool that never returns',
    answer: answers.call,
    requests: 1,
    reached: ({ tool: running }) => until(running),
  },
  {
    name: 'while it waits to try again',
    answer: answers.busy,
    requests: 1,
    reached: ({ clock }) => until(() => clock.open > 0),
  },
]

describe.each(modes)('an abort of a run, %s,', (mode) => {
  test.each(moments)(
    '$name, settles at once and leaves no socket, no timer and no unhandled rejection',
    { tags: ['E01'] },
    async (moment) => {
      const server = await listen(moment.answer, mode)
      const clock = fakeClock()
      const controller = new AbortController()
      let running = false
      let delta = mode === 'generate'
      const stuck = tool({
        inputSchema: z.object({}),
        execute: () => {
          running = true
          return new Promise(() => undefined)
        },
      })
      const model = createOpenAICompatible({ baseURL: server.baseURL, apiKey: 'k-1234' })('chat-model')
      const loop = new StepLoop({ model, tools: { stuck }, clock, toolTimeout: 0 })
      if (moment.requests === 0) controller.abort()
      const run = async (): Promise<RunResult> => {
        if (mode === 'generate') return loop.generate('x', { abortSignal: controller.signal })
        const stream = loop.stream('x', { abortSignal: controller.signal })
        for await (const event of stream) delta ||= event.type === 'text-delta'
        return stream.result
      }
      const settled = run().catch((error: unknown) => error)
      await moment.reached({ first: server.first, clock, tool: () => running, delta: () => delta })
      controller.abort()
      // The clock stands still: no timer has to fire.
      expect(await settled).toMatchObject({ code: 'aborted' })
      expect(clock.open).toBe(0)
      expect(await server.open()).toBe(0)
      await idle()
      expect([unhandled, server.requests()]).toEqual([[], moment.requests])
    },
  )
})
