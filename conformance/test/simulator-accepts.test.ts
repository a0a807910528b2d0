import { expect, test } from 'vitest'

import { dialectAt, simulatedWire, type WireSimulation } from '@steploop/conformance/simulator'

import { hasRecordedTraffic, recordedExchanges, trafficNote, type RecordedExchange } from './simulator-recorded.ts'

/** Folders with requests to each endpoint. */
const folders = {
  'openai-responses': ['openai-responses', 'mixed'],
  'openai-chat': ['openai-chat', 'other-chat-compatible', 'mistral', 'groq', 'deepseek', 'openrouter', 'xai', 'mixed'],
  'anthropic-messages': ['anthropic', 'mixed'],
} as const

type Wire = keyof typeof folders
const wires = Object.keys(folders) as Wire[]

interface Tally {
  accepted: number
  readonly refused: string[]
  /** Hosts whose dialect the simulator does not know. */
  readonly otherHosts: Map<string, number>
}

test.each(wires)(`%s: every recorded request that got a 2xx is accepted${trafficNote}`, (wire) => {
  const simulation = simulatedWire(wire)
  const tally: Tally = { accepted: 0, refused: [], otherHosts: new Map() }
  for (const exchange of recordedExchanges(folders[wire])) {
    if (exchange.handEdited || exchange.response.status >= 300) continue
    if (isOnEndpoint(exchange, simulation)) count(tally, exchange, simulation)
  }
  const others = [...tally.otherHosts].map(([host, requests]) => `${host}: ${requests}`).join(', ')
  process.stdout.write(
    hasRecordedTraffic
      ? `${wire}: ${tally.accepted} of ${tally.accepted + tally.refused.length} recorded requests accepted; of other dialects, not checked: ${others === '' ? 'none' : others}\n`
      : `${wire}: no recorded traffic here\n`,
  )
  expect(tally.refused).toEqual([])
  expect(tally.accepted > 0).toBe(hasRecordedTraffic)
})

test.each(wires)(`%s: a member that no recorded request has is refused in every one of them${trafficNote}`, (wire) => {
  const simulation = simulatedWire(wire)
  const tolerated = recordedExchanges(folders[wire])
    .filter((exchange) => !exchange.handEdited && exchange.response.status < 300)
    .filter((exchange) => isOnEndpoint(exchange, simulation))
    .filter((exchange) => {
      const dialect = dialectOf(exchange, simulation)
      return dialect?.check({ ...(exchange.request?.body as object), never_heard_of: 1 }) === undefined && dialect
    })
  expect(tolerated.map((exchange) => exchange.address)).toEqual([])
})

function count(tally: Tally, exchange: RecordedExchange, simulation: WireSimulation): void {
  const dialect = dialectOf(exchange, simulation)
  if (dialect === undefined) {
    const host = hostOf(exchange)
    tally.otherHosts.set(host, (tally.otherHosts.get(host) ?? 0) + 1)
    return
  }
  const refusal = dialect.check(exchange.request?.body)
  if (refusal === undefined) tally.accepted += 1
  else tally.refused.push(`${exchange.address}: ${refusal.message}`)
}

function isOnEndpoint({ request }: RecordedExchange, simulation: WireSimulation): boolean {
  if (request?.method !== 'POST' || typeof request.body !== 'object') return false
  return new URL(request.url).pathname.endsWith(simulation.path)
}

function dialectOf(exchange: RecordedExchange, simulation: WireSimulation) {
  const host = hostOf(exchange)
  // A gateway on the recorder's own machine, in front of the provider itself.
  if (host.startsWith('localhost')) return simulation.dialects[0]
  return dialectAt(host, simulation)
}

function hostOf({ request }: RecordedExchange): string {
  return new URL(request?.url ?? '').host
}
