import {
  AdapterError,
  defineHttpAdapter,
  objectOf,
  parseJson,
  providerErrorFacts,
  textOf,
  type Adapter,
  type Capabilities,
  type JsonObject,
  type Mode,
  type ProviderOptions,
  type Origin,
  type TurnDecoder,
  type TurnEvent,
  type TurnRequest,
  type Warning,
  type WireFormat,
} from '@steploop/core/adapter'

/** What my-llm can do. Claim what holds and nothing else: the suite checks it. */
const capabilities: Capabilities = {
  tools: true,
  parallel: true,
  toolChoice: ['auto', 'none'],
  streamUsage: true,
}

/** Makes adapters for my-llm. The key comes from `apiKey` or MY_LLM_API_KEY, read at the first turn. */
export function createMyLlm(options: ProviderOptions = {}): (modelId: string) => Adapter {
  return (model) =>
    defineHttpAdapter(myLlmChat({ provider: 'my-llm', model }), {
      ...options,
      provider: 'my-llm',
      model,
      apiKeyVariable: 'MY_LLM_API_KEY',
      baseURL: options.baseURL ?? 'https://api.example.com',
      capabilities,
    })
}

/** The default instance: `myLlm('example-model')`. */
export const myLlm: (modelId: string) => Adapter = createMyLlm()

/** The wire format, as pure functions. The example cassettes hold what my-llm takes and says: see cassettes/single-call.stream.yaml. */
function myLlmChat(origin: Origin): WireFormat {
  return {
    name: 'my-llm-chat',
    // One JSON object per line. Others: 'sse', or a function that cuts bytes into frames.
    framing: 'ndjson',
    encode(request, mode) {
      const warnings: Warning[] = []
      const body = encodeBody(request, { origin, mode, warnings })
      return { path: '/api/chat', body: JSON.stringify(body), warnings }
    },
    createDecoder: (request) => createDecoder(origin, request),
    decode(json, request, out) {
      const decoder = createDecoder(origin, request)
      decoder.read(json, out)
      decoder.end(out)
    },
    decodeError: (status, headers, text) => providerErrorFacts({ status, headers, message: errorText(text) }),
  }
}

function errorText(text: string): string | undefined {
  try {
    return textOf(objectOf(JSON.parse(text))['error'])
  } catch {
    return undefined // no JSON: the page of a proxy in front of the server
  }
}

interface EncodeContext {
  readonly origin: Origin
  readonly mode: Mode
  /** Whatever the server cannot be told goes in here: nothing is dropped in silence. */
  readonly warnings: Warning[]
}

/**
 * FILL IN: the body of the request. What is missing: `instructions`, `messages` with calls and results, `tools`, `toolChoice`, `settings`,
 * and `providerOptions['my-llm']`.
 */
function encodeBody(request: TurnRequest, { origin, mode }: EncodeContext): JsonObject {
  return { model: origin.model, stream: mode === 'stream', messages: request.messages.slice(0, 0) }
}

interface MyLlmDecoder extends TurnDecoder {
  read(json: unknown, out: TurnEvent[]): void
}

/**
 * FILL IN: reads one line of a stream, or the whole answer of a request that does not stream. What is missing: text, calls (through
 * `createToolCallAssembler`), an error inside of a 200, and at the end the finish reason and usage. A server that keeps the connection open
 * after its answer wants a `progress` beside `end` (`TurnDecoder`).
 */
function createDecoder(origin: Origin, request: TurnRequest): MyLlmDecoder {
  let hasBegun = false

  function read(json: unknown, out: TurnEvent[]): void {
    const line = objectOf(json)
    if (!hasBegun) out.push({ type: 'turn-start', model: textOf(line['model']) })
    hasBegun = true
  }

  return {
    read,
    push: (frame, out) => read(parseJson(frame.data, origin), out),
    /** The bytes are over. Unless the provider said that it was done, this was no answer. */
    end() {
      const message = `the answer to turn ${request.turn} is not read yet: fill in \`createDecoder\``
      throw new AdapterError({ ...origin, code: 'incomplete-stream', message })
    },
  }
}
