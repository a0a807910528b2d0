import {
  AdapterError,
  objectOf,
  textOf,
  type FinishReason,
  type JsonObject,
  type Origin,
  type TurnEvent,
  type Warning,
} from '@steploop/core/adapter'
import { createBlockDecoder } from './block-decoder.ts'
import { createCallDecoder } from './call-decoder.ts'
import { decodeFile } from './decode-file.ts'
import { decodeUsage } from './decode-usage.ts'
import { decodeWarnings } from './decode-warnings.ts'
import { finishReasonOf } from './finish-reason.ts'
import { payload } from './payload.ts'

export interface PartDecoderOptions {
  readonly origin: Origin
  /** What was dropped on the way out; goes with `turn-start`. */
  readonly warnings: readonly Warning[]
  /** Whether the sources of an answer without citations stand for them. */
  readonly sourcesAreCited: boolean
  /** Whether what the model says of the whole answer has to return with the message. */
  readonly keepsMetadata: boolean
  /** A turn that ends as `other` without the provider's own word. `fine`: the answer came in one piece, so nothing was cut. */
  readonly unprovenEnd: 'error' | 'warning' | 'fine'
}

export interface PartDecoder {
  /** Appends what a stream part means. Throws what an `error` part holds. */
  push(part: unknown, out: TurnEvent[]): void
  /** True once the `finish` part came, which is the last. */
  finished(): boolean
  /** The stream is over: appends `turn-end`, or throws `incomplete-stream`. */
  end(out: TurnEvent[]): void
}

interface State {
  started: boolean
  warnings: readonly Warning[]
  late: readonly Warning[]
  metadata: { readonly responseId?: string; readonly model?: string }
  finish: JsonObject | undefined
}

/** An `error` part of a stream. What it carries is found out where errors are mapped. */
export class StreamPartError extends Error {
  constructor(cause: unknown) {
    super('the stream reported an error', { cause })
    this.name = 'StreamPartError'
  }
}

/** Makes the events of one turn from the AI SDK's stream parts; the content of `doGenerate` comes as such parts too. */
export function createPartDecoder({ origin, sourcesAreCited, ...options }: PartDecoderOptions): PartDecoder {
  const { warnings, unprovenEnd, keepsMetadata } = options
  const state: State = { started: false, warnings, late: [], metadata: {}, finish: undefined }
  let slots = 0
  const nextPart = (): number => slots++
  const blocks = createBlockDecoder({ origin, nextPart, sourcesAreCited })
  const calls = createCallDecoder(origin, nextPart)
  // Packages close what is open when a stream breaks off. An end is passed on when something follows, or when all is proven.
  const held: TurnEvent[] = []
  return {
    push(part, out) {
      const fields = objectOf(part)
      if (isIgnorable(fields, state)) return
      start(state, out)
      if (fields['type'] === 'text-end' || fields['type'] === 'reasoning-end') {
        blocks.push(fields, held)
        return
      }
      const before = out.length
      if (!blocks.push(fields, out) && !calls.push(fields, out)) pushWhole(fields, { origin, state, nextPart, out })
      if (held.length > 0 && out.length > before) out.splice(before, 0, ...held.splice(0))
    },
    finished: () => state.finish !== undefined,
    end(out) {
      const { unified, raw } = finishOf(state, origin)
      start(state, out)
      const unproven = (unified === undefined || unified === 'other') && raw === undefined && unprovenEnd !== 'fine'
      if (unproven && unprovenEnd === 'error') throw incomplete(origin, unprovenMessage)
      out.push(...held)
      blocks.end(out)
      calls.end(out, unified === 'length' || unified === 'content-filter' || unified === 'error')
      const finishReason = finishReasonOf(unified, raw, calls.clientCalls())
      const doubt: Warning = { type: 'unproven-end', path: 'finishReason', message: unprovenMessage }
      const all = unproven ? [...state.late, doubt] : state.late
      pushEnd(state, { origin, keepsMetadata, finishReason, raw, warnings: all }, out)
    },
  }
}

const unprovenMessage =
  'the stream finished as `other` without a reason of the provider, which is how several packages report a cut connection'

interface Finish {
  readonly unified: string | undefined
  readonly raw: string | undefined
}

function finishOf({ finish }: State, origin: Origin): Finish {
  if (finish === undefined) throw incomplete(origin, 'the stream ended without a `finish` part')
  const { unified, raw } = objectOf(finish['finishReason'])
  if (unified === 'interrupted') throw incomplete(origin, 'the model reports an interrupted stream')
  return { unified: textOf(unified), raw: textOf(raw) }
}

interface End {
  readonly origin: Origin
  readonly keepsMetadata: boolean
  readonly finishReason: FinishReason
  readonly raw: string | undefined
  readonly warnings: readonly Warning[]
}

function pushEnd({ finish, metadata }: State, end: End, out: TurnEvent[]): void {
  const { origin, keepsMetadata, finishReason, raw, warnings } = end
  const usage = decodeUsage(finish?.['usage'])
  out.push({
    type: 'turn-end',
    finishReason,
    ...(raw !== undefined && { rawFinishReason: raw }),
    ...(usage && { usage }),
    ...metadata,
    ...(keepsMetadata && payload(origin, { providerMetadata: finish?.['providerMetadata'] })),
    ...(warnings.length > 0 && { warnings }),
  })
}

/** Parts that say something about the turn and begin nothing. */
function isIgnorable(part: JsonObject, state: State): boolean {
  switch (part['type']) {
    case 'stream-start': {
      const warnings = decodeWarnings(part['warnings'])
      if (state.started) state.late = [...state.late, ...warnings]
      else state.warnings = [...state.warnings, ...warnings]
      return true
    }
    case 'raw':
    case 'ping':
      return true
    case 'response-metadata':
      remember(part, state)
      // The turn starts with the first part that has something to say, so that the id is known by then.
      return state.started
    case 'finish':
      state.finish ??= part
      return true
    case 'custom':
      return isMessageStart(part, state)
    default:
      return false
  }
}

/** Anthropic's package streams its `message_start` event as content. It is none: it names the response, and nothing of it returns. */
function isMessageStart({ kind, providerMetadata }: JsonObject, state: State): boolean {
  if (kind !== 'anthropic.message_start') return false
  const { id, model } = objectOf(objectOf(providerMetadata)['anthropic'])
  remember({ id, modelId: model }, state)
  return true
}

/** First not-empty wins. */
function remember({ id, modelId }: JsonObject, state: State): void {
  const responseId = textOf(id)
  const model = textOf(modelId)
  state.metadata = {
    ...(responseId !== undefined && { responseId }),
    ...(model !== undefined && { model }),
    ...state.metadata,
  }
}

function start(state: State, out: TurnEvent[]): void {
  if (state.started) return
  state.started = true
  const { warnings, metadata } = state
  out.push({ type: 'turn-start', ...metadata, ...(warnings.length > 0 && { warnings }) })
}

interface Whole {
  readonly origin: Origin
  readonly state: State
  readonly nextPart: () => number
  readonly out: TurnEvent[]
}

/** Parts that come in one piece. Unknown ones are skipped: what they are is the AI SDK's next version. */
function pushWhole(part: JsonObject, { origin, state, nextPart, out }: Whole): void {
  switch (part['type']) {
    case 'error':
      throw new StreamPartError(part['error'])
    case 'file':
      out.push({
        type: 'file',
        part: nextPart(),
        ...decodeFile(part),
        ...payload(origin, { providerMetadata: part['providerMetadata'] }),
      })
      return
    case 'custom':
    case 'reasoning-file':
    case 'tool-approval-request': {
      const content = part['type'] === 'reasoning-file' ? { ...part, data: decodeFile(part).data } : part
      out.push({ type: 'opaque', part: nextPart(), providerMetadata: { ...origin, data: { content } } })
      if (part['type'] !== 'tool-approval-request') return
      const message =
        'The provider asks for an approval, which cannot be given through the bridge; configure the tool without.'
      state.late = [...state.late, { type: 'unsupported', path: 'content', message }]
      return
    }
    default:
  }
}

function incomplete(origin: Origin, message: string): AdapterError {
  return new AdapterError({ ...origin, code: 'incomplete-stream', message })
}
