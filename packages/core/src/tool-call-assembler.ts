import type { TurnEvent } from './events.ts'
import type { ToolOwner, WirePayload } from './messages.ts'
import { parseToolInput } from './tool-input.ts'

/** One piece of a streamed call, as the provider sent it. `null` and `''` count as absent (WIRE C6). */
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
  readonly wire?: ((call: FinishedCall) => WirePayload | undefined) | undefined
  /** Maps a name on the wire back to the tool's name. */
  readonly toolName?: ((wireName: string) => string) | undefined
  /** True: the arguments are free text and become `{ input: text }`. Default: they are JSON. */
  readonly isFreeText?: ((call: FinishedCall) => boolean) | undefined
  /** Default `client`. */
  readonly owner?: ToolOwner | undefined
}

export interface ToolCallAssembler {
  push(fragment: CallFragment, out: TurnEvent[]): void
  /**
   * Closes the call of this index: its `tool-call` is appended now. `argumentsText` replaces what the deltas gave when it is not empty
   * (some servers send the arguments only here, WIRE D4).
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
 * with different ids, two calls in one chunk, interleaving, and a call that arrives whole.
 */
export function createToolCallAssembler(options: AssemblerOptions): ToolCallAssembler {
  const calls: OpenCall[] = []
  const byIndex = new Map<number, OpenCall>()
  const find = (fragment: CallFragment): OpenCall => {
    const call = findCall(calls, byIndex, fragment)
    if (call !== undefined) return call
    const index = fragment.index ?? undefined
    const fresh = openCall(index, options.nextPart(), `call_${options.turn}_${calls.length}`)
    calls.push(fresh)
    if (index !== undefined) byIndex.set(index, fresh)
    assembler.count++
    return fresh
  }
  const assembler = {
    count: 0,
    push(fragment: CallFragment, out: TurnEvent[]) {
      const call = find(fragment)
      append(call, fragment)
      announce(call, options, out)
    },
    complete(fragment: CallFragment, out: TurnEvent[]) {
      const call = find(fragment)
      append(call, { ...fragment, argumentsText: undefined })
      if (fragment.argumentsText) replaceArguments(call, fragment.argumentsText)
      close(call, options, out, false)
    },
    end(out: TurnEvent[], cut: boolean) {
      for (const call of calls) close(call, options, out, cut)
    },
  }
  return assembler
}

interface OpenCall {
  readonly index: number | undefined
  readonly part: number
  readonly madeId: string
  id: string | undefined
  name: string
  text: string
  /** The end of `text` that did not go out in a delta yet. */
  unsent: string
  /** Fixed when the call is announced: an id that comes later only goes into `wire`. */
  toolCallId: string | undefined
  closed: boolean
}

function openCall(index: number | undefined, part: number, madeId: string): OpenCall {
  return {
    index,
    part,
    madeId,
    id: undefined,
    name: '',
    text: '',
    unsent: '',
    toolCallId: undefined,
    closed: false,
  }
}

/** The call that a fragment continues; `undefined` when it begins a new one. `byIndex` holds the latest of each index. */
function findCall(
  calls: readonly OpenCall[],
  byIndex: ReadonlyMap<number, OpenCall>,
  fragment: CallFragment,
): OpenCall | undefined {
  const { index } = fragment
  const id = fragment.id || undefined
  if (index === undefined || index === null) return findWithoutIndex(calls, id, fragment)
  const sameIndex = byIndex.get(index)
  if (sameIndex === undefined || (id === undefined && beginsAnother(sameIndex, fragment))) return undefined
  // Index 0 for every call with different ids: the id decides.
  if (sameIndex.id === undefined || id === undefined || sameIndex.id === id) return sameIndex
  return calls.find((call) => call.index === index && call.id === id)
}

/** Index 0 for every call and no ids at all: a call that names itself and brings arguments after a whole one is another. */
function beginsAnother(call: OpenCall, { name, argumentsText }: CallFragment): boolean {
  if (call.id !== undefined || call.name === '' || call.text === '' || !name || !argumentsText) return false
  return parseToolInput(call.text).invalid === undefined
}

function findWithoutIndex(
  calls: readonly OpenCall[],
  id: string | undefined,
  fragment: CallFragment,
): OpenCall | undefined {
  const last = calls.at(-1)
  if (id !== undefined) {
    const sameId = calls.find((call) => call.id === id)
    return sameId ?? (last?.id === undefined && last?.name === '' ? last : undefined)
  }
  // Neither index nor id: a name begins a call, unless it completes one that has none.
  if (fragment.name && last !== undefined && last.name !== '') return undefined
  return last
}

function append(call: OpenCall, fragment: CallFragment): void {
  call.id ??= fragment.id || undefined
  if (fragment.name && fragment.name !== call.name && call.toolCallId === undefined) {
    // A name may come in pieces, but only before the arguments; afterwards it is a repetition.
    call.name += fragment.name
  }
  if (fragment.argumentsText) {
    call.text += fragment.argumentsText
    call.unsent += fragment.argumentsText
  }
}

/** `tool-call-start` waits for the name and for the first piece of the arguments, so that a name in pieces is whole. */
function announce(call: OpenCall, options: AssemblerOptions, out: TurnEvent[]): void {
  if (call.closed || call.name === '' || call.unsent === '') return
  const toolCallId = start(call, options, out)
  out.push({ type: 'tool-call-delta', part: call.part, toolCallId, inputText: call.unsent })
  call.unsent = ''
}

function start(call: OpenCall, options: AssemblerOptions, out: TurnEvent[]): string {
  if (call.toolCallId !== undefined) return call.toolCallId
  call.toolCallId = call.id ?? call.madeId
  const toolName = options.toolName?.(call.name) ?? call.name
  out.push({
    type: 'tool-call-start',
    part: call.part,
    toolCallId: call.toolCallId,
    toolName,
    owner: options.owner ?? 'client',
  })
  return call.toolCallId
}

/** The final text wins over the sum of the deltas; what it adds to them goes out as one more delta. */
function replaceArguments(call: OpenCall, text: string): void {
  const sent = call.text.slice(0, call.text.length - call.unsent.length)
  call.unsent = text.startsWith(sent) ? text.slice(sent.length) : ''
  call.text = text
}

function close(call: OpenCall, options: AssemblerOptions, out: TurnEvent[], cut: boolean): void {
  if (call.closed) return
  announce(call, options, out)
  const toolCallId = start(call, options, out)
  call.closed = true
  const toolName = options.toolName?.(call.name) ?? call.name
  const finished = { index: call.index, id: call.id, toolName, inputText: call.text }
  const wire = options.wire?.(finished)
  const isWholeText = !cut && options.isFreeText?.(finished) === true
  out.push({
    type: 'tool-call',
    part: call.part,
    toolCallId,
    toolName,
    ...(isWholeText ? { input: { input: call.text } } : parseToolInput(call.text, cut)),
    inputText: call.text,
    owner: options.owner ?? 'client',
    ...(wire && { wire }),
  })
}
