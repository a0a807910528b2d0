import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { StepLoop, tool } from '@steploop/core'
import { scriptedAdapter } from '@steploop/core/testing'
import { createChat, memoryStore, type ChatStore } from '../index.ts'

/** Chats in one file, written anew with every change: what a process that is killed leaves behind is whole. */
export function fileStore(file: string, now: () => number = Date.now): ChatStore {
  const kept: [keyof ChatStore, unknown[]][] = existsSync(file)
    ? (JSON.parse(readFileSync(file, 'utf8')) as [keyof ChatStore, unknown[]][])
    : []
  let time = kept.length === 0 ? now : () => 0
  const store = memoryStore({ now: () => time() })
  const replayed = kept.reduce<Promise<unknown>>(
    (before, [name, args]) => before.then(() => (store[name] as (...given: unknown[]) => unknown)(...args)),
    Promise.resolve(),
  )
  const ready = replayed.then(() => (time = now))
  const keep = (name: keyof ChatStore, args: unknown[]): void => {
    kept.push([name, args])
    writeFileSync(`${file}.new`, JSON.stringify(kept))
    renameSync(`${file}.new`, file)
  }
  const changing =
    (name: 'begin' | 'write' | 'end' | 'stop') =>
    async (...args: unknown[]) => {
      await ready
      const outcome: unknown = await (store[name] as (...given: unknown[]) => unknown)(...args)
      if (outcome !== false && outcome !== 'lost') keep(name, args)
      return outcome as never
    }
  return {
    load: async (...args) => (await ready, store.load(...args)),
    read: async (...args) => (await ready, store.read(...args)),
    begin: changing('begin'),
    write: changing('write'),
    end: changing('end'),
    stop: changing('stop'),
  }
}

/** What the model says before its tool ran, and after it. */
export const said = ['One two three four five six seven eight nine ten. ', 'Eleven twelve thirteen fourteen.'] as const

/** A model that says one word after the other, and a tool. */
export function restartLoop(ms = 0): StepLoop {
  const words = (text: string) =>
    text.split(/(?<= )/).map((word) => ({ type: 'text-delta', part: 0, text: word }) as const)
  const model = scriptedAdapter([])
  const look = tool({ inputSchema: { type: 'object' }, execute: () => 'seen' })
  const slow = {
    ...model,
    async *turn({ messages }: Parameters<typeof model.turn>[0]) {
      const isFirst = messages.at(-1)?.role === 'user'
      yield [{ type: 'turn-start' } as const, { type: 'text-start', part: 0 } as const]
      for (const delta of words(isFirst ? said[0] : said[1])) {
        await new Promise((resolve) => setTimeout(resolve, ms))
        yield [delta]
      }
      yield [{ type: 'text-end', part: 0 } as const]
      const call = { toolCallId: 'c1', toolName: 'look', input: {}, inputText: '{}', owner: 'client' } as const
      if (isFirst) yield [{ type: 'tool-call', part: 1, ...call } as const]
      yield [{ type: 'turn-end', finishReason: isFirst ? 'tool-calls' : 'stop' } as const]
    },
  }
  return new StepLoop({ model: slow, tools: { look } })
}

/** The server that is killed: `node testing.ts FILE`. It tells its parent of everything that it sends. */
const [, script, file] = process.argv
if (script === import.meta.filename && file !== undefined) {
  const chat = createChat({ loop: restartLoop(20), store: fileStore(file) })
  const message = { id: 'u1', role: 'user', parts: [{ type: 'text', text: 'Hello' }] }
  const response = await chat.send(
    new Request('http://chat.test/api/chat', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ id: 'a', message }),
    }),
  )
  for await (const bytes of response.body ?? []) process.send?.(bytes.length)
  await new Promise(() => setInterval(() => undefined, 1000))
}
