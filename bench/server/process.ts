import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Adapter } from '@steploop/core'
import type { TurnEvent } from '@steploop/core/adapter'
import { serve } from '@steploop/server/node'
import { sqliteStore } from '@steploop/store/sqlite'
import { startFloor } from './floor.ts'
import { say } from './model.ts'

/** `process.ts NAME`, of which `floor` is the one by hand: sends its base URL to its parent, and what it has used whenever it is asked. */
const folder = mkdtempSync(join(tmpdir(), 'steploop-bench-'))

const model: Adapter = {
  provider: 'bench',
  model: 'slow',
  capabilities: { tools: true, parallel: true, toolChoice: ['auto'] },
  async *turn({ messages }) {
    const [first] = messages
    const [part] = typeof first?.content === 'string' ? [{ text: first.content }] : (first?.content ?? [])
    const id = part !== undefined && 'text' in part ? part.text : ''
    yield [
      { type: 'turn-start', model: 'slow' },
      { type: 'text-start', part: 0 },
    ]
    for await (const text of say(id)) yield [{ type: 'text-delta', part: 0, text }] satisfies TurnEvent[]
    yield [
      { type: 'text-end', part: 0 },
      { type: 'turn-end', finishReason: 'stop', rawFinishReason: 'stop' },
    ]
    return undefined
  },
}

async function startServer(): Promise<string> {
  const store = await sqliteStore({ path: join(folder, 'store.db') })
  const limits = { runs: 10_000, runsPerTenant: 10_000 }
  return (await serve({ models: { m: model }, store, port: 0, limits })).baseURL
}

/** CPU in microseconds that looking at the memory took. */
let looking = 0

function total(): number {
  const { user, system } = process.cpuUsage()
  return user + system
}

process.on('message', () => {
  const before = total()
  globalThis.gc?.()
  const { heapUsed, external, rss } = process.memoryUsage()
  process.send?.({ cpu: before - looking, memory: heapUsed + external, rss })
  looking += total() - before
})
process.once('disconnect', () => {
  rmSync(folder, { recursive: true })
  process.exit()
})
process.send?.(await (process.argv[2] === 'floor' ? startFloor() : startServer()))
