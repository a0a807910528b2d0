import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import { readCassette } from '@steploop/cassette'
import { type Scenario, type ScriptedTurn, type Subject } from '@steploop/conformance'
import { cassettePath } from '@steploop/conformance/cli'
import { recordScenario } from '@steploop/lab'
import { startSimulator } from '@steploop/conformance/simulator'
import { expect, onTestFinished, test } from 'vitest'
import { startProvider, type Provider, type ProviderOptions } from './simulated-provider.ts'
import { inScratch, scenarioNamed } from '../scratch.ts'

async function startFor(
  { wire, baseURL }: Subject,
  script: readonly ScriptedTurn[],
  options: ProviderOptions = {},
): Promise<Provider> {
  const provider = await startProvider({ wire, baseURL, script }, options)
  onTestFinished(() => provider.close())
  return provider
}

const text = (said: string): ScriptedTurn => ({ type: 'answer', parts: [{ type: 'text', text: said }] })
const local = (provider: Provider) => ({ baseURL: provider.url, origin: 'local' }) as const

test('a model that answers otherwise is asked again, and its third answer is recorded when it is right', async () => {
  const subject = inScratch('anthropic')
  const scenario = scenarioNamed('single-call')
  const wrong = text('Das weiss ich nicht.')
  const provider = await startFor(subject, [wrong, wrong, ...scenario.script])
  const outcome = await recordScenario({ subject, scenario, mode: 'stream', from: local(provider) })
  expect(outcome).toMatchObject({ status: 'written', problems: [], requests: 4 })
  expect(readCassette(outcome.path).exchanges).toHaveLength(2)
  expect(readCassette(outcome.path).header.origin).toMatchObject({ kind: 'local', host: new URL(provider.url).host })
})

test('a model that answers otherwise three times is reported, and the old cassette stays', async () => {
  const subject = inScratch('anthropic')
  const scenario = scenarioNamed('single-call')
  const { path } = await recordScenario({ subject, scenario, mode: 'stream', from: 'simulator' })
  const before = readFileSync(path, 'utf8')
  const provider = await startFor(subject, [text('a'), text('b'), text('c'), ...scenario.script])
  const outcome = await recordScenario({ subject, scenario, mode: 'stream', from: local(provider) })
  expect(outcome).toMatchObject({ status: 'refused', requests: 3 })
  expect(outcome.problems.join('\n')).toMatch(/asked 3 times[\s\S]*golden/)
  expect(readFileSync(path, 'utf8')).toBe(before)
})

test('a pause that the provider asked for is no part of a scenario: it is recorded anew without it', async () => {
  const subject = inScratch('anthropic')
  const scenario = scenarioNamed('text-only')
  const provider = await startFor(subject, [
    { type: 'failure', failure: 'rate-limited' },
    ...scenario.script,
    ...scenario.script,
  ])
  const outcome = await recordScenario({ subject, scenario, mode: 'generate', from: local(provider) })
  expect(outcome).toMatchObject({ status: 'written', requests: 3 })
  expect(readCassette(outcome.path).exchanges.map(({ response }) => response.status)).toEqual([200])
})

test('a simulated provider that leaves its answer open and silent is named, long before the deadline; a slow one is waited for', async () => {
  const subject = inScratch('anthropic')
  const scenario = scenarioNamed('text-only')
  const { path } = await recordScenario({ subject, scenario, mode: 'stream', from: 'simulator' })
  const { headers, body } = readCassette(path).exchanges[0]!.response
  const half = body.length >> 1
  const answering = async (isWhole: boolean) => {
    const provider = await startFor(subject, scenario.script, {
      instead(_request, response) {
        response.writeHead(200, { ...headers })
        response.write(body.subarray(0, half))
        const pieces = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((at) => body.subarray(half + at * 100, half + (at + 1) * 100))
        if (isWhole) void dripping(response, [...pieces, body.subarray(half + 1_000)])
        return true
      },
    })
    const from = { baseURL: provider.url, origin: 'simulated' } as const
    return recordScenario({ subject, scenario, mode: 'stream', from, silence: 400 })
  }
  expect(await answering(false)).toMatchObject({
    status: 'refused',
    problems: [expect.stringMatching(/has gone silent: its answer to request 1 has status 200 and \d+ bytes/)],
  })
  expect(await answering(true)).toMatchObject({ status: 'written' })
})

async function dripping(response: ServerResponse, pieces: readonly Uint8Array[]): Promise<void> {
  for (const piece of pieces) {
    await setTimeout(100)
    response.write(piece)
  }
  response.end()
}

test('a server whose origin nobody declared is not recorded', async () => {
  const subject = inScratch('anthropic')
  const scenario = scenarioNamed('text-only')
  const provider = await startFor(subject, scenario.script)
  const from = { baseURL: provider.url }
  const recording = recordScenario({ subject, scenario, mode: 'generate', from })
  await expect(recording).rejects.toThrow(/never guessed.*--live.*--local.*--simulated/s)
  expect(existsSync(cassettePath(subject, scenario.id, 'generate'))).toBe(false)
})

test('a server that says that it is a simulator needs no declaration, and a false one is refused', async () => {
  const subject = inScratch('anthropic')
  const scenario = scenarioNamed('text-only')
  const script = [...scenario.script, ...scenario.script]
  const simulator = await startSimulator({ wire: subject.wire, baseURL: subject.baseURL, script })
  onTestFinished(() => simulator.close())
  const order = { subject, scenario, mode: 'generate' } as const
  const { path } = await recordScenario({ ...order, from: { baseURL: simulator.url } })
  expect(readCassette(path).header.origin.kind).toBe('simulated')
  const lie = recordScenario({ ...order, from: { baseURL: simulator.url, origin: 'live' } })
  await expect(lie).rejects.toThrow(/declared as "live".*simulator/)
})

test('what no real model can be made to do is not asked of it', async () => {
  const subject = inScratch('anthropic')
  const provider = await startFor(subject, [])
  for (const id of [
    'overloaded',
    'cut-stream',
    'unparsable-arguments',
    'content-filter',
    'rate-limited',
    'repeated-ids',
  ]) {
    const outcome = await recordScenario({
      subject,
      scenario: scenarioNamed(id),
      mode: 'stream',
      from: local(provider),
    })
    expect({ id, status: outcome.status }).toEqual({ id, status: 'simulator-only' })
  }
  expect(provider.requests).toEqual([])
})

test('the key that a provider repeats in its answer stops the writing, whatever its variable is called', async () => {
  const subject = inScratch('anthropic')
  const apiKey = 'mine-and-only-mine-42'
  const scenario = { ...scenarioNamed('text-only'), script: [text(`Dein Schlüssel ist ${apiKey}, 東京.`)], checks: [] }
  const provider = await startFor(subject, scenario.script)
  const recording = recordScenario({ subject, scenario, mode: 'generate', from: local(provider), apiKey })
  await expect(recording).rejects.toThrow(expect.objectContaining({ code: 'secret-found' }))
  await expect(recording).rejects.toThrow(expect.not.objectContaining({ message: expect.stringContaining(apiKey) }))
  expect(existsSync(cassettePath(subject, scenario.id, 'generate'))).toBe(false)
})

test('no request is sent beyond the limit, also within a case', async () => {
  const subject = inScratch('anthropic')
  const scenario = scenarioNamed('three-turn')
  const provider = await startFor(subject, scenario.script)
  const outcome = await recordScenario({ subject, scenario, mode: 'stream', from: local(provider), maxRequests: 2 })
  expect(outcome).toMatchObject({ status: 'out-of-requests', requests: 2 })
  expect(provider.requests).toHaveLength(2)
  expect(existsSync(outcome.path)).toBe(false)
})

test('an interruption ends a recording at once, and the old cassette stays', async () => {
  const subject = inScratch('anthropic')
  const scenario = scenarioNamed('single-call')
  const { path } = await recordScenario({ subject, scenario, mode: 'stream', from: 'simulator' })
  writeFileSync(path, 'an older recording')
  const interrupt = new AbortController()
  const provider = await startFor(subject, scenario.script, {
    instead: (_, __, number) => {
      // The second request is never answered.
      if (number === 2) interrupt.abort()
      return number === 2
    },
  })
  const from = local(provider)
  const outcome = await recordScenario({ subject, scenario, mode: 'stream', from, signal: interrupt.signal })
  expect(outcome).toMatchObject({ status: 'interrupted', requests: 2 })
  expect(readFileSync(path, 'utf8')).toBe('an older recording')
})

test.each(['openai', 'xai'])(
  'responses that %s keeps are deleted after the recording, and are not recorded',
  async (name) => {
    const subject = inScratch(name)
    const scenario = scenarioNamed('continuation')
    const provider = await startFor(subject, scenario.script)
    const outcome = await recordScenario({ subject, scenario, mode: 'stream', from: local(provider), apiKey: 'any' })
    expect(outcome).toMatchObject({ status: 'written', warnings: [], requests: 3 })
    expect(provider.simulator.stored).toEqual([])
    expect(provider.requests.map(({ method }) => method)).toEqual([
      'POST',
      'POST',
      'POST',
      'DELETE',
      'DELETE',
      'DELETE',
    ])
    expect(readCassette(outcome.path).exchanges.map(({ request }) => request.method)).toEqual(['POST', 'POST', 'POST'])
  },
)

test('responses that were not to be kept are not deleted', async () => {
  const subject = inScratch('openai')
  const scenario = scenarioNamed('text-only')
  const provider = await startFor(subject, scenario.script)
  await recordScenario({ subject, scenario, mode: 'generate', from: local(provider), apiKey: 'any' })
  expect(provider.requests.map(({ method }) => method)).toEqual(['POST'])
})

test('a response that cannot be deleted is named in a warning, and the cassette is written all the same', async () => {
  const subject = inScratch('openai')
  const scenario = scenarioNamed('continuation')
  const provider = await startFor(subject, scenario.script, {
    instead: ({ method }, response) => {
      if (method === 'DELETE') response.writeHead(500).end()
      return method === 'DELETE'
    },
  })
  const outcome = await recordScenario({ subject, scenario, mode: 'generate', from: local(provider), apiKey: 'any' })
  expect(outcome.status).toBe('written')
  expect(outcome.warnings).toHaveLength(3)
  for (const id of provider.simulator.stored) expect(outcome.warnings.join('\n')).toContain(id)
})

test('a response that is gone already is no reason for a warning', async () => {
  const subject = inScratch('openai')
  const scenario = scenarioNamed('continuation-lost')
  const outcome = await recordScenario({ subject, scenario, mode: 'generate', from: 'simulator' })
  expect(outcome).toMatchObject({ status: 'written', warnings: [] })
})

test('what an interrupted recording left at the provider is deleted too', async () => {
  const subject = inScratch('openai')
  const scenario = scenarioNamed('continuation')
  const interrupt = new AbortController()
  const provider = await startFor(subject, scenario.script, {
    instead: ({ method }, _, number) => {
      if (number === 2) interrupt.abort()
      return number === 2 && method === 'POST'
    },
  })
  const from = local(provider)
  const order = { subject, scenario, mode: 'generate', from, apiKey: 'any' } as const
  expect((await recordScenario({ ...order, signal: interrupt.signal })).status).toBe('interrupted')
  expect(provider.simulator.stored).toEqual([])
})

test('a known failure is recorded, but not when its exchanges are incomplete', async () => {
  const subject = inScratch('anthropic')
  const honest = scenarioNamed('single-call')
  const scenario: Scenario = { ...honest, golden: 'run 1\n  step 1 stop\n    text\n  completed answer' }
  const line = { reason: 'planted', issue: 'none', expires: '2099-01-01' }
  const knownFailures = [{ ...line, check: 'anthropic/single-call/*#golden' }]
  const order = { subject, scenario, mode: 'stream', from: 'simulator' } as const
  expect((await recordScenario(order)).status).toBe('refused')
  const incomplete = { ...scenario, script: [...scenario.script, text('Nie gefragt.')] }
  expect((await recordScenario({ ...order, scenario: incomplete, knownFailures })).status).toBe('refused')
  const expired = knownFailures.map((known) => ({ ...known, expires: '2020-01-01' }))
  expect((await recordScenario({ ...order, knownFailures: expired })).status).toBe('refused')
  expect((await recordScenario({ ...order, knownFailures })).status).toBe('written')
})
