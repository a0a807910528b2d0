import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from '@ai-sdk/provider'
import {
  collectTurn,
  type Adapter,
  type Mode,
  type Turn,
  type TurnEvent,
  type TurnRequest,
} from '@steploop/core/adapter'

export const noUsage: LanguageModelV4Usage = {
  inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
}

export function finish(
  unified: 'stop' | 'length' | 'tool-calls' | 'interrupted' | 'other' | 'content-filter' = 'stop',
  raw?: string,
): LanguageModelV4StreamPart {
  return { type: 'finish', finishReason: { unified, raw }, usage: noUsage }
}

export interface FakeModel extends LanguageModelV4 {
  /** What it was called with, in order. */
  readonly calls: LanguageModelV4CallOptions[]
  /** True once a stream of it was closed before its end. */
  cancelled(): boolean
}

/** Models may throw anything. */
async function failWith(error: unknown): Promise<never> {
  const reason: unknown = error
  throw reason
}

interface Script {
  readonly parts?: readonly LanguageModelV4StreamPart[] | undefined
  readonly result?: Partial<LanguageModelV4GenerateResult> | undefined
  /** Thrown by the call. */
  readonly error?: unknown
  /** Thrown by the stream after its parts. */
  readonly broken?: unknown
  /** After its parts the stream says no more, whatever the signal does. */
  readonly hangs?: boolean | undefined
  readonly provider?: string | undefined
}

/** A model of version four that plays one answer. */
export function fakeModel(script: Script): FakeModel {
  const calls: LanguageModelV4CallOptions[] = []
  let cancelled = false
  const answer = async (options: LanguageModelV4CallOptions): Promise<void> => {
    calls.push(options)
    if (script.error !== undefined) await failWith(script.error)
  }
  return {
    calls,
    cancelled: () => cancelled,
    specificationVersion: 'v4',
    provider: script.provider ?? 'fake.chat',
    modelId: 'fake-1',
    supportedUrls: { 'image/*': [/^https:\/\/pictures\.example\.com\//] },
    async doGenerate(options) {
      await answer(options)
      const finishReason = { unified: 'stop' as const, raw: undefined }
      return { content: [], finishReason, usage: noUsage, warnings: [], ...script.result }
    },
    async doStream(options) {
      await answer(options)
      const parts = script.parts ?? [finish()]
      let next = 0
      const stream = new ReadableStream<LanguageModelV4StreamPart>({
        async pull(controller) {
          const part = parts[next++]
          if (part !== undefined) controller.enqueue(part)
          else if (script.hangs) await new Promise(() => undefined)
          else if (script.broken !== undefined) controller.error(script.broken)
          else controller.close()
        },
        cancel: () => void (cancelled = true),
      })
      return { stream }
    },
  }
}

const hello: TurnRequest = { messages: [{ role: 'user', content: 'Hello.' }], turn: 0 }

export interface Run {
  readonly events: TurnEvent[]
  readonly error: unknown
}

/** All events of one turn, and what it threw. */
export async function runTurn(
  adapter: Adapter,
  { mode = 'stream', request = hello, signal }: { mode?: Mode; request?: TurnRequest; signal?: AbortSignal } = {},
): Promise<Run> {
  const events: TurnEvent[] = []
  try {
    for await (const batch of adapter.turn(request, { mode, signal })) events.push(...batch)
    return { events, error: undefined }
  } catch (error) {
    return { events, error }
  }
}

export async function fold(adapter: Adapter, mode: Mode = 'stream', request: TurnRequest = hello): Promise<Turn> {
  return collectTurn(adapter.turn(request, { mode }), adapter)
}
