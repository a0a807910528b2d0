import type { TurnEvent } from '../contract/adapter.ts'
import { createPartialJson, type PartialJson } from './partial-json.ts'
import type { ToolOwner, ProviderMetadata } from '../contract/messages.ts'
import { isUnseen } from './unseen.ts'
import { parseToolInput, type ParsedInput } from './tool-input.ts'
import { withItem, type Writable } from './json.ts'

/** One piece of a streamed call, as the provider sent it. `null` and `''` count as absent (docs/wire.md#chat-fragments-of-calls). */
export interface CallFragment {
  /** The provider's own index or slot. */
  readonly index?: number | null | undefined
  readonly id?: string | null | undefined
  readonly name?: string | null | undefined
  /** A piece of the argument text to append. */
  readonly argumentsText?: string | null | undefined
}

export interface FinishedCall {
  readonly index: number | undefined
  /** The provider's own id. */
  readonly id: string | undefined
  readonly toolName: string
  readonly inputText: string
}

export interface AssemblerOptions {
  /** `TurnRequest.turn`: ids for calls that come without one are made from it. */
  readonly turn: number
  /** Gives the next free slot of the message. */
  readonly nextPart: () => number
  /** What rides on the finished call. The provider's own id belongs in here. */
  readonly providerMetadata?: ((call: FinishedCall) => ProviderMetadata | undefined) | undefined
  /** Tells the names that tools have on the wire, for servers that give no ids: two of them in a row are two calls. Default: any name. */
  readonly isToolName?: ((wireName: string) => boolean) | undefined
  /** Maps a name on the wire back to the tool's name. */
  readonly toolName?: ((wireName: string) => string | undefined) | undefined
  /** True: the arguments are free text and become `{ input: text }`. Default: they are JSON. */
  readonly isFreeText?: ((call: FinishedCall) => boolean) | undefined
  /** Who runs the call. Default `client`. */
  readonly owner?: ToolOwner | undefined
}

export interface ToolCallAssembler {
  push(fragment: CallFragment, out: TurnEvent[]): void
  /**
   * Closes the call of this index: its `tool-call` is appended now. `argumentsText` replaces what the deltas gave when it is not empty
   * (some servers send the arguments only here, docs/wire.md#responses-arguments-without-deltas).
   */
  complete(fragment: CallFragment, out: TurnEvent[]): void
  /** Closes all open calls in start order. `cut`: the turn ended early, so what does not parse is `truncated`. */
  end(out: TurnEvent[], cut: boolean): void
  /** Number of calls begun so far. */
  readonly count: number
}

/**
 * Assembles streamed tool calls, keyed by the provider's index or id and never by array position. It survives null and empty ids on
 * continuation chunks, the same id repeated on every chunk, fragments before the start chunk, a missing index, index 0 for every call
 * with different ids, two calls in one chunk, interleaving, and a call that arrives whole. Its time grows with the text, however that is
 * cut and whatever the ids.
 */
export function createToolCallAssembler(options: AssemblerOptions): ToolCallAssembler {
  return new Assembler(options)
}

class Assembler implements ToolCallAssembler {
  readonly #options: AssemblerOptions
  readonly #known: KnownCalls = { calls: [] }

  constructor(options: AssemblerOptions) {
    this.#options = options
  }

  get count(): number {
    return this.#known.calls.length
  }

  push(fragment: CallFragment, out: TurnEvent[]): void {
    const call = openedBy(fragment, this.#known, this.#options)
    append(call, fragment)
    announce(call, this.#options, out)
  }

  complete(fragment: CallFragment, out: TurnEvent[]): void {
    const call = openedBy(fragment, this.#known, this.#options)
    append(call, { ...fragment, argumentsText: undefined })
    if (fragment.argumentsText) replaceArguments(call, fragment.argumentsText)
    close(call, this.#options, out, false)
  }

  end(out: TurnEvent[], cut: boolean): void {
    for (const call of this.#known.calls) close(call, this.#options, out, cut)
  }
}

interface OpenCall {
  readonly index: number | undefined
  readonly part: number
  /** Number of the call in its turn. */
  readonly number: number
  id: string | undefined
  /** The name on the wire. */
  name: string
  inputText: string
  /** The end of `inputText` that did not go out in a delta yet. */
  unsent: string
  /** Fixed when the call is announced: an id that comes later only goes into `providerMetadata`. */
  toolCallId: string | undefined
  toolName: string
  closed: boolean
  /** For calls without an id, whose end only their arguments tell. */
  scan?: PartialJson
}

/** Every call of the turn, and the ways to find one without looking through all of them. */
interface KnownCalls {
  calls: OpenCall[]
  /** The latest of each index, where that is not its place in the list. */
  byIndex?: Map<number, OpenCall>
  /** Made when a call is looked for by its id: most are found by their index. */
  ids?: CallsById
}

interface CallsById {
  /** The first of each id. */
  readonly first: Map<string, OpenCall>
  /** Calls whose id another index had first. */
  readonly byIndex: Map<string, OpenCall>
}

/** The call that a fragment continues, or begins. */
function openedBy(fragment: CallFragment, known: KnownCalls, options: AssemblerOptions): OpenCall {
  const call = findCall(known, fragment, options) ?? begin(fragment.index ?? undefined, known, options)
  const id = fragment.id || undefined
  if (call.id === undefined && id !== undefined) keepId(known, call, id)
  return call
}

function begin(index: number | undefined, known: KnownCalls, options: AssemblerOptions): OpenCall {
  const { calls } = known
  const fresh = openCall(index, options.nextPart(), calls.length)
  if (index !== undefined && (index !== calls.length || known.byIndex?.has(index)))
    (known.byIndex ??= new Map()).set(index, fresh)
  known.calls = withItem(calls, fresh)
  return fresh
}

/** The latest call of an index: one that came at its place needs no entry. */
function latestOf(index: number, { calls, byIndex }: KnownCalls): OpenCall | undefined {
  const inPlace = calls[index]
  return byIndex?.get(index) ?? (inPlace?.index === index ? inPlace : undefined)
}

function keepId(known: KnownCalls, call: OpenCall, id: string): void {
  call.id = id
  if (known.ids !== undefined) addId(known.ids, call, id)
}

function idsOf(known: KnownCalls): CallsById {
  if (known.ids !== undefined) return known.ids
  const ids: CallsById = { first: new Map(), byIndex: new Map() }
  for (const call of known.calls) if (call.id !== undefined) addId(ids, call, call.id)
  return (known.ids = ids)
}

function addId({ first, byIndex }: CallsById, call: OpenCall, id: string): void {
  if (!first.has(id)) first.set(id, call)
  else byIndex.set(`${call.index} ${id}`, call)
}

function openCall(index: number | undefined, part: number, number: number): OpenCall {
  // What each call gets later has its field from the beginning: one that is added is an object more.
  return {
    index,
    part,
    number,
    id: undefined,
    name: '',
    inputText: '',
    unsent: '',
    toolCallId: undefined,
    toolName: '',
    closed: false,
  }
}

/** The call that a fragment continues; `undefined` when it begins a new one. */
function findCall(known: KnownCalls, fragment: CallFragment, options: AssemblerOptions): OpenCall | undefined {
  const { index } = fragment
  const id = fragment.id || undefined
  if (index === undefined || index === null) return findWithoutIndex(known, id, fragment)
  const sameIndex = latestOf(index, known)
  if (sameIndex === undefined || (id === undefined && beginsAnother(sameIndex, fragment, options))) return undefined
  // Index 0 for every call with different ids: the id decides.
  if (sameIndex.id === undefined || id === undefined || sameIndex.id === id) return sameIndex
  const ids = idsOf(known)
  const first = ids.first.get(id)
  return first === undefined || first.index === index ? first : ids.byIndex.get(`${index} ${id}`)
}

/** Index 0 for every call and no ids at all: a call that names itself and begins an object after a whole one is another. */
function beginsAnother(call: OpenCall, { name, argumentsText }: CallFragment, options: AssemblerOptions): boolean {
  if (call.id !== undefined || call.name === '' || !name) return false
  const begins = argumentsText ? startsObject(argumentsText) : name !== call.name
  if (call.inputText !== '') return begins && call.scan?.isWhole() === true
  // Nothing but names so far: pieces of one, or a call without arguments and its successor.
  if (!begins || !argumentsText || name === call.name) return false
  return options.isToolName === undefined || (options.isToolName(call.name) && options.isToolName(name))
}

function findWithoutIndex(known: KnownCalls, id: string | undefined, fragment: CallFragment): OpenCall | undefined {
  const last = known.calls.at(-1)
  if (id !== undefined)
    return idsOf(known).first.get(id) ?? (last?.id === undefined && last?.name === '' ? last : undefined)
  // Neither index nor id: a name begins a call, unless it completes one that has none, or repeats that of one under way.
  if (fragment.name && last !== undefined && last.name !== '' && !repeatsName(last, fragment)) return undefined
  return last
}

function repeatsName(call: OpenCall, { name, argumentsText }: CallFragment): boolean {
  if (name !== call.name || call.id !== undefined || call.inputText === '' || !argumentsText) return false
  return !startsObject(argumentsText) || call.scan?.isWhole() !== true
}

function startsObject(text: string): boolean {
  return text.trimStart().startsWith('{')
}

function append(call: OpenCall, fragment: CallFragment): void {
  if (fragment.name && fragment.name !== call.name && call.toolCallId === undefined) {
    // A name may come in pieces, but only before the arguments; afterwards it is a repetition.
    call.name += fragment.name
  }
  if (fragment.argumentsText) {
    call.inputText += fragment.argumentsText
    call.unsent += fragment.argumentsText
    if (call.id === undefined) (call.scan ??= createPartialJson()).push(fragment.argumentsText)
  }
}

/** `tool-call-start` waits for the name and for the first piece of the arguments, so that a name in pieces is whole. */
function announce(call: OpenCall, options: AssemblerOptions, out: TurnEvent[]): void {
  if (call.closed || call.name === '' || call.unsent === '') return
  const toolCallId = start(call, options, out)
  if (!isUnseen(out)) out.push({ type: 'tool-call-delta', part: call.part, toolCallId, inputText: call.unsent })
  call.unsent = ''
}

function start(call: OpenCall, options: AssemblerOptions, out: TurnEvent[]): string {
  if (call.toolCallId !== undefined) return call.toolCallId
  call.toolCallId = call.id ?? `call_${options.turn}_${call.number}`
  call.toolName = options.toolName?.(call.name) ?? call.name
  if (isUnseen(out)) return call.toolCallId
  out.push({
    type: 'tool-call-start',
    part: call.part,
    toolCallId: call.toolCallId,
    toolName: call.toolName,
    owner: options.owner ?? 'client',
  })
  return call.toolCallId
}

/** The final text wins over the sum of the deltas; what it adds to them goes out as one more delta. */
function replaceArguments(call: OpenCall, text: string): void {
  const sent = call.inputText.slice(0, call.inputText.length - call.unsent.length)
  call.unsent = text.startsWith(sent) ? text.slice(sent.length) : ''
  call.inputText = text
}

type CallEvent = Extract<TurnEvent, { readonly type: 'tool-call' }>

function close(call: OpenCall, options: AssemblerOptions, out: TurnEvent[], cut: boolean): void {
  if (call.closed) return
  announce(call, options, out)
  const toolCallId = start(call, options, out)
  call.closed = true
  const { part, toolName, inputText } = call
  // A copy: what an adapter keeps of it goes into the history, and the call may still get fragments.
  const finished = { index: call.index, id: call.id, toolName, inputText }
  const providerMetadata = options.providerMetadata?.(finished)
  const isWholeText = !cut && options.isFreeText?.(finished) === true
  const { input, invalid }: ParsedInput = isWholeText ? { input: { input: inputText } } : parseToolInput(inputText, cut)
  // In one literal each: a spread, of nothing too, costs as much as all the rest, and what is added later an object more.
  const owner = options.owner ?? 'client'
  const event: Writable<CallEvent> =
    providerMetadata === undefined
      ? { type: 'tool-call', part, toolCallId, toolName, input, inputText, owner }
      : { type: 'tool-call', part, toolCallId, toolName, input, inputText, owner, providerMetadata }
  if (invalid !== undefined) event.invalid = invalid
  out.push(event)
}
