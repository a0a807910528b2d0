import {
  redactError,
  systemClock,
  type Adapter,
  type Capabilities,
  type Clock,
  type Origin,
  type TurnContext,
  type TurnEvent,
  type TurnRequest,
  type Warning,
} from '@steploop/core/adapter'
import { callOptions, type AiSdkModel } from './call-options.ts'
import { lowerToV3 } from './lower-to-v3.ts'
import { redactorOf } from './hide-secrets.ts'
import { createPartDecoder } from './part-decoder.ts'
import { resultParts } from './result-parts.ts'
import { toAdapterError } from './to-adapter-error.ts'

export interface FromLanguageModelOptions {
  /**
   * `Adapter.provider`: key of `providerOptions`, mark on `providerMetadata`. Default `ai-sdk-<name>`, where `<name>` is what stands before
   * the first dot of `model.provider`: `ai-sdk-openai` for `openai.responses`. Never the name of a native adapter: both could not read
   * each other's payloads.
   */
  readonly provider?: string | undefined
  /** Namespace of `providerOptions` in the AI SDK that the adapter's own options go to. Default: `<name>`. */
  readonly namespace?: string | undefined
  /** What is known of the model; replaces the defaults flag by flag. */
  readonly capabilities?: Capabilities | undefined
  /**
   * What to make of a stream that finishes as `other` without the provider's own word, as several packages report a connection that
   * was cut. `error` (default): the turn fails as `incomplete-stream`. `warning`: it completes with the warning `unproven-end`, for
   * servers that never say why they stop.
   */
  readonly unprovenEnd?: 'error' | 'warning' | undefined
  /**
   * Texts that no error may hold, such as the API key: providers echo keys, and the interface does not say with which one a model was made.
   * Values of credential headers of a request are always hidden. Default: none.
   */
  readonly secrets?: readonly string[] | undefined
}

/**
 * Makes an adapter of an AI SDK language model: one turn, no tool execution, no retry.
 *
 * Its turns throw `AdapterError` with the codes of native adapters, found from the status and the body that the model reports.
 */
export function fromLanguageModel(model: AiSdkModel, options: FromLanguageModelOptions = {}): Adapter {
  const name = model.provider.split('.')[0] || model.provider
  const bridge: Bridge = {
    model,
    namespace: options.namespace ?? name,
    origin: { provider: options.provider ?? `ai-sdk-${name}`, model: model.modelId },
    unprovenEnd: options.unprovenEnd ?? 'error',
    secrets: options.secrets ?? [],
  }
  return {
    ...bridge.origin,
    // Only Anthropic pauses turns; its packages report it by the raw finish reason.
    capabilities: { ...defaultCapabilities, pause: model.provider.includes('anthropic'), ...options.capabilities },
    turn: (request, context) => runTurn(bridge, request, context),
  }
}

/**
 * The interface does not say what a model can do. What a model cannot, it reports as a warning or refuses; only native JSON output is
 * not claimed, because a model that lacks it answers in prose: the loop's synthetic tool works with every model that has tools.
 */
const defaultCapabilities: Capabilities = {
  tools: true,
  parallel: true,
  toolChoice: ['auto', 'none', 'required', 'tool'],
  reasoning: true,
  reasoningReplay: true,
  providerTools: true,
  imageInput: true,
  fileInput: true,
  toolResultImages: true,
  streamUsage: true,
  cacheControl: true,
}

interface Bridge {
  readonly model: AiSdkModel
  readonly namespace: string
  readonly origin: Origin
  readonly unprovenEnd: 'error' | 'warning'
  readonly secrets: readonly string[]
}

async function* runTurn(
  bridge: Bridge,
  request: TurnRequest,
  context: TurnContext,
): AsyncGenerator<readonly TurnEvent[], undefined> {
  const outer = context.signal
  const controller = new AbortController()
  const forward = (): void => controller.abort(outer?.reason)
  let begun = false
  let complete = false
  try {
    outer?.throwIfAborted()
    outer?.addEventListener('abort', forward, { once: true })
    for await (const batch of turnEvents(bridge, request, { ...context, signal: controller.signal })) {
      begun = true
      complete = batch.at(-1)?.type === 'turn-end'
      yield batch
    }
  } catch (error) {
    const failure = toAdapterError(error, { origin: bridge.origin, signal: outer, mode: context.mode, begun })
    throw redactError(failure, redactorOf(bridge.secrets, request))
  } finally {
    outer?.removeEventListener('abort', forward)
    // A connection that ends in order can be used again.
    if (!complete) controller.abort(turnOver)
  }
  return undefined
}

/** Closes the connection of a turn that was left early. */
const turnOver = new Error('The turn is over.')

type BridgeContext = TurnContext & { readonly signal: AbortSignal }

async function* turnEvents(
  bridge: Bridge,
  request: TurnRequest,
  { mode, signal, clock = systemClock }: BridgeContext,
): AsyncGenerator<readonly TurnEvent[], undefined> {
  const { model, origin } = bridge
  const warnings: Warning[] = []
  const options = await callOptions(request, { model, namespace: bridge.namespace, origin, warnings, signal })
  const decoder = createPartDecoder({
    origin,
    warnings,
    // Anthropic's packages give every search result as a source, and cite apart from that; others have sources only.
    sourcesAreCited: !model.provider.includes('anthropic'),
    // OpenRouter's package gives encrypted reasoning of an answer without calls here only, and reads it from the message.
    keepsMetadata: bridge.namespace === 'openrouter',
    unprovenEnd: mode === 'stream' ? bridge.unprovenEnd : 'fine',
  })
  if (mode === 'generate') {
    const result = await racing(generate(model, options), signal)
    const out: TurnEvent[] = []
    for (const part of resultParts(result)) decoder.push(part, out)
    decoder.end(out)
    yield out
    return undefined
  }
  const { stream } = await racing(openStream(model, options), signal)
  yield* streamedTurn(stream, decoder, { signal, clock })
  return undefined
}

type Options = Awaited<ReturnType<typeof callOptions>>

/** Results of the third version differ from the fourth's in generated files only, which `resultParts` and the decoder both read. */
async function generate(model: AiSdkModel, options: Options): Promise<unknown> {
  return model.specificationVersion === 'v3' ? model.doGenerate(lowerToV3(options)) : model.doGenerate(options)
}

async function openStream(model: AiSdkModel, options: Options): Promise<{ stream: ReadableStream<unknown> }> {
  return model.specificationVersion === 'v3' ? model.doStream(lowerToV3(options)) : model.doStream(options)
}

/** The turn ends with the `finish` part: a package may keep its stream open for as long as the server its connection. */
async function* streamedTurn(
  stream: ReadableStream<unknown>,
  decoder: ReturnType<typeof createPartDecoder>,
  { signal, clock }: { readonly signal: AbortSignal; readonly clock: Clock },
): AsyncGenerator<readonly TurnEvent[], undefined> {
  const reader = stream.getReader()
  let over = false
  try {
    while (!over) {
      const { done, value } = await racing(reader.read(), signal)
      const out: TurnEvent[] = []
      const failure = attempt(() => {
        if (!done) decoder.push(value, out)
        over = done || decoder.finished()
        if (over) decoder.end(out)
      })
      // Whatever came before an error stays valid.
      if (out.length > 0) yield out
      if (failure !== undefined) throw failure.error
    }
    return undefined
  } finally {
    release(reader, over ? clock : undefined)
  }
}

/** How long a stream may take to end after its `finish` part. */
const closingMs = 100

/** Not awaited: a stream that does not react must not hold the turn. One that is about to end may do so in order. */
function release(reader: ReadableStreamDefaultReader<unknown>, clock: Clock | undefined): void {
  const cancel = (): void => {
    reader.cancel(turnOver).then(undefined, () => undefined)
  }
  if (clock === undefined) return cancel()
  const stop = clock.after(closingMs, cancel)
  const drain = (): Promise<void> => reader.read().then(({ done }) => (done ? stop() : drain()), stop)
  void drain()
}

function attempt(step: () => void): { readonly error: unknown } | undefined {
  try {
    step()
    return undefined
  } catch (error) {
    return { error }
  }
}

/** A model that ignores its signal does not hold the turn. */
async function racing<Value>(work: PromiseLike<Value>, signal: AbortSignal): Promise<Value> {
  signal.throwIfAborted()
  let stop: (() => void) | undefined
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
  })
  try {
    return await Promise.race([work, aborted])
  } finally {
    if (stop !== undefined) signal.removeEventListener('abort', stop)
  }
}
