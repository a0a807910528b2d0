import {
  AdapterError,
  createToolCallAssembler,
  defineHttpAdapter,
  isObject,
  numberOf,
  objectOf,
  arrayOf,
  ownMetadata,
  parseJson,
  providerErrorFacts,
  textOf,
  type Adapter,
  type AssistantMessage,
  type Message,
  type TurnEvent,
  type TurnRequest,
  type WireFormat,
} from '@steploop/core/adapter'
import { defineSubject, type Subject, type SubjectAdapterOptions } from '@steploop/conformance'
import type { ExpectedTurn } from './answer-key.ts'

/** A small but right adapter for a piece of Chat Completions: what the broken ones of the tests are made from. */
export function chatAdapter(options: SubjectAdapterOptions, wire: WireFormat = chatWire()): Adapter {
  const { fetch, apiKey, model = 'chat-model' } = options
  const baseURL = 'https://chat.example.com/v1'
  return defineHttpAdapter(wire, { provider: 'stub', model, capabilities: {}, baseURL, apiKey, fetch })
}

/** A subject made of `chatAdapter`; `spoil` breaks it. */
export function chatSubject(spoil: (adapter: Adapter) => Adapter = (adapter) => adapter): Subject {
  return defineSubject({
    name: 'stub',
    wire: 'openai-chat',
    model: 'chat-model',
    baseURL: 'https://chat.example.com/v1',
    adapter: (options) => spoil(chatAdapter(options)),
    cassettes: 'cassettes/stub',
  })
}

/** An adapter whose batches go through `change`. */
export function withEvents(adapter: Adapter, change: (batch: readonly TurnEvent[]) => readonly TurnEvent[]): Adapter {
  return {
    ...adapter,
    async *turn(request, context) {
      for await (const batch of adapter.turn(request, context)) yield change(batch)
    },
  }
}

const origin = { provider: 'stub', model: 'chat-model' }

export function chatWire(): WireFormat {
  return {
    name: 'openai-chat',
    framing: 'sse',
    encode: (request) => ({
      path: '/chat/completions',
      body: JSON.stringify({ messages: request.messages.flatMap(encodeMessage) }),
      warnings: [],
    }),
    decode(json, request, out) {
      const turn = createChatTurn(request)
      turn.chunk(objectOf(json), 'message', out)
      turn.end(out)
    },
    createDecoder(request) {
      const turn = createChatTurn(request)
      return {
        push(frame, out) {
          if (frame.data === '[DONE]') return turn.done()
          turn.chunk(objectOf(parseJson(frame.data, origin)), 'delta', out)
        },
        end: (out) => turn.end(out),
      }
    },
    decodeError(status, headers, text) {
      const error = objectOf(objectOf(JSON.parse(text))['error'])
      return providerErrorFacts({ status, headers, words: [error['code']], message: textOf(error['message']) })
    },
  }
}

function encodeMessage(message: Message): readonly unknown[] {
  if (message.role === 'tool') {
    return message.content.map((part) => ({ role: 'tool', tool_call_id: part.toolCallId, content: 'Done.' }))
  }
  if (message.role !== 'assistant') return [{ role: message.role, content: message.content }]
  return [{ role: 'assistant', ...encodeAssistant(message) }]
}

function encodeAssistant(message: AssistantMessage): object {
  const calls = message.content.filter((part) => part.type === 'tool-call')
  const signatures = message.content.map((part) => ('providerMetadata' in part ? ownMetadata(part, 'stub') : undefined))
  return {
    reasoning_details: signatures.filter(isObject),
    tool_calls: calls.map((part) => ({ id: part.toolCallId, name: part.toolName, arguments: part.inputText })),
  }
}

interface ChatTurn {
  chunk(json: Readonly<Record<string, unknown>>, member: 'delta' | 'message', out: TurnEvent[]): void
  done(): void
  end(out: TurnEvent[]): void
}

function createChatTurn(request: TurnRequest): ChatTurn {
  let parts = 0
  let started = false
  let finish: string | undefined
  let proven = false
  let ids: { responseId: string | undefined; model: string | undefined } | undefined
  let usage: Readonly<Record<string, unknown>> = {}
  const slots = new Map<string, number>()
  const assembler = createToolCallAssembler({ turn: request.turn, nextPart: () => parts++ })
  const slot = (name: string): number => {
    const part = slots.get(name) ?? parts++
    slots.set(name, part)
    return part
  }
  return {
    chunk(json, member, out) {
      if (isObject(json['error'])) {
        const { code, message } = json['error']
        throw new AdapterError({ ...origin, ...providerErrorFacts({ words: [code], message: textOf(message) }) })
      }
      ids ??= { responseId: textOf(json['id']), model: textOf(json['model']) }
      if (!started) out.push({ type: 'turn-start', ...ids })
      started = true
      if (isObject(json['usage'])) usage = json['usage']
      const choice = objectOf(arrayOf(json['choices'])[0])
      const delta = objectOf(choice[member])
      pushReasoning(delta, slot, out)
      const text = textOf(delta['content'])
      if (text !== undefined) out.push({ type: 'text-delta', part: slot('text'), text })
      for (const call of arrayOf(delta['tool_calls']).map(objectOf)) {
        const { name, arguments: argumentsText } = objectOf(call['function'])
        const fragment = { name: textOf(name), argumentsText: textOf(argumentsText) }
        assembler.push({ index: numberOf(call['index']), id: textOf(call['id']), ...fragment }, out)
      }
      finish = textOf(choice['finish_reason']) ?? finish
      proven ||= finish !== undefined
    },
    done: () => void (proven = true),
    end(out) {
      if (!proven) throw new AdapterError({ ...origin, code: 'incomplete-stream' })
      assembler.end(out, false)
      out.push({
        type: 'turn-end',
        finishReason: assembler.count > 0 ? 'tool-calls' : 'stop',
        rawFinishReason: finish,
        usage: {
          inputTokens: numberOf(usage['prompt_tokens']),
          outputTokens: numberOf(usage['completion_tokens']),
        },
      })
    },
  }
}

function pushReasoning(
  delta: Readonly<Record<string, unknown>>,
  slot: (name: string) => number,
  out: TurnEvent[],
): void {
  const text = textOf(delta['reasoning_content'])
  if (text !== undefined) out.push({ type: 'reasoning-delta', part: slot('reasoning'), text })
  const detail = arrayOf(delta['reasoning_details'])[0]
  if (isObject(detail)) {
    out.push({ type: 'reasoning-end', part: slot('reasoning'), providerMetadata: { ...origin, data: detail } })
  }
}

const signature = 'c2lnbmF0dXJlLW9mLXRoZS1yZWFzb25pbmctcGFydA=='

/** A streamed answer with reasoning, text in several alphabets and two calls whose arguments come in pieces. */
export function twoCallStream(lineEnd = '\n'): string {
  const call = (index: number, id: string | undefined, text: string): object => ({
    tool_calls: [{ index, id, function: { name: id === undefined ? undefined : 'weather', arguments: text } }],
  })
  const deltas = [
    { reasoning_content: 'Two cities, ' },
    { reasoning_content: 'two calls.', reasoning_details: [{ type: 'reasoning.text', signature }] },
    { content: 'Wetter für Zürich ' },
    { content: 'und 東京 🌦' },
    call(0, 'call_a', '{"city":'),
    call(1, 'call_b', '{"city":"東'),
    call(0, undefined, '"Zürich"}'),
    call(1, undefined, '京"}'),
  ]
  const chunks = [
    ...deltas.map((delta) => ({ id: 'chat-1', model: 'chat-model-1', choices: [{ delta }] })),
    { choices: [{ delta: {}, finish_reason: 'tool_calls' }] },
    { choices: [], usage: { prompt_tokens: 31, completion_tokens: 17 } },
  ]
  const blocks = [...chunks.map((chunk) => JSON.stringify(chunk)), '[DONE]']
  return blocks.map((data) => `data: ${data}${lineEnd}${lineEnd}`).join('')
}

/** What a right adapter makes of `twoCallStream`: 26 members, or 25 without the one of the error. */
export const twoCallKey: ExpectedTurn = {
  error: null,
  text: 'Wetter für Zürich und 東京 🌦',
  reasoningText: 'Two cities, two calls.',
  refusal: null,
  toolCalls: [
    { id: 'call_a', name: 'weather', input: { city: 'Zürich' }, inputValid: true, owner: 'client' },
    { id: 'call_b', name: 'weather', input: { city: '東京' }, inputValid: true, owner: 'client' },
  ],
  finish: 'tool-calls',
  rawFinish: 'tool_calls',
  usage: { inputTokens: 31, outputTokens: 17, cachedInputTokens: 0, reasoningTokens: null },
  responseId: 'chat-1',
  responseModel: 'chat-model-1',
  opaque: [signature],
  opaqueOneOf: [],
  sources: 0,
}

export interface RecordingOptions {
  readonly sse?: string | undefined
  readonly body?: unknown
  readonly status?: number | undefined
  readonly handEdited?: boolean | undefined
}

/** The text of a file with one recorded exchange. */
export function recordingText({ sse, body, status = 200, handEdited }: RecordingOptions): string {
  const contentType = sse === undefined ? 'application/json' : 'text/event-stream'
  const request = { method: 'POST', url: 'https://chat.example.com/v1/chat/completions', body: { stream: !!sse } }
  const response = { status, headers: { 'content-type': contentType }, sse, body }
  return JSON.stringify({ wire: 'chat', handEdited, interactions: [{ request, response }] })
}
