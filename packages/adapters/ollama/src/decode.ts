import {
  AdapterError,
  arrayOf,
  createToolCallAssembler,
  createChunkParser,
  isObject,
  malformed,
  numberOf,
  objectOf,
  readLogprobs,
  textOf,
  type FinishReason,
  type ChunkPath,
  type JsonObject,
  type Origin,
  type ToolCallAssembler,
  type TurnDecoder,
  type TurnEvent,
  type TurnRequest,
} from '@steploop/core/adapter'
import { throwIfError } from './errors.ts'

/** Decodes one JSON answer: the same reading as in a stream, of one line that holds it all. */
export function decodeAnswer(json: unknown, request: TurnRequest, origin: Origin, out: TurnEvent[]): void {
  const body = objectOf(json)
  throwIfError(body, origin)
  if (!isObject(body['message'])) throw malformed(origin, 'the answer holds no message', JSON.stringify(json))
  if (body['done'] === false) throw malformed(origin, 'the answer says that it is not done', JSON.stringify(json))
  const state = createState(request, origin)
  readLine(state, body, out)
  endTurn(state, out)
}

/** What is another in every line. */
const changing: readonly ChunkPath[] = [['message', 'content'], ['message', 'thinking'], ['created_at']]

/** Terminal evidence is a line with `done: true`; what follows it is not looked at. */
export function createStreamDecoder(request: TurnRequest, origin: Origin): TurnDecoder {
  const state = createState(request, origin)
  const parse = createChunkParser(changing, origin)
  let done = false
  return {
    push({ data }, out) {
      if (done) return
      const line = parse(data)
      if (!isObject(line)) return
      throwIfError(line, origin)
      readLine(state, line, out)
      done = line['done'] === true
    },
    progress: () => (done ? 'done' : 'open'),
    end(out) {
      const message = 'the stream ended without a line that says `"done": true`'
      if (!done) throw new AdapterError({ ...origin, code: 'incomplete-stream', message })
      endTurn(state, out)
    },
  }
}

/** A turn that is being read, line by line. */
interface State {
  readonly origin: Origin
  readonly calls: ToolCallAssembler
  /** Members of each call beside its name and arguments, by ordinal. */
  readonly callFields: Map<unknown, JsonObject>
  /** Next free slot of the message. */
  next: number
  open?: { readonly type: 'text' | 'reasoning'; readonly part: number } | undefined
  started?: boolean
  model?: string | undefined
  rawFinish?: string | undefined
  inputTokens?: number | undefined
  outputTokens?: number | undefined
  /** Unknown members of the message; they return with it. */
  fields?: Record<string, unknown> | undefined
  readonly logprobs: unknown[]
}

function createState(request: TurnRequest, origin: Origin): State {
  const callFields: State['callFields'] = new Map()
  const state: State = {
    origin,
    calls: createToolCallAssembler({
      turn: request.turn,
      nextPart: () => state.next++,
      providerMetadata: ({ index }) => {
        const data = callFields.get(index)
        return data && { ...origin, data }
      },
    }),
    callFields,
    next: 0,
    logprobs: [],
  }
  return state
}

function readLine(state: State, line: JsonObject, out: TurnEvent[]): void {
  state.model ??= textOf(line['model'])
  if (!state.started) {
    state.started = true
    out.push({ type: 'turn-start', model: state.model })
  }
  readMessage(state, objectOf(line['message']), out)
  state.rawFinish = textOf(line['done_reason']) ?? state.rawFinish
  // Absent where nothing was counted, for example a prompt that was cached (docs/wire.md#ollama).
  state.inputTokens = numberOf(line['prompt_eval_count']) ?? state.inputTokens
  state.outputTokens = numberOf(line['eval_count']) ?? state.outputTokens
  state.logprobs.push(...arrayOf(line['logprobs']))
}

function readMessage(state: State, message: JsonObject, out: TurnEvent[]): void {
  const thinking = textOf(message['thinking'])
  if (thinking !== undefined) writeText(state, 'reasoning', thinking, out)
  const content = textOf(message['content'])
  if (content !== undefined) writeText(state, 'text', content, out)
  for (const call of arrayOf(message['tool_calls'])) if (isObject(call)) readCall(state, call, out)
  for (const name in message) if (!known.has(name) && message[name]) keep((state.fields ??= {}), name, message[name])
}

const known: ReadonlySet<string> = new Set(['role', 'content', 'thinking', 'tool_calls'])

/** Members that we do not know come in pieces as those do that we know: texts grow, and so do lists. */
function keep(fields: Record<string, unknown>, name: string, piece: unknown): void {
  const before = fields[name]
  if (typeof before === 'string' && typeof piece === 'string') fields[name] = before + piece
  else if (!Array.isArray(piece) || !Array.isArray(before)) fields[name] = piece
  // In place: a copy for each piece takes the square of their number.
  else for (const item of arrayOf(piece)) before.push(item)
}

function writeText(state: State, type: 'text' | 'reasoning', text: string, out: TurnEvent[]): void {
  if (state.open?.type !== type) {
    close(state, out)
    state.open = { type, part: state.next++ }
    out.push({ type: `${type}-start`, part: state.open.part })
  }
  out.push({ type: `${type}-delta`, part: state.open.part, text })
}

function close(state: State, out: TurnEvent[]): void {
  if (state.open === undefined) return
  out.push({ type: `${state.open.type}-end`, part: state.open.part })
  state.open = undefined
}

/** Every entry is a whole call of its own, whichever line it came in and whatever index or id it has (docs/wire.md#ollama). */
function readCall(state: State, call: JsonObject, out: TurnEvent[]): void {
  close(state, out)
  const { function: invoked, ...callFields } = call
  const { name, arguments: given, ...functionFields } = objectOf(invoked)
  const index = state.calls.count
  if (Object.keys(callFields).length > 0 || Object.keys(functionFields).length > 0)
    state.callFields.set(index, { call: callFields, function: functionFields })
  // An object; some servers that speak this format send its text.
  const argumentsText = typeof given === 'string' || given === undefined ? given : JSON.stringify(given)
  state.calls.complete({ index, id: textOf(call['id']), name: textOf(name), argumentsText }, out)
}

function endTurn(state: State, out: TurnEvent[]): void {
  close(state, out)
  const { fields, logprobs, inputTokens, outputTokens } = state
  const hasLogprobs = logprobs.length > 0
  const isCounted = inputTokens !== undefined || outputTokens !== undefined
  out.push({
    type: 'turn-end',
    finishReason: finishOf(state),
    rawFinishReason: state.rawFinish,
    usage: isCounted ? { inputTokens, outputTokens } : undefined,
    model: state.model,
    ...(hasLogprobs && { logprobs: readLogprobs(logprobs) }),
    ...((fields ?? hasLogprobs) && {
      providerMetadata: { ...state.origin, data: { ...(fields && { fields }), ...(hasLogprobs && { logprobs }) } },
    }),
  })
}

/** The server says `stop` beside calls, and in older releases nothing at all, so content decides (docs/invariants.md#1-content-decides-not-the-finish-reason). */
function finishOf({ rawFinish, calls }: State): FinishReason {
  if (rawFinish === 'length') return 'length'
  if (calls.count > 0) return 'tool-calls'
  // `load` and `unload` say that the model was only loaded or unloaded: that is no answer.
  return rawFinish === undefined || rawFinish === 'stop' ? 'stop' : 'unknown'
}
