import { noItems, withItem, type Writable } from './json.ts'
import { AdapterError, LoopError } from '../contract/errors.ts'
import type { FinishReason, TurnEvent, Warning } from '../contract/adapter.ts'
import type {
  AssistantMessage,
  AssistantPart,
  Citation,
  ToolCallPart,
  ToolOwner,
  ProviderMetadata,
} from '../contract/messages.ts'
import type { TokenLogprob } from '../contract/logprobs.ts'
import type { Usage } from '../contract/usage.ts'

/** A finished turn: the fold of its events. */
export interface Turn {
  readonly message: AssistantMessage
  readonly finishReason: FinishReason
  readonly rawFinishReason: string | undefined
  readonly usage: Usage | undefined
  readonly responseId: string | undefined
  /** The model that answered, as the provider names it. */
  readonly model: string | undefined
  readonly warnings: readonly Warning[]
  readonly logprobs?: readonly TokenLogprob[] | undefined
}

export interface TurnCollector {
  push(events: readonly TurnEvent[]): void
  /** True once `turn-end` was pushed. */
  readonly ended: boolean
  /**
   * The turn so far. In one that ended by `length` the last call of the caller's is `truncated`, whoever closed its arguments. Before `turn-end` its `finishReason` is `unknown`, parts that were not closed are kept with what they have, and
   * calls that were not completed are marked `truncated`.
   */
  turn(): Turn
}

/** Folds the events of a turn. The order of parts is that of their slots, whatever order their events came in. */
export async function collectTurn(events: AsyncIterable<readonly TurnEvent[]>, origin?: Origin): Promise<Turn> {
  const collector = createTurnCollector(origin)
  for await (const batch of events) collector.push(batch)
  if (!collector.ended) throw contractError(origin, withoutEnd)
  return collector.turn()
}

/**
 * The incremental form of `collectTurn`. `origin` is written on the message, and `ownerOf` says who runs a call where the adapter cannot know it.
 * Its methods need their object: it cannot be destructured.
 */
export function createTurnCollector(origin?: Origin, ownerOf: OwnerOf = givenOwner): TurnCollector {
  return new Collector(origin, ownerOf)
}

type OwnerOf = (call: Pick<ToolCallPart, 'owner' | 'toolName'>) => ToolOwner

const givenOwner: OwnerOf = ({ owner }) => owner

/** A class: an object of closures would be four objects more in each turn. */
class Collector implements TurnCollector {
  slots: (Slot | undefined)[] = []
  warnings: readonly Warning[] = noItems
  start: TurnStart | undefined = undefined
  end: TurnEnd | undefined = undefined
  readonly ownerOf: OwnerOf
  readonly origin: Origin | undefined

  constructor(origin: Origin | undefined, ownerOf: OwnerOf) {
    this.ownerOf = ownerOf
    this.origin = origin
  }

  get ended(): boolean {
    return this.end !== undefined
  }

  push(events: readonly TurnEvent[]): void {
    for (const event of events) fold(this, event)
  }

  turn(): Turn {
    return finishTurn(this, this.origin)
  }
}

interface Origin {
  readonly provider: string
  readonly model: string
}

type TurnStart = Extract<TurnEvent, { type: 'turn-start' }>
type TurnEnd = Extract<TurnEvent, { type: 'turn-end' }>

/** Parts under construction; text grows by appending, which engines do without copying. */
type Slot =
  | { type: 'text'; text: string; citations: Citation[] | undefined; providerMetadata: ProviderMetadata | undefined }
  | { type: 'reasoning' | 'refusal'; text: string; providerMetadata: ProviderMetadata | undefined }
  | OpenCall
  | Exclude<AssistantPart, { type: 'text' | 'reasoning' | 'refusal' }>

interface OpenCall {
  readonly type: 'open-call'
  readonly start: Extract<TurnEvent, { type: 'tool-call-start' }>
  inputText: string
}

export const withoutEnd = 'its turn ended without `turn-end`'

/** Far more parts than a turn has; slots are kept in an array. */
const mostParts = 100_000

/** @param origin of the turn, where it is known */
export function contractError(origin: Origin | undefined, what: string): LoopError {
  const adapter = origin === undefined ? 'adapter' : `adapter ${origin.provider}/${origin.model}`
  const message = `The ${adapter} breaks its contract: ${what}. Its conformance suite shows where.`
  return new LoopError('adapter-contract', message)
}

function fold(state: Collector, event: TurnEvent): void {
  switch (event.type) {
    case 'text-delta':
      textSlot(state, event.part).text += event.text
      return
    case 'reasoning-delta':
      reasoningSlot(state, event.part, 'reasoning').text += event.text
      return
    case 'tool-call-delta': {
      const slot = state.slots[event.part]
      if (slot?.type === 'open-call') slot.inputText += event.inputText
      else if (slot !== undefined) throw usedTwice(state, event.part)
      return
    }
    case 'text-start':
      textSlot(state, event.part)
      return
    case 'text-end':
      textSlot(state, event.part).providerMetadata = event.providerMetadata
      return
    case 'reasoning-start':
      reasoningSlot(state, event.part, 'reasoning')
      return
    case 'reasoning-end':
      reasoningSlot(state, event.part, 'reasoning').providerMetadata = event.providerMetadata
      return
    case 'tool-call-start':
      open(state, event.part, { type: 'open-call', start: event, inputText: '' })
      return
    case 'turn-start':
      state.start ??= event
      warn(state, event)
      return
    case 'turn-end':
      state.end ??= event
      warn(state, event)
      return
    case 'refusal-delta': {
      const slot = reasoningSlot(state, event.part, 'refusal')
      slot.text += event.text
      slot.providerMetadata = event.providerMetadata ?? slot.providerMetadata
      return
    }
    case 'citation':
      ;(textSlot(state, event.part).citations ??= []).push(event.citation)
      return
    case 'tool-call':
      if (event.toolName === '') throw nameless(state.origin)
      close(state, event.part, callOf(event, state.ownerOf(event)))
      return
    case 'tool-result':
    case 'file':
    case 'opaque': {
      const { part, ...rest } = event
      close(state, part, rest)
    }
  }
}

function warn(state: Collector, { warnings }: { readonly warnings?: readonly Warning[] | undefined }): void {
  if (warnings !== undefined) state.warnings = [...state.warnings, ...warnings]
}

/** Only a call has a beginning of another type than its end. */
function close(state: Collector, part: number, made: Slot): void {
  if (made.type === 'tool-call' && state.slots[part]?.type === 'open-call') state.slots[part] = made
  else open(state, part, made)
}

function usedTwice({ origin }: Collector, part: number): LoopError {
  return contractError(origin, `slot ${part} is used for two parts`)
}

/** The provider lost it on the way. No tool would be run, and no provider takes the call back. */
function nameless(origin: Origin | undefined): Error {
  const message = 'a call has no name'
  return origin === undefined
    ? contractError(origin, message)
    : new AdapterError({ ...origin, code: 'malformed-response', message })
}

/** By its names, in one literal: what is spread or added costs many times as much, and a step may have dozens of calls. */
function callOf(event: Extract<TurnEvent, { type: 'tool-call' }>, owner: ToolOwner): ToolCallPart {
  const { type, toolCallId, toolName, input, invalid, inputText, providerMetadata: wire } = event
  if (invalid === undefined && wire !== undefined)
    return { type, toolCallId, toolName, input, inputText, owner, providerMetadata: wire }
  return {
    type,
    toolCallId,
    toolName,
    input,
    ...(invalid && { invalid }),
    inputText,
    owner,
    ...(wire && { providerMetadata: wire }),
  }
}

function open<Opened extends Slot>(state: Collector, part: number, slot: Opened): Opened {
  if (!(part >= 0 && part < mostParts))
    throw contractError(state.origin, `slot ${part} is not from 0 to ${mostParts - 1}`)
  if (state.slots[part] !== undefined) throw usedTwice(state, part)
  if (state.slots.length === 0 && part === 0) state.slots = [slot]
  else state.slots[part] = slot
  return slot
}

function textSlot(state: Collector, part: number): Extract<Slot, { type: 'text' }> {
  const slot = state.slots[part]
  if (slot?.type === 'text') return slot
  return open(state, part, { type: 'text', text: '', citations: undefined, providerMetadata: undefined })
}

function reasoningSlot(
  state: Collector,
  part: number,
  type: 'reasoning' | 'refusal',
): Extract<Slot, { type: 'reasoning' | 'refusal' }> {
  const slot = state.slots[part]
  if (slot?.type === 'reasoning' || slot?.type === 'refusal') return slot
  return open(state, part, { type, text: '', providerMetadata: undefined })
}

function finishTurn(state: Collector, origin: Origin | undefined): Turn {
  let content: AssistantPart[] = []
  for (const slot of state.slots) if (slot !== undefined) content = withItem(content, partOf(slot, state.ownerOf))
  // This one stays as long as the run. What `map` makes is slower to go through.
  if (content.length > 1) content = content.slice()
  const { start, end } = state
  if (end?.finishReason === 'length') cutLastCall(content)
  const responseId = end?.responseId ?? start?.responseId
  // Member by member: each spread of an object costs as much as the rest of the message.
  const message: Writable<AssistantMessage> =
    origin === undefined
      ? { role: 'assistant', content }
      : { role: 'assistant', content, provider: origin.provider, model: origin.model }
  if (responseId !== undefined) message.responseId = responseId
  if (end?.providerMetadata) message.providerMetadata = end.providerMetadata
  const turn: Writable<Turn> = {
    message,
    finishReason: end?.finishReason ?? 'unknown',
    rawFinishReason: end?.rawFinishReason,
    usage: end?.usage,
    responseId,
    model: end?.model ?? start?.model,
    warnings: state.warnings,
  }
  if (end?.logprobs) turn.logprobs = end.logprobs
  return turn
}

/**
 * The token limit ended the turn, so its last call may be half, although its arguments parse: servers that translate between wire formats
 * close what was cut (`{}`, `{"_raw":"..."}`, half a text). Models write one call after the other, so those before it are whole. What is
 * no call proves nothing: in some formats texts have no place among calls, and gateways send last what they held back.
 */
function cutLastCall(content: AssistantPart[]): void {
  const index = content.findLastIndex((part) => part.type === 'tool-call' && part.owner !== 'provider')
  const last = content[index]
  if (last?.type === 'tool-call') content[index] = { ...last, input: undefined, invalid: 'truncated' }
}

function partOf(slot: Slot, ownerOf: OwnerOf): AssistantPart {
  if (slot.type === 'open-call') return truncatedCall(slot.start, slot.inputText, ownerOf(slot.start))
  if (!('text' in slot)) return slot
  const { text, providerMetadata } = slot
  const wire = providerMetadata && { providerMetadata }
  if (slot.type !== 'text') return { type: slot.type, text, ...wire }
  return { type: 'text', text, ...(slot.citations && { citations: slot.citations }), ...wire }
}

function truncatedCall(start: OpenCall['start'], inputText: string, owner: ToolOwner): ToolCallPart {
  const { toolCallId, toolName } = start
  return { type: 'tool-call', toolCallId, toolName, input: undefined, inputText, invalid: 'truncated', owner }
}
