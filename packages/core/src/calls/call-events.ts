import type { ToolCallPart } from '../contract/messages.ts'
import type { LoopEvent } from '../contract/loop-events.ts'
import type { CallPlan } from './call-plan.ts'
import type { ToolOutcome } from './run-tool.ts'

export type Emit = (event: LoopEvent) => void

/** @param started ids of calls whose beginning was told of */
export function announce(plan: CallPlan, emit: Emit, started: { has(toolCallId: string): boolean } | undefined): void {
  const { toolCallId, toolName } = plan.call
  if (!started?.has(toolCallId)) emit({ type: 'tool-state', toolCallId, toolName, state: 'queued' })
  if (plan.type === 'answer') settle(plan.call, { output: plan.output }, emit)
}

export function settle(call: ToolCallPart, outcome: ToolOutcome, emit: Emit): void {
  const { toolCallId, toolName, owner } = call
  const state = outcome.output.type === 'error' ? 'failed' : 'completed'
  emit({ type: 'tool-state', toolCallId, toolName, state })
  emit({ type: 'tool-result', toolCallId, toolName, output: outcome.output, owner })
}
