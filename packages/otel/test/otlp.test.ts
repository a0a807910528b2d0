import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { resolve } from 'node:path'
import { context } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { StepLoop, tool } from '@steploop/core'
import { scriptedAdapter } from '@steploop/core/testing'
import { telemetry } from '@steploop/otel'
import { afterAll, expect, test } from 'vitest'
import { z } from 'zod'

context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
const receiver = start('receiver.ts')
const [printed] = (await once(receiver.stdout!, 'data')) as [Buffer]
const url = `http://127.0.0.1:${printed.toString().trim()}`
afterAll(() => {
  receiver.kill()
  context.disable()
})

function start(file: string, ...given: readonly string[]): ChildProcess {
  const path = resolve(import.meta.dirname, 'processes', file)
  return spawn(process.execPath, ['--conditions=@steploop/source', path, ...given], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
}

type Value = { readonly [kind: string]: unknown }

interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly attributes: readonly { readonly key: string; readonly value: Value }[]
  readonly status?: { readonly code?: number }
}

interface Scope {
  readonly schemaUrl?: string
  readonly scope: { readonly name: string }
}

interface Request {
  readonly path: string
  readonly type: string
  readonly body: {
    readonly resourceSpans?: readonly {
      readonly scopeSpans: readonly (Scope & { readonly spans: readonly Span[] })[]
    }[]
    readonly resourceMetrics?: readonly {
      readonly scopeMetrics: readonly (Scope & { readonly metrics: readonly { readonly name: string }[] })[]
    }[]
  }
}

async function received(): Promise<readonly Request[]> {
  return (await (await fetch(url)).json()) as Request[]
}

const scopesIn = (requests: readonly Request[]) =>
  requests.flatMap(({ body }) => (body.resourceSpans ?? []).flatMap(({ scopeSpans }) => scopeSpans))

/** What a backend makes of the spans: a line each, below its parent, with all that it knows of them. */
function treeOf(spans: readonly Span[], parent?: string, depth = 0): readonly string[] {
  return spans
    .filter(({ parentSpanId }) => (parentSpanId || undefined) === parent)
    .flatMap((span) => {
      const known = span.attributes.map(({ key, value }) => `${key}=${JSON.stringify(plain(value))}`).toSorted()
      const line = `${'  '.repeat(depth)}${span.name} ${span.kind} ${span.status?.code ?? 0} ${known.join(' ')}`
      return [line, ...treeOf(spans, span.spanId, depth + 1)]
    })
}

/** 64 bits are texts, or numbers: JSON leaves it open. */
function plain({ intValue, arrayValue, ...other }: Value): unknown {
  if (intValue !== undefined) return Number(intValue)
  if (arrayValue !== undefined) return (arrayValue as { values: Value[] }).values.map(plain)
  return Object.values(other)[0]
}

const look = tool({ inputSchema: z.object({ at: z.string() }), execute: ({ at }) => `${at} 東京 🗼` })

async function sendRun(exporter: JsonExporter | ProtobufExporter): Promise<readonly Span[]> {
  const before = (await received()).length
  const provider = new TracerProvider({ spanProcessors: [new BatchSpanProcessor({ exporter })] })
  const usage = { inputTokens: 2 ** 40, outputTokens: 3 }
  const call = { type: 'call', toolName: 'look', input: { at: 'é"\\' } } as const
  const loop = new StepLoop({
    model: scriptedAdapter([{ parts: [call], usage }, 'done']),
    tools: { look },
    temperature: 0.5,
    stopSequences: ['end'],
    generateId: () => 'chat',
    policies: [telemetry({ tracerProvider: provider, agent: { name: 'Zoë\uD800' }, content: 'spans' })],
  })
  await loop.generate('How are you?')
  await provider.forceFlush()
  const scopes = scopesIn((await received()).slice(before))
  await provider.shutdown()
  expect(new Set(scopes.map(({ scope }) => scope.name))).toEqual(new Set(['@steploop/otel']))
  expect(new Set(scopes.map(({ schemaUrl }) => schemaUrl))).toEqual(
    new Set(['https://opentelemetry.io/schemas/gen-ai-dev/1.42.0-dev']),
  )
  return scopes.flatMap(({ spans }) => spans)
}

test('a run arrives in another process, as JSON and as protobuf, as the same tree', async () => {
  const json = await sendRun(new JsonExporter({ url: `${url}/v1/traces` }))
  const protobuf = await sendRun(new ProtobufExporter({ url: `${url}/v1/traces` }))
  const types = (await received()).map(({ type }) => type)
  expect([...new Set(types)].toSorted()).toEqual(['application/json', 'application/x-protobuf'])
  const tree = treeOf(json)
  expect(tree.map((line) => line.split(' gen_ai')[0])).toEqual([
    'invoke_agent Zoë\uFFFD 1 0',
    '  chat scripted-1 3 0',
    '  execute_tool look 1 0',
    '  chat scripted-1 3 0',
  ])
  expect(tree[1]).toContain(`gen_ai.usage.input_tokens=${2 ** 40}`)
  expect(tree[2]).toContain('東京 🗼')
  expect(treeOf(protobuf)).toEqual(tree)
  expect(new Set(json.map(({ traceId }) => traceId)).size).toBe(1)
  expect(json[0]?.traceId).toMatch(/^[0-9a-f]{32}$/)
  expect(protobuf[0]?.traceId).toMatch(/^[0-9a-f]{32}$/)
})

test(
  'with the whole SDK: requests of `node:http` hang below the request to the model and below the call',
  { timeout: 30_000 },
  async () => {
    const before = (await received()).length
    const page: Server = createServer((_request, response) => response.end('ok')).listen(0, '127.0.0.1')
    await once(page, 'listening')
    const address = page.address()
    const port = typeof address === 'object' ? address?.port : undefined
    const app = start('traced-app.ts', url, `http://127.0.0.1:${port}`)
    const [code] = (await once(app, 'exit')) as [number]
    page.close()
    expect(code).toBe(0)
    const requests = (await received()).slice(before)
    const spans = scopesIn(requests).flatMap((scope) => scope.spans)
    expect(treeOf(spans).map((line) => line.replace(/ \d \d .*/, ''))).toEqual([
      'invoke_agent app',
      '  chat scripted-1',
      '    GET',
      '  execute_tool fetch',
      '    GET',
      '  chat scripted-1',
      '    GET',
    ])
    const metrics = requests.flatMap(({ body }) =>
      (body.resourceMetrics ?? []).flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics)),
    )
    expect(metrics.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'gen_ai.client.inference.duration',
        'gen_ai.invoke_agent.duration',
        'gen_ai.execute_tool.duration',
      ]),
    )
  },
)
