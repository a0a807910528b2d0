import type { Adapter, Capabilities, FinishReason, Mode, TurnEvent, TurnRequest } from '../contract/adapter.ts'
import { AdapterError } from '../contract/errors.ts'
import type { ProviderMetadata } from '../contract/messages.ts'
import { parseToolInput } from '../wire/tool-input.ts'
import type { Usage } from '../contract/usage.ts'

/** One part of a scripted turn. */
export type ScriptedPart =
  | { readonly type: 'text'; readonly text: string; readonly providerMetadata?: ProviderMetadata | undefined }
  | { readonly type: 'reasoning'; readonly text: string; readonly providerMetadata?: ProviderMetadata | undefined }
  | { readonly type: 'refusal'; readonly text: string }
  | {
      readonly type: 'call'
      readonly toolName: string
      /** A JSON object, or the raw text of the arguments. */
      readonly input: Readonly<Record<string, unknown>> | string
      /** Default: made from turn and position. */
      readonly id?: string | undefined
      /** Who runs the call. Default `client`, as adapters set it. */
      readonly owner?: 'client' | 'provider' | undefined
    }

/** A text is short for one text part. An `AdapterError` fails the turn; `hang` never settles, whatever the signal says. */
export type ScriptedTurn =
  | string
  | readonly ScriptedPart[]
  | AdapterError
  | {
      readonly parts: readonly ScriptedPart[]
      readonly finishReason?: FinishReason | undefined
      readonly usage?: Usage | undefined
      readonly responseId?: string | undefined
      /** Thrown after the parts were delivered, instead of `turn-end`. */
      readonly error?: AdapterError | undefined
      readonly hang?: boolean | undefined
    }

export interface ScriptedAdapterOptions {
  readonly provider?: string | undefined
  readonly model?: string | undefined
  readonly capabilities?: Capabilities | undefined
}

export interface ScriptedAdapter extends Adapter {
  /** A frozen copy of every request so far, in order. */
  readonly requests: readonly RecordedTurn[]
  /** Turns of the script that were not asked for. */
  readonly remaining: number
}

export interface RecordedTurn {
  readonly mode: Mode
  readonly request: TurnRequest
  readonly signal: AbortSignal | undefined
}

/**
 * An adapter that plays a script, for tests of loops and applications without any network. A turn that the script does not have fails
 * loudly, with the number of the turn.
 */
export function scriptedAdapter(
  script: readonly ScriptedTurn[],
  options: ScriptedAdapterOptions = {},
): ScriptedAdapter {
  const { provider = 'scripted', model = 'scripted-1', capabilities = allCapabilities } = options
  const requests: RecordedTurn[] = []
  return {
    provider,
    model,
    capabilities,
    requests,
    get remaining() {
      return Math.max(0, script.length - requests.length)
    },
    turn(request, { mode, signal }) {
      const number = requests.length
      requests.push(Object.freeze({ mode, signal, request: freezeCopy(request) }))
      const turn = script[number]
      if (turn === undefined) throw scriptOver(provider, model, number, script.length)
      return play(turn, request.turn, model)
    },
  }
}

const allCapabilities: Capabilities = {
  tools: true,
  parallel: true,
  toolChoice: ['auto', 'none', 'required', 'tool'],
  reasoning: true,
  reasoningReplay: true,
  providerTools: true,
  streamUsage: true,
}

/** The loop's own array grows after the turn: keep what it was. */
function freezeCopy(request: TurnRequest): TurnRequest {
  return Object.freeze({ ...request, messages: Object.freeze(request.messages.slice()) })
}

function scriptOver(provider: string, model: string, number: number, length: number): AdapterError {
  const message = `turn ${number} was asked for, but the script has ${length} turns; add the turn, or find out why the loop went on`
  return new AdapterError({ provider, model, code: 'bad-request', message })
}

async function* play(
  turn: ScriptedTurn,
  ordinal: number,
  model: string,
): AsyncGenerator<readonly TurnEvent[], undefined> {
  if (AdapterError.isInstance(turn)) throw turn
  const { parts, finishReason, usage, responseId, error, hang } = detailed(turn)
  yield [{ type: 'turn-start', ...(responseId !== undefined && { responseId }), model }]
  for (const [part, scripted] of parts.entries()) yield eventsOf(scripted, part, ordinal)
  if (error !== undefined) throw error
  if (hang) await new Promise<never>(() => undefined)
  const calls = parts.some((part) => part.type === 'call' && part.owner !== 'provider')
  const reason = finishReason ?? (calls ? 'tool-calls' : 'stop')
  yield [{ type: 'turn-end', finishReason: reason, rawFinishReason: reason, ...(usage && { usage }) }]
  return undefined
}

function detailed(turn: Exclude<ScriptedTurn, AdapterError>): Extract<ScriptedTurn, { readonly parts: unknown }> {
  if (typeof turn === 'string') return { parts: [{ type: 'text', text: turn }] }
  return 'parts' in turn ? turn : { parts: turn }
}

function eventsOf(scripted: ScriptedPart, part: number, turn: number): readonly TurnEvent[] {
  switch (scripted.type) {
    case 'text':
    case 'reasoning': {
      const { type, text, providerMetadata: wire } = scripted
      return [
        { type: `${type}-start`, part },
        ...halves(text).map((piece) => ({ type: `${type}-delta` as const, part, text: piece })),
        { type: `${type}-end`, part, ...(wire && { providerMetadata: wire }) },
      ]
    }
    case 'refusal':
      return [{ type: 'refusal-delta', part, text: scripted.text }]
    case 'call':
      return callEvents(scripted, part, turn)
    default:
      return scripted satisfies never
  }
}

function callEvents(call: Extract<ScriptedPart, { type: 'call' }>, part: number, turn: number): readonly TurnEvent[] {
  const { toolName, owner = 'client' } = call
  const toolCallId = call.id ?? `call_${turn}_${part}`
  const inputText = typeof call.input === 'string' ? call.input : JSON.stringify(call.input)
  return [
    { type: 'tool-call-start', part, toolCallId, toolName, owner },
    ...halves(inputText).map((piece) => ({
      type: 'tool-call-delta' as const,
      part,
      toolCallId,
      inputText: piece,
    })),
    { type: 'tool-call', part, toolCallId, toolName, ...parseToolInput(inputText), inputText, owner },
  ]
}

function halves(text: string): readonly string[] {
  const middle = Math.ceil(text.length / 2)
  return [text.slice(0, middle), text.slice(middle)].filter((piece) => piece !== '')
}
