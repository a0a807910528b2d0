import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { CassetteError, writeCassette, type Cassette } from '@steploop/cassette'
import { defineSubject, runConformance } from '@steploop/conformance'
import { StepLoop, type Capabilities, type StepLoopOptions } from '@steploop/core'
import { fakeClock, scriptedAdapter } from '@steploop/core/testing'
import { expect, onTestFinished, test } from 'vitest'
import { repository } from './catalogue.ts'
import {
  anthropicAnswer,
  anthropicCall,
  anthropicModel,
  chatModel,
  chatStream,
  eventsOf,
  openaiModel,
  play,
  responsesAnswer,
  responsesCall,
  responsesText,
  time,
  weather,
  type Parsed,
} from './testing.ts'

/** A key that looks real and is none; joined here, so that no search for keys stumbles over it. */
const canary = ['sk', 'proj', 'A1b2C3d4'.repeat(4)].join('-')

test('switches of cache and service tier are in every request; tokens count once', { tags: ['E12'] }, async () => {
  const usage = { input_tokens: 10, cache_read_input_tokens: 90, output_tokens: 5 }
  const anthropic = anthropicModel([
    { ...anthropicAnswer([anthropicCall('c1', 'time', { tz: 'CET' })], 'tool_use'), usage },
    { ...anthropicAnswer([{ type: 'text', text: 'Noon.' }]), usage },
  ])
  const providerOptions = {
    anthropic: { cacheControl: true },
    openai: { prompt_cache_key: 'tenant-7', service_tier: 'flex' },
  }
  const result = await new StepLoop({ model: anthropic.model, tools: { time }, providerOptions }).generate('x')
  expect(anthropic.bodies.map(({ cache_control: control }) => control)).toEqual([
    { type: 'ephemeral' },
    { type: 'ephemeral' },
  ])
  expect(result.usage).toMatchObject({ inputTokens: 200, cachedInputTokens: 180 })
  const openai = openaiModel([
    responsesAnswer('r1', [responsesCall('c1', 'time', { tz: 'CET' })]),
    responsesAnswer('r2', [responsesText('Noon.')]),
  ])
  await new StepLoop({ model: openai.model, tools: { time }, providerOptions }).generate('x')
  for (const body of openai.bodies) expect(body).toMatchObject(providerOptions.openai)
})

test('arguments reach the page piece by piece while the model writes them', { tags: ['E14'] }, async () => {
  const pieces = ['{"city":"Zü', 'rich"}']
  const deltas = pieces.map((text, n) => ({
    tool_calls: [
      { index: 0, ...(n === 0 && { id: 'c1' }), function: { ...(n === 0 && { name: 'weather' }), arguments: text } },
    ],
  }))
  const { model } = chatModel([chatStream(deltas), chatStream([{ content: 'Sunny.' }], 'stop')])
  const events = await eventsOf(new StepLoop({ model, tools: { weather } }).stream('x'))
  const seen = events.flatMap((event) => (event.type === 'tool-call-delta' ? [event.inputText] : []))
  expect(seen).toEqual(pieces)
})

test('clock, chance and ids come from outside; core depends on nothing', { tags: ['E16'] }, async () => {
  const clock = fakeClock(5)
  const options: Partial<StepLoopOptions> = { clock, random: () => 0, generateId: () => 'conversation-7' }
  const { transcript } = await play(['Hallo.'], options).loop.generate('x')
  expect(transcript.id).toBe('conversation-7')
  const manifest: Parsed = JSON.parse(readFileSync(resolve(repository, 'packages/core/package.json'), 'utf8'))
  expect(manifest.dependencies).toBeUndefined()
  expect(manifest.peerDependencies).toBeUndefined()
})

const subjectWith = (capabilities: Parsed) =>
  defineSubject({
    name: 'mine',
    wire: 'openai-chat',
    model: 'mine-1',
    baseURL: 'https://chat.example.com/v1',
    cassettes: resolve(repository, 'cassettes/none'),
    adapter: () => ({ ...scriptedAdapter([]), capabilities: capabilities as Capabilities }),
  })
const run = (capabilities: object, scenario: string) =>
  runConformance([subjectWith(capabilities)], { scenario: [scenario], mode: 'generate' })

test(
  'the conformance suite leaves out what an adapter does not declare, and checks what it claims',
  { tags: ['E17'] },
  async () => {
    const [unfit] = (await run({}, 'single-call')).cases
    expect(unfit).toMatchObject({ verdict: 'not-applicable', reason: expect.stringContaining('`tools`') })
    const [claimed] = (await run({ tools: true }, 'single-call')).cases
    expect(claimed?.verdict).not.toBe('not-applicable')
  },
)

test(
  'the conformance suite is a package for other people’s adapters, and its recorder writes no secret',
  { tags: ['E18'] },
  () => {
    const manifest: Parsed = JSON.parse(readFileSync(resolve(repository, 'conformance/package.json'), 'utf8'))
    expect([manifest.private, Object.keys(manifest.exports)]).toEqual([
      undefined,
      expect.arrayContaining(['.', './vitest', './simulator']),
    ])
    const folder = mkdtempSync(join(tmpdir(), 'behaviours-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const body = new TextEncoder().encode(JSON.stringify({ note: canary }))
    const cassette: Cassette = {
      header: {
        scenario: 'text-only',
        mode: 'generate',
        provider: 'mine',
        wire: 'openai-chat',
        model: 'mine-1',
        origin: { kind: 'simulated', by: 'a test', date: '2026-11-22' },
      },
      exchanges: [
        {
          request: {
            method: 'POST',
            url: 'https://chat.example.com/v1',
            headers: { 'content-type': 'application/json' },
            body,
          },
          response: { status: 200, headers: {}, body: new Uint8Array(), chunks: [], ending: 'eof' },
        },
      ],
    }
    expect(() => writeCassette(join(folder, 'text-only.generate.yaml'), cassette, { env: {} })).toThrow(CassetteError)
    expect(readdirSync(folder)).toEqual([])
  },
)
