import {
  AdapterError,
  arrayOf,
  createToolCallAssembler,
  defineHttpAdapter,
  moreTools,
  numberOf,
  objectOf,
  parseJson,
  providerErrorFacts,
  textOf,
  toolOutputText,
  type Adapter,
  type CallFragment,
  type Capabilities,
  type FinishReason,
  type JsonObject,
  type Message,
  type Mode,
  type Origin,
  type ProviderOptions,
  type ToolDefinition,
  type ToolOutput,
  type TurnDecoder,
  type TurnEvent,
  type TurnRequest,
  type Warning,
  type WireFormat,
} from '@steploop/core/adapter'
import { framingOf } from './framing.ts'

/** What my-llm can do. Claim what holds and nothing else: the suite checks it. */
const capabilities: Capabilities = { tools: true, parallel: true, streamUsage: true }

/** Makes adapters for my-llm. The key comes from `apiKey` or MY_LLM_API_KEY, read at the first turn. */
export function createMyLlm(options: ProviderOptions = {}): (modelId: string) => Adapter {
  return (model) =>
    defineHttpAdapter(myLlmItems({ provider: 'my-llm', model }), {
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

/**
 * The wire format, as pure functions. CHANGE it to yours; as it is, a request holds a list of items (`user`, `model`, `call`, `result`), and an
 * answer is a list of pieces (`text`, `call`, and at the end `end`, or `error`), each in a frame of its own where it streams.
 */
function myLlmItems(origin: Origin): WireFormat {
  return {
    name: 'my-llm-items',
    framing: framingOf(origin),
    encode(request, mode) {
      const warnings: Warning[] = []
      const body = encodeBody(request, { origin, mode, warnings })
      return { path: '/v1/turns', body: JSON.stringify(body), warnings }
    },
    createDecoder: (request) => createDecoder(origin, request),
    decode(json, request, out) {
      const decoder = createDecoder(origin, request)
      for (const piece of arrayOf(objectOf(json)['pieces'])) decoder.read(piece, out)
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

function dropped(path: string): Warning {
  return { type: 'dropped', path, message: `my-llm cannot be told this: ${path}` }
}

function encodeBody(request: TurnRequest, context: EncodeContext): JsonObject {
  const { settings = {}, toolChoice = 'auto' } = request
  const { maxOutputTokens, temperature, ...others } = settings
  for (const name of Object.keys(others)) context.warnings.push(dropped(`settings.${name}`))
  if (toolChoice !== 'auto') context.warnings.push(dropped('toolChoice'))
  const { tools: more, ...options } = objectOf(request.providerOptions?.['my-llm'])
  const tools = [
    ...(request.tools ?? []).flatMap((tool, index) => encodeTool(tool, index, context)),
    ...moreTools({ tools: more }, (warning) => context.warnings.push(warning)),
  ]
  return {
    model: context.origin.model,
    stream: context.mode === 'stream',
    system: request.instructions,
    items: request.messages.flatMap((message) => encodeMessage(message, context)),
    ...(tools.length > 0 && { tools }),
    max_tokens: maxOutputTokens,
    temperature,
    ...options,
  }
}

function encodeTool(tool: ToolDefinition, index: number, { warnings }: EncodeContext): readonly JsonObject[] {
  if (tool.type === 'provider') {
    if (tool.provider === 'my-llm') return [tool.definition]
    warnings.push(dropped(`tools[${index}]`))
    return []
  }
  if (tool.strict) warnings.push(dropped(`tools[${index}].strict`))
  const { name, description, inputSchema: schema } = tool
  return [{ ...tool.providerOptions?.['my-llm'], name, description, schema }]
}

function encodeMessage(message: Message, { origin, warnings }: EncodeContext): readonly JsonObject[] {
  if (message.role === 'system') return [{ type: 'system', text: message.content }]
  if (message.role === 'tool') {
    return message.content.map(({ toolCallId: id, output }) => ({
      type: 'result',
      id,
      text: resultText(output, warnings),
    }))
  }
  if (typeof message.content === 'string') return [{ type: 'user', text: message.content }]
  const items: JsonObject[] = []
  for (const part of message.content) {
    if (part.type === 'text') {
      items.push({ type: message.role === 'user' ? 'user' : 'model', text: part.text })
    } else if (part.type === 'tool-call' && part.owner !== 'provider') {
      // A call whose arguments were no object goes out without them.
      if (part.invalid) warnings.push(dropped('assistant.content[].input'))
      items.push({ type: 'call', id: part.toolCallId, name: part.toolName, input: objectOf(part.input) })
    } else if (part.type === 'file' && message.role === 'user') {
      // An answer to a question without its picture would be wrong, so this is an error and no warning.
      throw new AdapterError({ ...origin, code: 'unsupported', message: `my-llm takes no ${part.mediaType}` })
    } else {
      // Thoughts, refusals, and what a provider ran itself.
      warnings.push(dropped(`assistant.content[].${part.type}`))
    }
  }
  return items
}

function resultText(output: ToolOutput, warnings: Warning[]): string {
  if (output.type !== 'content') return toolOutputText(output)
  const texts = output.value.map((part) => {
    if (part.type === 'text') return part.text
    warnings.push(dropped('tool.content[].output'))
    return `[${part.mediaType}, which cannot be shown]`
  })
  return texts.join('\n')
}

/** Calls decide, whatever the server says: many say `stop` beside calls. A word not known yet is `unknown`. */
function finishReasonOf(raw: string | undefined, hasCalls: boolean): FinishReason {
  if (raw === 'length' || raw === 'content-filter') return raw
  if (raw === 'guardrail') return 'content-filter'
  if (hasCalls) return 'tool-calls'
  return raw === 'stop' ? 'stop' : 'unknown'
}

/** Each call comes whole. Where they come in fragments, the index says which call one belongs to. */
function callOf({ id, name, input }: JsonObject, index: number): CallFragment {
  return { index, id: textOf(id), name: textOf(name), argumentsText: JSON.stringify(input) }
}

interface MyLlmDecoder extends TurnDecoder {
  read(json: unknown, out: TurnEvent[]): void
}

/** Reads the pieces of an answer. Events go into `out`; they are numbered by the parts of the turn, in the order in which these begin. */
function createDecoder(origin: Origin, request: TurnRequest): MyLlmDecoder {
  let hasBegun = false
  let nextPart = 0
  let textPart: number | undefined
  let last: JsonObject | undefined
  const calls = createToolCallAssembler({ turn: request.turn, nextPart: () => nextPart++ })

  function closeText(out: TurnEvent[]): void {
    if (textPart !== undefined) out.push({ type: 'text-end', part: textPart })
    textPart = undefined
  }

  function read(json: unknown, out: TurnEvent[]): void {
    const piece = objectOf(json)
    if (!hasBegun) out.push({ type: 'turn-start' })
    hasBegun = true
    const text = textOf(piece['text'])
    switch (piece['type']) {
      case 'text':
        if (!text) return
        if (textPart === undefined) out.push({ type: 'text-start', part: (textPart = nextPart++) })
        out.push({ type: 'text-delta', part: textPart, text })
        return
      case 'call':
        closeText(out)
        calls.push(callOf(piece, calls.count), out)
        return
      case 'error':
        throw new AdapterError({ ...origin, code: 'server-error', providerMessage: text })
      case 'end':
        last = piece
    }
  }

  return {
    read,
    push: (frame, out) => read(parseJson(frame.data, origin), out),
    /** Whether the answer is whole: after that, core does not wait for the connection to close. */
    progress: () => (last === undefined ? 'open' : 'done'),
    /** The bytes are over. Unless the server said that it was done, this was no answer. */
    end(out) {
      if (last === undefined) throw new AdapterError({ ...origin, code: 'incomplete-stream' })
      const rawFinishReason = textOf(last['reason'])
      closeText(out)
      calls.end(out, rawFinishReason === 'length')
      const usage = {
        inputTokens: numberOf(last['input_tokens']),
        cachedInputTokens: numberOf(last['cached_tokens']),
        outputTokens: numberOf(last['output_tokens']),
      }
      out.push({
        type: 'turn-end',
        finishReason: finishReasonOf(rawFinishReason, calls.count > 0),
        rawFinishReason,
        usage,
      })
    },
  }
}
