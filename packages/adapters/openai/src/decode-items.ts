import {
  createToolCallAssembler,
  malformed,
  objectOf,
  textOf,
  type JsonObject,
  type Origin,
  type ToolCallAssembler,
  type ToolDefinition,
  type ToolOwner,
  type TurnEvent,
  type TurnRequest,
} from '@steploop/core/adapter'
import {
  closeMessage,
  continuedContent,
  isMessage,
  openContent,
  pushCitation,
  pushText,
  remainderOf,
  metadataOf,
  type OpenContent,
  type SlotState,
} from './decode-message.ts'
import type { Items, OpenItem } from './find-item.ts'
import { callIdOf, callName, itemCall, itemResult, ownerOf, resultItem } from './hosted-items.ts'
import { reasoningText, without } from './item-wire.ts'
import { toolNames } from './names.ts'

/** Turns output items into events. Whole answers and streams go the same way: an item that was never opened is opened when it is done. */
export interface ItemDecoder {
  readonly items: Items
  /** True when the caller has to answer a call. */
  clientCalls(): boolean
  open(index: number, item: JsonObject, out: TurnEvent[], outputIndex?: number): OpenItem
  /** A part of a message's text begins. */
  announcePart(open: OpenItem, contentIndex: number, out: TurnEvent[]): void
  /** A piece of a message's text or refusal. */
  text(open: OpenItem, contentIndex: number, type: OpenContent['type'], text: string, out: TurnEvent[]): void
  /** A piece of reasoning, of arguments, or of a custom call's free text. */
  delta(open: OpenItem, text: string, out: TurnEvent[]): void
  /** The arguments of a function are whole; the event may name it. */
  argumentsDone(open: OpenItem, event: JsonObject, out: TurnEvent[]): void
  annotation(open: OpenItem, contentIndex: number, annotation: JsonObject, out: TurnEvent[]): void
  done(index: number, item: JsonObject, out: TurnEvent[]): void
  /** The `reasoning` of the response object: the setting of the request, or (mistral.rs) the text of what no item says. */
  reasoningBeside(given: unknown, output: readonly unknown[], out: TurnEvent[]): void
  /** Closes what was left open, as it is. `cut`: the answer ended early. */
  end(out: TurnEvent[], cut: boolean): void
}

interface State extends SlotState {
  readonly request: TurnRequest
  readonly tools: readonly ToolDefinition[] | undefined
  readonly items: { readonly byIndex: Map<number | undefined, OpenItem>; readonly inOrder: OpenItem[] }
  readonly calls: ToolCallAssembler
  otherClientCalls: number
  saidBeside?: true
}

export function createItemDecoder(request: TurnRequest, origin: Origin): ItemDecoder {
  const items: State['items'] = { byIndex: new Map(), inOrder: [] }
  const names = toolNames(request.tools)
  const calls = createToolCallAssembler({
    turn: request.turn,
    nextPart: () => state.nextPart++,
    toolName: (name) => names.get(name),
    providerMetadata: (call) => {
      const item = items.byIndex.get(call.index)?.item
      return item && metadataOf(origin, { item: without(item, 'arguments') })
    },
  })
  const state: State = {
    request,
    origin,
    tools: request.tools,
    items,
    calls,
    nextPart: 0,
    otherClientCalls: 0,
  }
  return {
    items,
    clientCalls: () => calls.count + state.otherClientCalls > 0,
    open: (index, item, out, outputIndex) => openItem(state, index, item, out, outputIndex),
    announcePart: (open, contentIndex, out) => {
      openContent(state, open, contentIndex, 'output_text', out).announced = true
    },
    text: (open, contentIndex, type, text, out) =>
      pushText(continuedContent(state, open, contentIndex, type, out), text, out),
    delta: (open, text, out) => pushDelta(state, open, text, out),
    argumentsDone: (open, event, out) => finishArguments(state, open, event, out),
    annotation: (open, contentIndex, annotation, out) => {
      pushCitation(continuedContent(state, open, contentIndex, 'output_text', out), annotation, out)
    },
    done: (index, item, out) => {
      const open = openItem(state, index, item, out)
      if (open.closed) return
      const { type, role } = open.item
      // Its beginning has decided what it is.
      open.item = item['type'] === type && isMessage(item) === isMessage(open.item) ? item : { ...item, type, role }
      closeItem(state, open, out)
    },
    end: (out, cut) => {
      for (const open of items.inOrder) {
        if (!open.closed) closeUnfinished(state, open, out)
      }
      calls.end(out, cut)
    },
    reasoningBeside(given, output, out) {
      const isSaid = [...output, ...items.inOrder.map(({ item }) => item)].some(isReasoning)
      const text = textOf(given)
      if (text === undefined || isSaid || state.saidBeside) return
      state.saidBeside = true
      const part = state.nextPart++
      out.push({ type: 'reasoning-start', part }, { type: 'reasoning-delta', part, text })
      out.push({ type: 'reasoning-end', part, providerMetadata: metadataOf(origin, { within: true }) })
    },
  }
}

function isReasoning(item: unknown): boolean {
  return objectOf(item)['type'] === 'reasoning'
}

function openItem(state: State, index: number, item: JsonObject, out: TurnEvent[], outputIndex = index): OpenItem {
  const known = state.items.byIndex.get(index)
  if (known !== undefined) return known
  const toolCallId = callIdOf(item) ?? `call_${state.request.turn}_${index}`
  const fresh: OpenItem = {
    index,
    outputIndex,
    item,
    part: state.nextPart,
    toolCallId,
    name: textOf(item['name']),
    sent: '',
    contents: new Map<number, OpenContent>(),
  }
  state.items.byIndex.set(index, fresh)
  state.items.inOrder.push(fresh)
  if (isMessage(item)) return fresh
  if (item['type'] === 'function_call') {
    state.calls.push({ index, id: toolCallId, name: textOf(item['name']) }, out)
    return fresh
  }
  openPart(state, fresh, out)
  return fresh
}

/** The slot is taken when the item begins, with those of what its end will bring, so that later items do not come between. */
function openPart(state: State, open: OpenItem, out: TurnEvent[]): void {
  const { item } = open
  const owner = ownerOf(item)
  state.nextPart++
  if (item['type'] === 'reasoning') out.push({ type: 'reasoning-start', part: open.part })
  if (owner === undefined) return
  if (itemResult(item) !== undefined) state.nextPart += item['type'] === 'image_generation_call' ? 2 : 1
  if (owner === 'client') state.otherClientCalls++
  const toolName = callName(item, state.tools)
  out.push({ type: 'tool-call-start', part: open.part, toolCallId: open.toolCallId, toolName, owner })
}

function pushDelta(state: State, open: OpenItem, text: string, out: TurnEvent[]): void {
  const { index, part, toolCallId, item, closed } = open
  const { type } = item
  if (text === '' || closed) return
  open.sent += text
  if (type === 'function_call') state.calls.push({ index, argumentsText: text }, out)
  else if (type === 'reasoning') out.push({ type: 'reasoning-delta', part, text })
  else if (type === 'custom_tool_call') out.push({ type: 'tool-call-delta', part, toolCallId, inputText: text })
}

function finishArguments({ calls }: State, open: OpenItem, event: JsonObject, out: TurnEvent[]): void {
  open.finalArguments = textOf(event['arguments'])
  if (open.name !== undefined) return
  open.name = textOf(event['name'])
  calls.push({ index: open.index, name: open.name }, out)
}

function closeItem(state: State, open: OpenItem, out: TurnEvent[]): void {
  const { item } = open
  if (isMessage(item)) closeMessage(state, open, out)
  else if (item['type'] === 'function_call') closeFunctionCall(state, open, out)
  else if (item['type'] === 'reasoning') {
    pushDelta(state, open, remainderOf(reasoningText(item), open.sent), out)
    out.push({ type: 'reasoning-end', part: open.part, providerMetadata: metadataOf(state.origin, { item }) })
  } else closeOther(state, open, out)
  open.closed = true
}

/** Nothing but the item itself names a function: events of its arguments may come first, and no end may come without a name. */
function requireName({ origin }: State, { item, name }: OpenItem): void {
  if (item['type'] !== 'function_call' || (textOf(item['name']) ?? name) !== undefined) return
  throw malformed(origin, 'a call has no name', JSON.stringify(item))
}

/** A call that the provider calls incomplete stays open: the end of the turn marks it as truncated. */
function closeFunctionCall(state: State, open: OpenItem, out: TurnEvent[]): void {
  const { item, index } = open
  requireName(state, open)
  const argumentsText = argumentsOf(item) ?? open.finalArguments
  if (item['status'] === 'incomplete') pushDelta(state, open, remainderOf(argumentsText ?? '', open.sent), out)
  else state.calls.complete({ index, name: textOf(item['name']), argumentsText }, out)
}

function argumentsOf(item: JsonObject): string | undefined {
  const given = item['arguments']
  return given instanceof Object ? JSON.stringify(given) : textOf(given)
}

function closeOther(state: State, open: OpenItem, out: TurnEvent[]): void {
  const { item } = open
  const owner = ownerOf(item)
  if (owner !== undefined) return closeCall(state, open, owner, out)
  const result = resultItem(item)
  const toolCallId = result && (textOf(item['call_id']) ?? lastCallId(state, result.of))
  const wire = metadataOf(state.origin, { item })
  if (result === undefined || toolCallId === undefined)
    return void out.push({ type: 'opaque', part: open.part, providerMetadata: wire })
  const toolName = callName({ type: result.of }, state.tools)
  out.push({
    type: 'tool-result',
    part: open.part,
    toolCallId,
    toolName,
    output: result.output,
    providerMetadata: wire,
  })
}

function closeCall(state: State, open: OpenItem, owner: ToolOwner, out: TurnEvent[]): void {
  const { item, part, toolCallId } = open
  if (owner === 'client' && item['status'] === 'incomplete') return closeUnfinished(state, open, out)
  const call = itemCall(item, owner, state.tools)
  if (item['type'] === 'custom_tool_call') pushDelta(state, open, remainderOf(call.inputText, open.sent), out)
  const image = item['type'] === 'image_generation_call' ? textOf(item['result']) : undefined
  // What the part says is not kept twice.
  const kept = without(item, image === undefined ? 'input' : 'result')
  out.push({ type: 'tool-call', part, toolCallId, ...call, providerMetadata: metadataOf(state.origin, { item: kept }) })
  const output = itemResult(item)
  if (output === undefined) return
  out.push({ type: 'tool-result', part: part + 1, toolCallId, toolName: call.toolName, output })
  if (image === undefined) return
  const mediaType = `image/${textOf(item['output_format']) ?? 'png'}`
  out.push({
    type: 'file',
    part: part + 2,
    mediaType,
    data: image,
    providerMetadata: metadataOf(state.origin, { within: true }),
  })
}

/** An item whose end never came, in an answer that did end. What cannot be sent back as it is gets no payload. */
function closeUnfinished(state: State, open: OpenItem, out: TurnEvent[]): void {
  const { item, part, toolCallId } = open
  if (isMessage(item)) {
    open.item = { ...item, status: 'incomplete' }
    return closeMessage(state, open, out)
  }
  if (item['type'] === 'reasoning') return void out.push({ type: 'reasoning-end', part })
  requireName(state, open)
  const owner = ownerOf(item)
  if (owner === undefined) return
  const toolName = callName(item, state.tools)
  const unusable = {
    toolCallId,
    toolName,
    input: undefined,
    inputText: open.sent,
    invalid: 'truncated',
    owner,
  } as const
  out.push({ type: 'tool-call', part, ...unusable })
}

/** A hosted search's output names no call: it belongs to the last call of its kind before it. */
function lastCallId(state: State, type: string): string | undefined {
  return state.items.inOrder.findLast(({ item }) => item['type'] === type)?.toolCallId
}
