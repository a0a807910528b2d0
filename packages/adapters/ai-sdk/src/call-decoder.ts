import {
  parseToolInput,
  textOf,
  type JsonObject,
  type Origin,
  type ToolOutput,
  type ToolOwner,
  type TurnEvent,
} from '@steploop/core/adapter'
import { payload } from './payload.ts'

export interface CallDecoder {
  /** True when the part belonged to a call or was the result of one. */
  push(part: JsonObject, out: TurnEvent[]): boolean
  /**
   * The turn is whole. Gives the caller's calls: packages flush what they have when a stream breaks off, even a call of which only the
   * name came, so that a call counts only when the end is proven. Calls that began but were never given as a whole are `truncated`,
   * whatever their text looks like. `cut`: the answer was stopped early, so nothing is no empty input.
   */
  end(out: TurnEvent[], cut: boolean): void
  /** Calls for the caller that came as a whole. */
  clientCalls(): number
}

interface OpenCall {
  readonly part: number
  readonly toolCallId: string
  readonly toolName: string
  readonly owner: ToolOwner
  inputText: string
  readonly metadata: unknown
}

type CallEvent = Extract<TurnEvent, { type: 'tool-call' }>

interface State {
  readonly origin: Origin
  readonly nextPart: () => number
  readonly open: Map<string, OpenCall>
  /** The caller's calls, held back until the end is proven. */
  readonly held: CallEvent[]
}

/** Calls, and the results of those that the provider ran. */
export function createCallDecoder(origin: Origin, nextPart: () => number): CallDecoder {
  const state: State = { origin, nextPart, open: new Map(), held: [] }
  return {
    push: (part, out) => pushPart(state, part, out),
    end(out, cut) {
      const last = state.held.at(-1)
      for (const call of state.held) out.push(cut ? cutCall(call, call === last) : call)
      for (const { metadata, ...call } of state.open.values()) {
        const wire = payload(origin, { id: call.toolCallId, providerMetadata: metadata })
        out.push({ type: 'tool-call', ...call, input: undefined, invalid: 'truncated', ...wire })
      }
      state.open.clear()
    },
    clientCalls: () => state.held.length,
  }
}

/** Marks a call as broken off: an answer in one piece may hold nothing of its input but an empty object. */
function cutCall(call: CallEvent, isLast: boolean): CallEvent {
  const isEmpty = isLast && call.inputText.trim() === '{}'
  return { ...call, ...parseToolInput(isEmpty ? '' : call.inputText, true) }
}

function pushPart(state: State, part: JsonObject, out: TurnEvent[]): boolean {
  switch (part['type']) {
    case 'tool-input-start':
      begin(state, textOf(part['id']) ?? '', part, out)
      return true
    case 'tool-input-delta': {
      const call = state.open.get(textOf(part['id']) ?? '')
      const text = textOf(part['delta'])
      if (call !== undefined && text !== undefined) extend(call, text, out)
      return true
    }
    case 'tool-input-end':
      return true
    case 'tool-call':
      complete(state, part, out)
      return true
    case 'tool-result':
      pushResult(state, part, out)
      return true
    default:
      return false
  }
}

function begin(state: State, toolCallId: string, part: JsonObject, out: TurnEvent[]): OpenCall {
  const toolName = textOf(part['toolName']) ?? ''
  const owner = part['providerExecuted'] === true ? 'provider' : 'client'
  const metadata = part['providerMetadata']
  const call: OpenCall = { part: state.nextPart(), toolCallId, toolName, owner, inputText: '', metadata }
  state.open.set(toolCallId, call)
  out.push({ type: 'tool-call-start', part: call.part, toolCallId, toolName, owner })
  return call
}

function extend(call: OpenCall, inputText: string, out: TurnEvent[]): void {
  call.inputText += inputText
  out.push({ type: 'tool-call-delta', part: call.part, toolCallId: call.toolCallId, inputText })
}

function complete(state: State, part: JsonObject, out: TurnEvent[]): void {
  const toolCallId = textOf(part['toolCallId']) ?? ''
  const inputText = textOf(part['input']) ?? ''
  const call = state.open.get(toolCallId) ?? begin(state, toolCallId, part, out)
  state.open.delete(toolCallId)
  if (call.inputText === '' && inputText !== '') extend(call, inputText, out)
  const owner = part['providerExecuted'] === true ? 'provider' : call.owner
  const event: CallEvent = {
    type: 'tool-call',
    part: call.part,
    toolCallId,
    toolName: textOf(part['toolName']) ?? call.toolName,
    ...parseToolInput(inputText),
    inputText,
    owner,
    ...payload(state.origin, { id: toolCallId, providerMetadata: part['providerMetadata'] ?? call.metadata }),
  }
  if (owner === 'client') state.held.push(event)
  else out.push(event)
}

function pushResult(state: State, part: JsonObject, out: TurnEvent[]): void {
  // Previews are replaced by the result that follows them.
  if (part['preliminary'] === true) return
  const { result, providerMetadata } = part
  const id = textOf(part['toolCallId']) ?? ''
  const isError = part['isError'] === true
  out.push({
    type: 'tool-result',
    part: state.nextPart(),
    toolCallId: id,
    toolName: textOf(part['toolName']) ?? '',
    output: outputOf(result, isError),
    ...payload(state.origin, { id, result: result ?? null, isError: isError || undefined, providerMetadata }),
  })
}

function outputOf(result: unknown, isError: boolean): ToolOutput {
  if (!isError) {
    return typeof result === 'string' ? { type: 'text', value: result } : { type: 'json', value: result ?? null }
  }
  const message = typeof result === 'string' ? result : JSON.stringify(result ?? null)
  return { type: 'error', value: { code: 'tool-failed', message } }
}
