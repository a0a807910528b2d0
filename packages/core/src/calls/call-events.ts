import type { ToolCallPart } from '../contract/messages.ts'
import type { LoopEvent } from '../contract/loop-events.ts'
import type { CallPlan } from './call-plan.ts'
import type { ToolOutcome } from './run-tool.ts'

export type Emit = (event: LoopEvent) => void

/** @param started ids of calls whose beginning was told of */
export function announce(plan: CallPlan, emit: Emit, started: { has(toolCallId: string): boolean } | undefined): void {
  if (!started?.has(plan.call.toolCallId)) emit(toolState(plan.call, 'queued'))
  if (plan.type === 'answer') settle(plan.call, { output: plan.output }, emit)
}

export function settle(call: NamedCall & Pick<ToolCallPart, 'owner'>, { output }: ToolOutcome, emit: Emit): void {
  const { toolCallId, toolName, owner } = call
  emit(toolState(call, output.type === 'error' ? 'failed' : 'completed'))
  emit({ type: 'tool-result', toolCallId, toolName, output, owner })
}

type NamedCall = Pick<ToolCallPart, 'toolCallId' | 'toolName'>

type ToolState = Extract<LoopEvent, { type: 'tool-state' }>

export function toolState({ toolCallId, toolName }: NamedCall, state: ToolState['state']): ToolState {
  return { type: 'tool-state', toolCallId, toolName, state }
}
