import type { ImportedExchange, ImportedSession } from '@steploop/cassette/import'
import { arrayOf, isObject, objectOf, textOf, type JsonObject, type Mode } from '@steploop/core/adapter'
import { HarnessError, type ScriptedAnswer, type ScriptedPart } from '@steploop/conformance'
import { simulatedWire, type WireSimulation } from '@steploop/conformance/simulator'
import { memberText, parsed, usualBase, wireKit, wireKits, type Question } from '@steploop/conformance/cli'

export interface AimockOptions {
  readonly file: string
  /** The wire format to write the answers in. Default: `openai-chat`. */
  readonly wire?: string | undefined
  readonly model?: string | undefined
  /** Default: `stream`. */
  readonly mode?: Mode | undefined
}

/**
 * Reads a fixture file of aimock (`{ fixtures: [{ match, response }] }`, https://aimock.copilotkit.dev). A fixture is no recording: it says
 * what to look for in a request and what to answer, without a wire format. So the answers are written in the format asked for, by the
 * simulator, and the requests hold no more than the words to look for. Fixtures for anything but conversations are left out.
 *
 * @throws HarnessError `unreadable-input` for a file that holds no fixtures, `usage` for a wire format that the simulator does not speak
 */
export function readAimock(text: string, options: AimockOptions): ImportedSession {
  const fixtures = objectOf(parsed(text))['fixtures']
  if (!Array.isArray(fixtures)) {
    const message = `${options.file} holds no fixtures of aimock: a JSON object with a list "fixtures" is expected.`
    throw new HarnessError('unreadable-input', message, { file: options.file })
  }
  const simulation = simulationOf(options.wire ?? 'openai-chat')
  const left: string[] = []
  const exchanges = fixtures.flatMap((value: unknown, index): ImportedExchange[] => {
    const fixture = objectOf(value)
    const exchange = exchangeOf(fixture, index + 1, simulation, options)
    if (typeof exchange !== 'string') return [exchange]
    left.push(`fixture ${index + 1}: ${exchange}`)
    return []
  })
  const guessed = [
    `the wire format ${simulation.wire}, written by the simulator: framing, ids, usage and headers`,
    'requests: fixtures hold only what a request is matched by',
  ]
  return { exchanges, guessed, left }
}

function simulationOf(wire: string): WireSimulation {
  const known = wireKits.filter(({ simulation, question }) => simulation !== undefined && question !== undefined)
  const names = known.map(({ name }) => name)
  if (names.includes(wire)) return simulatedWire(wire)
  throw new HarnessError('usage', `Fixtures cannot be written as '${wire}'. There are: ${names.join(', ')}.`)
}

/** The exchange, or why there is none. */
function exchangeOf(fixture: JsonObject, number: number, simulation: WireSimulation, options: AimockOptions) {
  const match = objectOf(fixture['match'])
  const response = objectOf(fixture['response'])
  const endpoint = textOf(match['endpoint']) ?? 'chat'
  if (endpoint !== 'chat') return `is for ${endpoint}, not for conversations`
  const kit = wireKit(simulation.wire)
  const question = questionOf(match, options)
  const request = objectOf(kit?.question?.(question))
  const answered = answerOf(response)
  if (answered === undefined && !isObject(response['error'])) return 'its response is no text, call or error'
  const reply = answered === undefined ? errorReply(response) : played(answered, request, number, simulation)
  const headers = [['content-type', 'application/json'] as const]
  const sent = {
    method: 'POST',
    url: kit?.usualUrl?.({ ...question, base: usualBase('openai') ?? '' }) ?? '',
    headers,
    body: encode(JSON.stringify(request)),
  }
  return { request: sent, response: reply, wire: simulation.wire } satisfies ImportedExchange
}

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

function questionOf(match: JsonObject, { model, mode = 'stream' }: AimockOptions): Question {
  const system = match['systemMessage']
  const looked = ['userMessage', 'toolResultContains', 'toolCallId', 'toolName'].map((name) => textOf(match[name]))
  return {
    model: model ?? textOf(match['model']) ?? 'unknown',
    system: Array.isArray(system) ? system.join('\n') : textOf(system),
    user: looked.find((text) => text !== undefined) ?? '',
    isStream: mode === 'stream',
  }
}

/** Undefined for responses that say nothing in words or calls: images, audio, embeddings. */
function answerOf(response: JsonObject): ScriptedAnswer | undefined {
  const blocks = arrayOf(response['blocks']).map((block) => objectOf(block))
  const content = blocks.length > 0 ? blocks.map((block) => blockPart(block)) : plainParts(response)
  if (content.length === 0 || isObject(response['error'])) return undefined
  const reasoning = textOf(response['reasoning'])
  return {
    type: 'answer',
    parts: [...(reasoning === undefined ? [] : [{ type: 'reasoning' as const, text: reasoning }]), ...content],
    ...(response['finishReason'] === 'length' ? { finish: 'length' as const } : {}),
  }
}

function blockPart(block: JsonObject): ScriptedPart {
  return block['type'] === 'toolCall' ? callPart(block) : { type: 'text', text: memberText(block, 'text') }
}

function plainParts(response: JsonObject): readonly ScriptedPart[] {
  const { content } = response
  const text = content === undefined || typeof content === 'string' ? content : JSON.stringify(content)
  const said: readonly ScriptedPart[] = text === undefined ? [] : [{ type: 'text', text }]
  return [...said, ...arrayOf(response['toolCalls']).map((call) => callPart(objectOf(call)))]
}

function callPart(call: JsonObject): ScriptedPart {
  const given = call['arguments']
  const text = typeof given === 'string' ? given : undefined
  const input = objectOf(text === undefined ? given : parsed(text))
  return { type: 'call', toolName: memberText(call, 'name'), input, inputText: text, id: textOf(call['id']) }
}

function played(answer: ScriptedAnswer, request: JsonObject, turn: number, simulation: WireSimulation) {
  const context = { turn, request }
  const streamed = request['stream'] === true
  const body = streamed
    ? simulation.answerStream(answer, context).frames.join('')
    : JSON.stringify(simulation.answerJson(answer, context))
  const type = streamed ? 'text/event-stream' : 'application/json'
  return { status: 200, headers: [['content-type', type] as const], body: encode(body) }
}

function errorReply(response: JsonObject) {
  const status = typeof response['status'] === 'number' ? response['status'] : 500
  const retryAfter = response['retryAfter']
  const wait = typeof retryAfter === 'number' ? [['retry-after', String(retryAfter)] as const] : []
  const headers = [['content-type', 'application/json'] as const, ...wait]
  return { status, headers, body: encode(JSON.stringify({ error: response['error'] })) }
}
