import type { PendingCall, ToolCallPart } from '@steploop/core'
import type { UiMessageChunk } from './chunks.ts'
import { inStep, type Chunks, type EventOf, type EncoderState } from './encode-step.ts'
import { invalidText, outcomeOf } from './ui-parts.ts'

type Names = Pick<ToolCallPart, 'toolCallId' | 'toolName' | 'owner'>

export function namesOf({ options }: Pick<EncoderState, 'options'>, { toolCallId, toolName, owner }: Names) {
  const dynamic = options.isDynamic?.(toolName) === true
  return {
    toolCallId,
    toolName,
    ...(owner === 'provider' && { providerExecuted: true as const }),
    ...(dynamic && { dynamic: true as const }),
  }
}

export function callStart(state: EncoderState, event: EventOf<'tool-call-start'>): Chunks {
  state.calls.set(event.toolCallId, { input: undefined, step: state.step.number })
  state.step.calls.add(event.toolCallId)
  return inStep(state, { type: 'tool-input-start', ...namesOf(state, event) })
}

export function callChunk(state: EncoderState, call: EventOf<'tool-call'>): Chunks {
  state.calls.set(call.toolCallId, { input: call.input, step: state.step.number })
  state.step.calls.delete(call.toolCallId)
  const names = namesOf(state, call)
  if (call.invalid === undefined) return inStep(state, { type: 'tool-input-available', ...names, input: call.input })
  const errorText = invalidText(call, state.errorText)
  return inStep(state, { type: 'tool-input-error', ...names, input: call.inputText, errorText })
}

/** What the tool told last goes away with the next state. */
export function toolState({ calls }: EncoderState, event: EventOf<'tool-state' | 'tool-progress'>): Chunks {
  const { toolCallId: id, toolName } = event
  if (!calls.has(id)) return []
  if (event.type === 'tool-state') return [{ type: 'data-tool-state', id, data: { toolName, state: event.state } }]
  const { progress, total, message } = event
  return [{ type: 'data-tool-state', id, data: { toolName, state: 'running', progress, total, message } }]
}

export function callResult(
  { calls, errorText }: EncoderState,
  { toolCallId, output, owner }: EventOf<'tool-result'>,
): Chunks {
  if (!calls.has(toolCallId)) return []
  const { state, ...outcome } = outcomeOf(output, errorText)
  const executed = owner === 'provider' && state !== 'output-denied' && { providerExecuted: true }
  return [{ type: `tool-${state}`, toolCallId, ...outcome, ...executed } as UiMessageChunk]
}

/** A person approves what runs, which hooks and the schema may have made from what the model wrote. */
export function shownInput(state: EncoderState, { toolCallId, toolName, input }: PendingCall): Chunks {
  if (JSON.stringify(state.calls.get(toolCallId)?.input) === JSON.stringify(input)) return []
  const names = namesOf(state, { toolCallId, toolName, owner: 'loop' })
  return [{ type: 'tool-input-available', ...names, input }]
}
