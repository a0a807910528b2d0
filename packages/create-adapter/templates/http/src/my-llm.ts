import {
  AdapterError,
  defineHttpAdapter,
  objectOf,
  parseJson,
  providerErrorFacts,
  textOf,
  type Adapter,
  type Capabilities,
  type Mode,
  type ProviderOptions,
  type Stamp,
  type TurnEvent,
  type TurnRequest,
  type Warning,
  type WireFormat,
} from '@steploop/core'

/** What my-llm can do. Claim what holds and nothing else: the suite checks it. */
const capabilities: Capabilities = { tools: true, parallel: true, toolChoice: ['auto', 'none'], streamUsage: true }

/** Makes adapters for my-llm. The key comes from `apiKey` or MY_LLM_API_KEY, read at the first turn. */
export function createMyLlm(options: ProviderOptions = {}): (modelId: string) => Adapter {
  const { baseURL = 'https://api.example.com', ...rest } = options
  const fixed = { provider: 'my-llm', apiKeyVariable: 'MY_LLM_API_KEY', baseURL, capabilities }
  return (model) => defineHttpAdapter(myLlmChat({ provider: 'my-llm', model }), { ...rest, ...fixed, model })
}

/** The default instance: `myLlm('example-model')`. */
export const myLlm: (modelId: string) => Adapter = createMyLlm()

/** The wire format, as pure functions. The example cassettes hold what my-llm takes and says: see cassettes/single-call.stream.yaml. */
function myLlmChat(stamp: Stamp): WireFormat {
  return {
    name: 'my-llm-chat',
    // One JSON object per line. Others: 'sse', or a function that cuts bytes into frames.
    framing: 'ndjson',
    encode(request, mode) {
      const warnings: Warning[] = []
      return { path: '/api/chat', body: JSON.stringify(encode(request, { stamp, mode, warnings })), warnings }
    },
    createDecoder(request) {
      const { read, end } = createReader(stamp, request)
      return { push: ({ data }, out) => read(parseJson(data, stamp), out), end }
    },
    decode(json, request, out) {
      const { read, end } = createReader(stamp, request)
      read(json, out)
      end(out)
    },
    decodeError: (status, headers, text) => providerErrorFacts({ status, headers, message: errorText(text) }),
  }
}

/** `undefined` for the page of a proxy in front of the server. */
function errorText(text: string): string | undefined {
  return text.startsWith('{') ? textOf(objectOf(JSON.parse(text))['error']) : undefined
}

interface EncodeContext {
  readonly stamp: Stamp
  readonly mode: Mode
  /** Whatever is left out or changed goes in here: nothing is dropped in silence. */
  readonly warnings: Warning[]
}

/**
 * FILL IN: the body of the request. What is missing: `instructions`, `messages` with calls and results, `tools`, `toolChoice`, `settings`,
 * and `providerOptions['my-llm']`.
 */
function encode(request: TurnRequest, { stamp, mode }: EncodeContext): unknown {
  return { model: stamp.model, stream: mode === 'stream', messages: request.messages.slice(0, 0) }
}

interface Reader {
  readonly read: (json: unknown, out: TurnEvent[]) => void
  readonly end: (out: TurnEvent[]) => void
}

/**
 * FILL IN: reads one line of a stream, or the whole answer of a request that does not stream. What is missing: text, calls (through
 * `createToolCallAssembler`), an error inside of a 200, and at the end the finish reason and usage. A server that keeps the connection open
 * after its answer wants a `progress` beside `end` (`TurnDecoder`).
 */
function createReader(stamp: Stamp, request: TurnRequest): Reader {
  let begun = false
  return {
    read(json, out) {
      const line = objectOf(json)
      if (!begun) out.push({ type: 'turn-start', model: textOf(line['model']) })
      begun = true
    },
    /** The bytes are over. Unless the provider said that it was done, this was no answer. */
    end() {
      const message = `the answer to turn ${request.turn} is not read yet: fill in \`createReader\``
      throw new AdapterError({ ...stamp, code: 'incomplete-stream', message })
    },
  }
}
