import { expect, test } from 'vitest'

import { dialectAt, simulatedWire } from '@steploop/conformance/simulator'

import { wireKit } from '../src/wires/index.ts'
import { hasRecordedTraffic, recordedExchanges, trafficNote } from './simulator-recorded.ts'

/** Folders with requests to each endpoint. */
const folders = {
  'openai-responses': ['openai-responses', 'mixed'],
  'openai-chat': ['openai-chat', 'other-chat-compatible', 'mistral', 'groq', 'deepseek', 'openrouter', 'xai', 'mixed'],
  'anthropic-messages': ['anthropic', 'mixed'],
  'gemini-generate': ['gemini', 'mixed'],
} as const

/** A provider before which a gateway on the recorder's own machine stands. Default: the first one. */
const behindGateway: Readonly<Record<string, string>> = { 'gemini-generate': 'vertex' }

type Wire = keyof typeof folders
const wires = Object.keys(folders) as Wire[]

/** What is wrong with each recorded request that got a 2xx, by the provider whose host it went to; with `more` in its body. */
function judged(wire: Wire, more: object = {}) {
  const simulation = simulatedWire(wire)
  return recordedExchanges(folders[wire]).flatMap(({ address, handEdited, request, response }) => {
    if (handEdited || response.status >= 300 || request?.method !== 'POST') return []
    const { host, pathname } = new URL(request.url)
    if (typeof request.body !== 'object' || !wireKit(wire)!.detect.isEndpoint(pathname, request.body)) return []
    const gateway = simulation.dialects.find(({ name }) => name === behindGateway[wire]) ?? simulation.dialects[0]
    const dialect = host.startsWith('localhost') ? gateway : dialectAt(host, simulation)
    if (dialect === undefined) return [{ address, problem: `${host} is not known` }]
    const refusal = dialect.check({ ...request.body, ...more }, undefined, dialect.readPath?.(pathname))
    return [{ address, problem: refusal?.message }]
  })
}

test.each(wires)(`%s: every recorded request that got a 2xx is accepted${trafficNote}`, (wire) => {
  const found = judged(wire)
  const refused = found.filter(({ problem }) => problem !== undefined)
  process.stdout.write(`${wire}: ${found.length - refused.length} of ${found.length} recorded requests accepted\n`)
  expect(refused).toEqual([])
  expect(found.length > 0).toBe(hasRecordedTraffic)
})

test.each(wires)(`%s: a member that no recorded request has is refused in every one of them${trafficNote}`, (wire) => {
  expect(judged(wire, { never_heard_of: 1 }).filter(({ problem }) => problem === undefined)).toEqual([])
})
