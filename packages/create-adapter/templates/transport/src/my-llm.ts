import {
  AdapterError,
  createToolCallAssembler,
  providerErrorFacts,
  toolOutputText,
  type Adapter,
  type Capabilities,
  type FinishReason,
  type JsonSchema,
  type Message,
  type Mode,
  type Part,
  type Settings,
  type Origin,
  type ToolOutput,
  type TurnContext,
  type TurnEvent,
  type TurnRequest,
  type Warning,
} from '@steploop/core/adapter'
import type { Connection, Question, Reply, Saying } from './connection.ts'

export type { Connection, Question, Reply, Saying }

/** What my-llm can do. Claim what holds and nothing else: the suite checks it. */
const capabilities: Capabilities = { tools: true, parallel: true, toolChoice: ['auto', 'none'], streamUsage: true }

/** Makes adapters for my-llm, over a connection of your choice: a socket, a pipe, a model in this process. */
export function createMyLlm({ connection }: { readonly connection: Connection }): (modelId: string) => Adapter {
  return (model) => {
    const origin: Origin = { provider: 'my-llm', model }
    return { ...origin, capabilities, turn: (request, context) => turn(connection, origin, request, context) }
  }
}

/** Exactly one request. Each batch of events is what one reply gave; what was yielded before an error stays valid. */
async function* turn(
  connection: Connection,
  origin: Origin,
  request: TurnRequest,
  { mode, signal }: TurnContext,
): AsyncGenerator<readonly TurnEvent[], undefined> {
  const warnings: Warning[] = []
  const question = encode(request, origin, warnings)
  const reader = createReader(origin, request, mode)
  yield [{ type: 'turn-start', warnings }]
  for await (const reply of connection.ask(question, signal)) {
    const out: TurnEvent[] = []
    reader.read(reply, out)
    if (out.length > 0) yield out
  }
  const out: TurnEvent[] = []
  reader.end(out)
  yield out
  return undefined
}

/** The words of my-llm for the end of an answer. Another one is `unknown`: it may be newer than this table. */
const finishReasons: Readonly<Record<string, FinishReason>> = {
  stop: 'stop',
  length: 'length',
  'content-filter': 'content-filter',
  guardrail: 'content-filter',
}

/** The settings that my-llm knows. The others are left out, and said so. */
const known: ReadonlySet<string> = new Set<keyof Settings>(['maxOutputTokens', 'temperature'])

function encode(request: TurnRequest, origin: Origin, warnings: Warning[]): Question {
  const { instructions, messages, tools = [], toolChoice = 'auto', settings = {}, providerOptions } = request
  for (const name of Object.keys(settings)) if (!known.has(name)) warnings.push(dropped(`settings.${name}`))
  if (toolChoice !== 'auto' && toolChoice !== 'none') warnings.push(dropped('toolChoice'))
  return {
    model: origin.model,
    instructions,
    sayings: messages.flatMap((message) => encodeMessage(message, origin, warnings)),
    tools: toolChoice === 'none' ? [] : tools.flatMap((tool) => (tool.type === 'function' ? [encodeTool(tool)] : [])),
    maxTokens: settings.maxOutputTokens,
    temperature: settings.temperature,
    options: providerOptions?.['my-llm'] ?? {},
  }
}

function dropped(path: string): Warning {
  return { type: 'dropped', path, message: `my-llm cannot do this: ${path}` }
}

function encodeTool(tool: {
  readonly name: string
  readonly description?: string | undefined
  readonly inputSchema: JsonSchema
}) {
  return { name: tool.name, description: tool.description, schema: tool.inputSchema }
}

function encodeMessage(message: Message, origin: Origin, warnings: Warning[]): readonly Saying[] {
  if (typeof message.content === 'string')
    return [{ by: message.role === 'user' ? 'user' : 'system', text: message.content }]
  const parts: readonly Part[] = message.content
  return parts.flatMap((part): readonly Saying[] => {
    switch (part.type) {
      case 'text':
        return [{ by: message.role === 'user' ? 'user' : 'model', text: part.text }]
      case 'tool-call':
        return [{ by: 'model', call: { id: part.toolCallId, name: part.toolName, argumentsText: part.inputText } }]
      case 'tool-result':
        return [{ by: 'tool', id: part.toolCallId, text: resultText(part.output, warnings) }]
      case 'file':
        // Without `imageInput` and `fileInput`, what cannot be sent is refused: an answer about a file that was not seen is worse.
        throw new AdapterError({ ...origin, code: 'unsupported', message: `my-llm takes no ${part.mediaType}` })
      case 'opaque':
      case 'reasoning':
      case 'refusal':
      default:
        // Reasoning, refusals and payloads of other providers do not go back.
        return []
    }
  })
}

/** A text stands in place of an image that a tool gave, and a warning says so. */
function resultText(output: ToolOutput, warnings: Warning[]): string {
  if (output.type !== 'content') return toolOutputText(output)
  const texts = output.value.map((part) => {
    if (part.type === 'text') return part.text
    warnings.push(dropped('tool.content[].output'))
    return `[${part.mediaType}, which cannot be shown]`
  })
  return texts.join('\n')
}

/** Replies become events. Calls go through the assembler, which tells them apart and parses their arguments. */
function createReader(origin: Origin, { turn: ordinal }: TurnRequest, mode: Mode) {
  let done: Extract<Reply, { type: 'done' }> | undefined
  let [parts, text] = [0, -1]
  const calls = createToolCallAssembler({ turn: ordinal, nextPart: () => parts++ })
  return {
    read(reply: Reply, out: TurnEvent[]): void {
      switch (reply.type) {
        case 'text':
          if (text < 0) out.push({ type: 'text-start', part: (text = parts++) })
          out.push({ type: 'text-delta', part: text, text: reply.text })
          return
        case 'call':
          calls.push({ index: calls.count, id: reply.id, name: reply.name, argumentsText: reply.argumentsText }, out)
          return
        case 'error': {
          const { kind, message, retryAfterMs } = reply
          throw new AdapterError({ ...origin, ...providerErrorFacts({ words: [kind], message, retryAfterMs }) })
        }
        case 'done':
          done = reply
          return
        default:
          reply satisfies never
      }
    },
    /** Unless my-llm said that it was done, this was no answer. */
    end(out: TurnEvent[]): void {
      if (done === undefined) {
        throw new AdapterError({ ...origin, code: mode === 'stream' ? 'incomplete-stream' : 'malformed-response' })
      }
      const cut = done.reason === 'length'
      if (text >= 0) out.push({ type: 'text-end', part: text })
      calls.end(out, cut)
      const reason = finishReasons[done.reason] ?? 'unknown'
      const finishReason = reason === 'stop' && calls.count > 0 ? 'tool-calls' : reason
      out.push({ type: 'turn-end', finishReason, rawFinishReason: done.reason, usage: done.usage })
    },
  }
}
