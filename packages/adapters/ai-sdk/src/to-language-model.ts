import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
  LanguageModelV4StreamResult,
} from '@ai-sdk/provider'
import type { Adapter, Mode, TurnEvent, Warning } from '@steploop/core/adapter'
import { toCallError } from './call-error.ts'
import { createStreamEncoder } from './stream-encoder.ts'
import { resultOf } from './generate-result.ts'
import { turnRequest } from './turn-request.ts'

/**
 * Makes an AI SDK language model (version four) of an adapter, for `generateText`, `streamText` and whatever else takes one.
 *
 * What only the provider understands (signatures, encrypted items) rides in `providerMetadata.steploop` and returns with the messages.
 * `providerOptions[adapter.provider]` are the adapter's own. Tools of the provider are given as
 * `{ type: 'provider', id: 'steploop.<name>', name, args: <definition> }`.
 *
 * Failures are thrown as errors that the AI SDK takes for its own `APICallError`, so that it retries what can be retried; `cause` is the
 * `AdapterError`. An error amid a stream comes as an `error` part.
 */
export function toLanguageModel(adapter: Adapter): LanguageModelV4 {
  return {
    specificationVersion: 'v4',
    provider: adapter.provider,
    modelId: adapter.model,
    // None is promised, so that the caller loads files and hands over their data, which every adapter with files takes.
    supportedUrls: {},
    doGenerate: (options) => generate(adapter, options),
    doStream: (options) => stream(adapter, options),
  }
}

async function generate(adapter: Adapter, options: LanguageModelV4CallOptions): Promise<LanguageModelV4GenerateResult> {
  try {
    const { events, warnings } = begin(adapter, options, 'generate')
    return await resultOf(adapter, events, warnings)
  } catch (error) {
    throw toCallError(error, options)
  }
}

async function stream(adapter: Adapter, options: LanguageModelV4CallOptions): Promise<LanguageModelV4StreamResult> {
  try {
    const { events, warnings } = begin(adapter, options, 'stream')
    const iterator = events[Symbol.asyncIterator]()
    const encoder = createStreamEncoder(adapter, warnings)
    // Awaited here, so that a refused request fails the call, which is tried again, and not the stream, which is not.
    const first = await iterator.next()
    return { stream: streamOf({ iterator, first, encoder, options }) }
  } catch (error) {
    throw toCallError(error, options)
  }
}

interface Begun {
  readonly events: AsyncIterable<readonly TurnEvent[]>
  /** What could not be taken over from the call. */
  readonly warnings: readonly Warning[]
}

function begin(adapter: Adapter, options: LanguageModelV4CallOptions, mode: Mode): Begun {
  const warnings: Warning[] = []
  const request = turnRequest(options, adapter, { mode, warnings })
  return { events: adapter.turn(request, { mode, signal: options.abortSignal }), warnings }
}

interface Source {
  readonly iterator: AsyncIterator<readonly TurnEvent[]>
  readonly first: IteratorResult<readonly TurnEvent[], unknown>
  readonly encoder: ReturnType<typeof createStreamEncoder>
  readonly options: LanguageModelV4CallOptions
}

function streamOf({ iterator, first, encoder, options }: Source): ReadableStream<LanguageModelV4StreamPart> {
  let next: IteratorResult<readonly TurnEvent[], unknown> | undefined = first
  return new ReadableStream({
    async pull(controller) {
      const out: LanguageModelV4StreamPart[] = []
      let done = false
      try {
        // A batch may mean nothing to the AI SDK; a pull that gives nothing would be the last.
        while (!done && out.length === 0) {
          const result = next ?? (await iterator.next())
          next = undefined
          done = result.done === true
          if (!result.done) encoder.push(result.value, out)
        }
      } catch (error) {
        done = true
        encoder.fail(toCallError(error, options), out)
      }
      for (const part of out) controller.enqueue(part)
      if (done) controller.close()
    },
    async cancel() {
      await iterator.return?.()
    },
  })
}
