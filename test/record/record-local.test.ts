import type { ServerResponse } from 'node:http'
import { type Subject } from '@steploop/conformance'
import { recordScenario } from '@steploop/lab'
import { expect, onTestFinished, test } from 'vitest'
import { startProvider, type ProviderOptions } from './simulated-provider.ts'
import { inScratch, scenarioNamed } from '../scratch.ts'

/** Records one scenario from a server that nothing tells from a real one. */
async function record(subject: Subject, id: string, provider: ProviderOptions = {}, deadline = 60_000) {
  const scenario = scenarioNamed(id)
  const { wire, baseURL } = subject
  const server = await startProvider({ wire, baseURL, script: scenario.script }, provider)
  onTestFinished(() => server.close())
  return recordScenario({
    subject,
    scenario,
    mode: 'generate',
    from: { baseURL: server.url, origin: 'local' },
    deadline,
  })
}

test.each(['openai', 'openai-compatible', 'anthropic', 'ollama'])(
  'a long id of a call is no seal (%s): it stands at its result too',
  async (name) => {
    const scenario = scenarioNamed('reasoning-replay')
    const script = scenario.script.map((turn) => {
      if (turn.type !== 'answer') return turn
      const parts = turn.parts.map((part) =>
        part.type === 'call' ? { ...part, id: 'call_AbCdEfGhIjKlMnOpQrStUvWx' } : part,
      )
      return { ...turn, parts }
    })
    const order = { subject: inScratch(name), scenario: { ...scenario, script }, from: 'simulator' } as const
    expect(await recordScenario({ ...order, mode: 'generate' })).toMatchObject({ status: 'written', problems: [] })
  },
)

test.each([
  ['token-budget', 'tokens'],
  ['citations', 'cite'],
  ['structured-repair', 'invalid object'],
])('`%s` is not asked of a real model', async (id, reason) => {
  const outcome = await record(inScratch('openai'), id)
  expect(outcome).toMatchObject({ status: 'simulator-only', problems: [expect.stringContaining(reason)], requests: 0 })
})

test('an object of a schema can be had of a real model, which may put its own values into it', async () => {
  const rewrite = (text: string): string => text.replaceAll('celsius\\":7', 'celsius\\":8')
  expect(await record(inScratch('openai'), 'structured', { rewrite })).toMatchObject({
    status: 'written',
    problems: [],
  })
})

test('a server that counts no thoughts can say so for one check', async () => {
  const rewrite = (text: string): string => text.replaceAll(/"reasoning_tokens": ?\d+/g, '"reasoning_tokens":0')
  const subject = inScratch('openai-compatible')
  const refused = await record(subject, 'reasoning-text', { rewrite })
  expect(refused).toMatchObject({ status: 'refused' })
  expect(refused.problems.join('\n')).toContain('reasoning-tokens')
  const noWordsFor = { 'reasoning-text#reasoning-tokens': 'it counts none' }
  expect(await record({ ...subject, noWordsFor }, 'reasoning-text', { rewrite })).toMatchObject({ status: 'written' })
})

test.each([
  ['is not done in time', () => true],
  ['sends a byte now and then', (_: unknown, response: ServerResponse) => drips(response)],
])('a server that took the request and %s is slow, not unreachable, and asked once', async (_, instead) => {
  const outcome = await record(inScratch('anthropic'), 'text-only', { instead }, 200)
  expect(outcome).toMatchObject({
    status: 'refused',
    problems: [expect.stringMatching(/took the request.*within 0.2 s/)],
    requests: 1,
  })
})

function drips(response: ServerResponse): boolean {
  response.writeHead(200, { 'content-type': 'application/json' })
  const timer = setInterval(() => response.write(' '), 20)
  response.on('close', () => clearInterval(timer))
  return true
}

test('members that a real server sends in its calls come back to it, and the simulator of Ollama takes them', async () => {
  const rewrite = (text: string): string => text.replaceAll('{"function":', '{"type":"function","function":')
  expect(await record(inScratch('ollama'), 'single-call', { rewrite })).toMatchObject({
    status: 'written',
    problems: [],
  })
})
