import { mkdtempSync, rmSync } from 'node:fs'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { simulatorHeader } from '@steploop/cassette/record'
import {
  recordScenario,
  runConformance,
  scenarios,
  type ScriptedPart,
  type ScriptedTurn,
  type Subject,
} from '@steploop/conformance'
import { startSimulator } from '@steploop/conformance/simulator'
import { expect, onTestFinished, test, vi } from 'vitest'
import config from '../steploop.config.ts'

vi.setConfig({ testTimeout: 60_000 })

/** What the scenario wants, in the words of another model: each text differs, and before calls something is said. */
function inOtherWords(turn: ScriptedTurn): ScriptedTurn {
  if (turn.type !== 'answer') return turn
  const parts = turn.parts.map((part): ScriptedPart => {
    return part.type === 'text' ? { type: 'text', text: `Anders gesagt: ${part.text}` } : part
  })
  const isCalling = parts.some(({ type }) => type === 'call') && parts[0]?.type === 'call'
  return { ...turn, parts: isCalling ? [{ type: 'text', text: 'Ich sehe nach, 東京.' }, ...parts] : parts }
}

/** The server of a model: nothing in its responses tells that it is a simulator. */
async function startModel(subject: Subject, script: readonly ScriptedTurn[]): Promise<string> {
  const simulator = await startSimulator({
    wire: subject.wire,
    baseURL: subject.baseURL,
    script: script.map(inOtherWords),
  })
  const server = createServer((incoming, outgoing) => void handOn(simulator.url, incoming, outgoing))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    server.closeAllConnections()
    server.close()
    await simulator.close()
  })
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  return `http://127.0.0.1:${port}${new URL(simulator.url).pathname.replace(/\/$/, '')}`
}

async function handOn(url: string, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  let body = ''
  for await (const piece of incoming) body += String(piece)
  const headers = Object.entries(incoming.headers).flatMap(([name, value]): [string, string][] => {
    return typeof value === 'string' && !/^(?:host|connection|content-length)$/.test(name) ? [[name, value]] : []
  })
  const response = await fetch(`${new URL(url).origin}${incoming.url}`, { method: 'POST', headers, body })
  const kept = [...response.headers].filter(([name]) => name !== simulatorHeader && name !== 'transfer-encoding')
  outgoing.writeHead(response.status, Object.fromEntries(kept))
  outgoing.end(new Uint8Array(await response.arrayBuffer()))
}

const ids = [
  'text-only',
  'single-call',
  'text-then-call',
  'parallel-calls',
  'three-turn',
  'client-tool',
  'length-limit',
]

test.each(['anthropic', 'openai-compatible', 'ollama'])(
  'a model that says the same in other words, and speaks before it calls, is recorded for %s and passes the suite',
  async (name) => {
    const cassettes = mkdtempSync(join(tmpdir(), 'steploop-models-'))
    onTestFinished(() => rmSync(cassettes, { recursive: true }))
    const subject = { ...config.subjects.find((one) => one.name === name)!, cassettes }
    for (const scenario of scenarios.filter(({ id }) => ids.includes(id))) {
      for (const mode of ['generate', 'stream'] as const) {
        const baseURL = await startModel(subject, scenario.script)
        const from = { baseURL, origin: 'local' } as const
        const { status, problems } = await recordScenario({ subject, scenario, mode, from, attempts: 1 })
        expect({ case: `${scenario.id}/${mode}`, status, problems }).toMatchObject({ status: 'written', problems: [] })
      }
    }
    const report = await runConformance([subject], { scenario: ids, stress: [], frontEnds: ['fetch'] })
    expect(report.counts).toMatchObject({ pass: ids.length * 2, fail: 0 })
  },
)
