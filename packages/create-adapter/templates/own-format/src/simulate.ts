import type { ScriptedPart } from '@steploop/conformance'
import type {
  ConversationItem,
  ProviderReply,
  RequestView,
  SimulatedProvider,
  SimulatedTurn,
} from '@steploop/conformance/simulator'
import { arrayOf, objectOf, textOf, type JsonObject } from '@steploop/core/adapter'
import { contentType, toFrame } from './framing.ts'

/**
 * Plays my-llm's server for the suite. CHANGE it to yours, from the provider's documentation and from recorded traffic: what is written from the
 * adapter proves nothing. It refuses what the server refuses, and says in the words of the format what a scenario's script says; streams,
 * breaks and cuts are made of its frames.
 */
export function simulate(): SimulatedProvider {
  return (request, next) => {
    const { items, stream } = objectOf(request.body)
    const problem =
      request.method !== 'POST' || request.path !== '/v1/turns' || !request.headers['authorization']
        ? 'this is no turn'
        : itemsProblem(arrayOf(items).map(objectOf))
    if (problem !== undefined) return { status: 400, body: { error: problem } }
    const turn = next()
    if (turn.type === 'loss') throw new Error('my-llm keeps no answers')
    const answered = stream === true ? streamed : whole
    if (turn.type === 'failure') return failed(turn, answered)
    // Servers learn words that clients of today do not know: they have to be passed over.
    return answered([{ type: 'news' }, ...turn.parts.flatMap(piecesOf), endOf(turn)])
  }
}

/** Every call has its result, before anybody but the model says more, and every result its call. */
function itemsProblem(items: readonly JsonObject[]): string | undefined {
  if (items.length === 0) return 'there are no items'
  const open = new Set<unknown>()
  for (const { type, id } of items) {
    if (type === 'call') open.add(id)
    else if (type === 'result' && !open.delete(id)) return `the result '${String(id)}' answers no call`
    else if (type !== 'result' && type !== 'model' && open.size > 0)
      return `the call '${String([...open][0])}' has no result`
  }
  return open.size > 0 ? `the call '${String([...open][0])}' has no result` : undefined
}

const statuses = {
  'bad-key': 401,
  forbidden: 403,
  'unknown-model': 404,
  'bad-request': 400,
  'context-overflow': 400,
  'rate-limited': 429,
  'insufficient-credit': 402,
  overloaded: 503,
  'server-error': 500,
}

function failed(
  { failure, location, after = [] }: SimulatedTurn & { type: 'failure' },
  answered: typeof streamed,
): ProviderReply {
  const text = failure === 'context-overflow' ? 'the prompt is too long' : `my-llm says ${failure}`
  if (location === 'body') return answered([...after.flatMap(piecesOf), { type: 'error', text }])
  // A client that is too fast is asked to wait for a second.
  const headers = { 'content-type': 'application/json', ...(failure === 'rate-limited' && { 'retry-after': '1' }) }
  return { status: statuses[failure], headers, body: { error: text } }
}

function whole(pieces: readonly JsonObject[]): ProviderReply {
  return { body: { pieces } }
}

function streamed(pieces: readonly JsonObject[]): ProviderReply {
  const frames = pieces.map((piece) => toFrame(JSON.stringify(piece)))
  return { headers: { 'content-type': contentType }, frames, rubbish: toFrame('{"type": oh') }
}

/** What my-llm has no words for is left out: thoughts, sources, tools of its own. */
function piecesOf(part: ScriptedPart): readonly JsonObject[] {
  if (part.type === 'text') return (part.text.match(/[^]{1,8}/gu) ?? []).map((text) => ({ type: 'text', text }))
  if (part.type !== 'call') return []
  return [{ type: 'call', id: part.id, name: part.toolName, input: part.input }]
}

function endOf({ parts, finish, usage }: SimulatedTurn & { type: 'answer' }): JsonObject {
  const reason = finish ?? (parts.some(({ type }) => type === 'call') ? 'calls' : 'stop')
  const { inputTokens: input_tokens, cachedInputTokens: cached_tokens, outputTokens: output_tokens } = usage
  return { type: 'end', reason, input_tokens, cached_tokens, output_tokens }
}

/** Reads a request as a conversation, so that the checks of requests have something to look at. */
export function readRequest(json: unknown): RequestView {
  const { system, items, tools, ...head } = objectOf(json)
  return {
    head,
    instructions: textOf(system),
    tools: arrayOf(tools).map((value) => {
      const { name, description, schema } = objectOf(value)
      return { name: String(name), description: textOf(description), inputSchema: schema, strict: false }
    }),
    toolChoice: undefined,
    outputSchema: undefined,
    items: arrayOf(items).flatMap((value, index): readonly ConversationItem[] => {
      const { type, text, id, name, input } = objectOf(value)
      const path = `items[${index}]`
      switch (type) {
        case 'user':
          return [{ type: 'user', text: String(text), path }]
        case 'model':
          return [{ type: 'text', text: String(text), path }]
        case 'call':
          return [{ type: 'call', id: String(id), toolName: String(name), input, path }]
        case 'result':
          return [{ type: 'result', id: String(id), text: String(text), path }]
        default:
          return []
      }
    }),
    continuation: undefined,
  }
}
