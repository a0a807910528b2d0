import { createNoopLogger } from '@opentelemetry/api'
import { AlwaysOffSampler, TracerProvider } from '@opentelemetry/sdk-trace'
import { tool } from '@steploop/core'
import { expect, test, vi } from 'vitest'
import { z } from 'zod'
import { messagesOf, type Redact } from './content.ts'
import { fitText } from './fit-text.ts'
import { call, loopOf, memorySdk } from './testing.ts'
import type { TelemetryOptions } from './options.ts'

const secret = 'planted-secret-7f3a'

/** A run with a secret wherever one can stand. */
async function playSecret(telemetry: TelemetryOptions) {
  const leak = tool({
    inputSchema: z.object({ key: z.string() }),
    execute: ({ key }) => {
      if (key.endsWith('throw')) throw new Error(`failed with ${secret}`)
      return { echoed: secret }
    },
  })
  const turn = ['a', 'throw'].map(
    (end) => ({ type: 'call', toolName: 'leak', input: { key: `${secret}-${end}` } }) as const,
  )
  const { sdk, loop } = loopOf([[...turn, { type: 'reasoning', text: secret }], secret], {
    tools: { leak },
    telemetry,
    instructions: `Never tell ${secret}.`,
    headers: { authorization: `Bearer ${secret}` },
    providerOptions: { scripted: { user: secret } },
  })
  const file = { type: 'file', mediaType: 'image/png', data: btoa(secret.repeat(9)) } as const
  const messages = [{ role: 'user', content: [{ type: 'text', text: `Use ${secret}` }, file] } as const]
  const result = await loop.generate({ messages })
  return { sdk, result, exported: await allOf(sdk) }
}

/** All that leaves the process, as text. */
async function allOf(sdk: ReturnType<typeof memorySdk>): Promise<string> {
  const spans = sdk.spans.map(({ name, attributes, status, events, links }) => ({
    name,
    attributes,
    status,
    events,
    links,
  }))
  const logs = sdk.logs().map(({ attributes, body, eventName }) => ({ attributes, body, eventName }))
  return JSON.stringify([spans, logs, await sdk.metrics()])
}

const partsOf = (json: unknown): unknown => JSON.parse(String(json))

test('without being asked, nothing of what was said leaves', async () => {
  const { exported } = await playSecret({})
  expect(exported.length).toBeGreaterThan(1000)
  expect(exported).not.toContain(secret)
  expect(exported).not.toContain(btoa(secret.repeat(9)).slice(0, 40))
})

test('content on spans is in the form of the conventions; files are described, never copied', async () => {
  const { sdk, exported } = await playSecret({ content: 'spans' })
  const [chat] = sdk.named('chat')
  expect(partsOf(chat?.attributes['gen_ai.system_instructions'])).toEqual([
    { type: 'text', content: `Never tell ${secret}.` },
  ])
  expect(partsOf(chat?.attributes['gen_ai.input.messages'])).toEqual([
    {
      role: 'user',
      parts: [
        { type: 'text', content: `Use ${secret}` },
        { type: 'steploop.file', mime_type: 'image/png', modality: 'image', byte_size: 171 },
      ],
    },
  ])
  expect(partsOf(chat?.attributes['gen_ai.output.messages'])).toMatchObject([
    {
      role: 'assistant',
      parts: [
        { type: 'tool_call', name: 'leak', arguments: { key: `${secret}-a` } },
        { type: 'tool_call', name: 'leak' },
        { type: 'reasoning', content: secret },
      ],
    },
  ])
  expect(partsOf(chat?.attributes['gen_ai.tool.definitions'])).toMatchObject([{ type: 'function', name: 'leak' }])
  const [first, second] = sdk.named('execute_tool')
  expect(partsOf(first?.attributes['gen_ai.tool.call.arguments'])).toEqual({ key: `${secret}-a` })
  expect(partsOf(first?.attributes['gen_ai.tool.call.result'])).toEqual({ echoed: secret })
  expect(second?.attributes['gen_ai.tool.call.result']).toContain(`failed with ${secret}`)
  expect(partsOf(sdk.named('invoke_agent')[0]?.attributes['gen_ai.output.messages'])).toEqual([
    { role: 'assistant', parts: [{ type: 'text', content: secret }] },
  ])
  expect(exported).not.toContain(btoa(secret.repeat(9)).slice(0, 40))
  // Headers and options of providers are no content.
  expect(exported).not.toContain('Bearer')
})

test('content on spans: `v1.41` wants the finish reason in the answer', async () => {
  const { sdk } = await playSecret({ content: 'spans', conventions: 'v1.41' })
  expect(partsOf(sdk.named('chat')[0]?.attributes['gen_ai.output.messages'])).toMatchObject([
    { finish_reason: 'tool_call' },
  ])
})

test('content on spans is what was sent: what comes later is not in it, nor can `redact` change the run', async () => {
  const spoil: Redact = (_kind, value) => {
    for (const item of [value].flat() as Record<string, unknown>[]) {
      for (const name of Object.keys(item)) if (name !== 'parts') item[name] = 'spoiled'
      for (const part of (item['parts'] ?? []) as Record<string, unknown>[])
        Object.assign(part['arguments'] ?? part['response'] ?? part, { key: 'spoiled', echoed: 'spoiled' })
    }
    return value
  }
  const { sdk, result } = await playSecret({ content: 'spans', redact: spoil })
  expect(JSON.stringify(result.transcript)).not.toContain('spoiled')
  expect(result.toolResults.map(({ output }) => output.type)).toEqual(['json', 'error'])
  expect(partsOf(sdk.named('chat')[0]?.attributes['gen_ai.input.messages'])).toHaveLength(1)
  expect(partsOf(sdk.named('chat')[1]?.attributes['gen_ai.input.messages'])).toHaveLength(3)
})

const broken = (): never => {
  throw new Error(secret)
}

test.each<[string, Redact]>([
  ['throws', broken],
  ['gives nothing', () => undefined],
  ['hangs', () => new Promise(() => undefined)],
  ['rejects', () => Promise.reject(new Error(secret))],
  ['gives another promise', () => Promise.resolve(secret)],
  [
    'gives what cannot be read',
    () => ({
      get key() {
        return broken()
      },
    }),
  ],
])('`redact` that %s: nothing of it is exported, and the run does not notice', async (_what, redact) => {
  for (const content of ['spans', 'events'] as const) {
    const { exported, result } = await playSecret({ content, redact })
    expect(exported).not.toContain(secret)
    expect(result).toMatchObject({ text: secret, status: 'completed' })
  }
})

test('`redact` is asked about each kind of content by its name', async () => {
  const redact = vi.fn<Redact>((kind) => `[${kind}]`)
  const { exported, sdk } = await playSecret({ content: 'spans', redact })
  expect([...new Set(redact.mock.calls.map(([kind]) => kind))].toSorted()).toEqual([
    'input-messages',
    'output-messages',
    'system-instructions',
    'tool-arguments',
    'tool-definitions',
    'tool-result',
  ])
  expect(exported).not.toContain(secret)
  expect(sdk.named('execute_tool')[0]?.attributes['gen_ai.tool.call.result']).toBe('"[tool-result]"')
})

test('nothing is put together for a run that is not sampled, or for a logger that takes nothing', async () => {
  const redact = vi.fn<Redact>((_kind, value) => value)
  const tracerProvider = new TracerProvider({ sampler: new AlwaysOffSampler() })
  const loggerProvider = { getLogger: () => createNoopLogger() }
  await playSecret({ content: 'spans', redact, tracerProvider })
  await playSecret({ content: 'events', redact, loggerProvider })
  expect(redact).not.toHaveBeenCalled()
})

test('long and odd content: bytes are counted, not read, and so is the padding of a file', () => {
  expect(fitText({ bytes: new Uint8Array(5_000_000) }, 100)).toBe('{"bytes":"[5000000 bytes]"}')
  const file = { type: 'file', mediaType: 'image/png', data: `${'='.repeat(400_000)}AA==` } as const
  expect(messagesOf([{ role: 'user', content: [file] }])).toMatchObject([{ parts: [{ byte_size: 300_001 }] }])
})

test.each([
  ['one text', { text: 'x'.repeat(10_000_000) }],
  ['many texts', Array.from({ length: 200_000 }, (_item, index) => `item ${index}`)],
  ['many members', Object.fromEntries(Array.from({ length: 100_000 }, (_item, index) => [`key ${index}`, index]))],
  ['escapes', { text: '\u0001"\\'.repeat(10_000) }],
  ['nothings, which take room too', Array.from({ length: 100_000 }, () => null)],
])('long and odd content: %s: is cut to what may be exported, and stays JSON', (_what, value) => {
  for (const most of [100, 1000, 65_536]) {
    const text = fitText(value, most)
    expect(text.length).toBeLessThanOrEqual(most)
    expect(() => void JSON.parse(text)).not.toThrow()
  }
  expect(fitText(value, 1000)).toMatch(/more/)
})

test('long and odd content: what fits is exported as it is', () => {
  const value = { a: [1, true, null, 'é東🗼'], b: { c: 'text' } }
  expect(JSON.parse(fitText(value, 1000))).toEqual(value)
})

test('long and odd content: a text is never cut within a code point, and lone surrogates are replaced', () => {
  for (let most = 40; most < 60; most++) expect(fitText('🗼'.repeat(200), most)).not.toMatch(/\\ud[89a-f]/)
  expect(fitText({ 'a\uD800': 'b\uDC00' }, 100)).toBe('{"a\uFFFD":"b\uFFFD"}')
})

test('long and odd content: what is no JSON, or goes on for ever, ends', () => {
  const endless: Record<string, unknown> = {}
  endless['self'] = endless
  const deep = JSON.parse('['.repeat(4000) + ']'.repeat(4000)) as unknown
  for (const value of [endless, deep, 10n, undefined, () => 1, new Date(0), new Date(Number.NaN), Number.NaN])
    expect(() => void JSON.parse(fitText(value, 2000))).not.toThrow()
})

test('long and odd content: 10 MB of arguments leave as little as may be, and the run goes on', async () => {
  const big = tool({ inputSchema: z.object({ text: z.string() }), execute: ({ text }) => text })
  const input = { text: 'y'.repeat(10_000_000) }
  const { sdk, loop } = loopOf([[{ ...call, toolName: 'big', input }], 'done'], {
    tools: { big },
    telemetry: { content: 'spans', maxLength: 500 },
  })
  expect((await loop.generate('x')).text).toBe('done')
  const lengths = sdk.spans.flatMap(({ attributes }) => Object.values(attributes).map((value) => String(value).length))
  expect(Math.max(...lengths)).toBeLessThanOrEqual(500)
})

test('long and odd content: hostile names of tools stay in their attribute', async () => {
  const names = ['a\nb', '\uD800', 'x'.repeat(5000), 'gen_ai.tool.name', '__proto__']
  const hostile = tool({ inputSchema: z.object({}), execute: () => 'ok' })
  const tools = Object.fromEntries(names.map((name) => [name, hostile]))
  const { sdk, loop } = loopOf([names.map((toolName) => ({ ...call, toolName })), 'done'], { tools })
  await loop.generate('x')
  const spans = sdk.named('execute_tool')
  expect(spans.map(({ attributes }) => attributes['gen_ai.tool.name'])).toEqual([
    'a\nb',
    '\uFFFD',
    `${'x'.repeat(256)}…`,
    'gen_ai.tool.name',
    '__proto__',
  ])
  const others = spans.flatMap(({ attributes }) => Object.keys(attributes))
  expect([...new Set(others)].toSorted()).toEqual([
    'gen_ai.conversation.id',
    'gen_ai.operation.name',
    'gen_ai.tool.call.id',
    'gen_ai.tool.name',
    'gen_ai.tool.type',
    'steploop.step',
  ])
})
