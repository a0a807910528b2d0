import type { Attributes } from '@opentelemetry/api'
import {
  LoopError,
  StepLoopError,
  type PendingCall,
  type RunResult,
  type Step,
  type ToolCallPart,
  type ToolResultPart,
  type Usage,
} from '@steploop/core'
import { answerOf, exportable } from './content.ts'
import { withoutUndefined } from './instruments.ts'
import { finishReasonName, own, type Names } from './names.ts'
import type { RunRecord } from './records.ts'
import { plainText, safely } from './safely.ts'

export function endOfRun({ setup, ran }: RunRecord, result: RunResult): Attributes {
  const { names, content, conventions } = setup
  const { status, stopReason, steps, usage, transcript, toolCalls, toolResults } = result
  const answer = content?.on === 'spans' ? result.messages.findLast(({ role }) => role === 'assistant') : undefined
  const reason = conventions === 'v1.41' ? steps.at(-1)?.finishReason : undefined
  return withoutUndefined({
    [own.status]: status,
    [own.stopReason]: stopReason,
    ...stepAttributes(names, steps, usage),
    ...callsWithoutSpan(ran, { calls: toolCalls, results: toolResults, pending: transcript.pendingCalls }),
    ...(content &&
      answer && { [names.outputMessages]: exportable('output-messages', answerOf(answer, reason), content) }),
  })
}

/** Attributes of a failed run. Words of the error are left out: they may quote what a provider, or a tool, said. */
export function endOfFailedRun({ setup: { names }, ran }: RunRecord, error: unknown): Attributes {
  const { steps = [], usage, transcript } = LoopError.isInstance(error) ? error : {}
  const calls = steps.flatMap((step) => step.toolCalls)
  const results = steps.flatMap((step) => step.toolResults)
  return withoutUndefined({
    ...stepAttributes(names, steps, usage),
    ...callsWithoutSpan(ran, { calls, results, pending: transcript?.pendingCalls ?? [] }),
  })
}

/** The code of our errors; nothing that an error says, nor what is no word. */
export function errorTypeOf(error: unknown): string {
  const code: unknown = safely(() => (StepLoopError.isInstance(error) ? error.code : undefined))
  return typeof code === 'string' && /^[a-z-]{1,40}$/.test(code) ? code : '_OTHER'
}

function stepAttributes(names: Names, steps: readonly Step[], usage: Usage | undefined): Attributes {
  const last = steps.at(-1)
  return {
    [own.steps]: steps.length,
    [names.finishReasons]: last && [finishReasonName(last.finishReason)],
    [names.inputTokens]: usage?.inputTokens,
    [names.outputTokens]: usage?.outputTokens,
  }
}

/** A list in a span is for people to read. */
const mostIds = 128

interface Calls {
  readonly calls: readonly ToolCallPart[]
  readonly results: readonly ToolResultPart[]
  readonly pending: readonly PendingCall[]
}

/** Calls that were not carried out here are no failures, and have no span: what became of them is told on the run. */
function callsWithoutSpan(ran: ReadonlySet<string>, { calls, results, pending }: Calls): Attributes {
  if (calls.every(({ toolCallId }) => ran.has(toolCallId))) return {}
  const waiting = new Set(pending.map(({ toolCallId }) => toolCallId))
  const outputs = new Map(results.map(({ toolCallId, output }) => [toolCallId, output]))
  const ids: Record<string, string[]> = {}
  for (const { toolCallId, owner } of calls) {
    if (ran.has(toolCallId)) continue
    const output = outputs.get(toolCallId)
    const code = output?.type === 'error' ? output.value.code : undefined
    const fate = fateOf(owner, waiting.has(toolCallId), output === undefined ? 'not-executed' : code)
    const list = (ids[fate] ??= [])
    if (list.length < mostIds) list.push(plainText(toolCallId) ?? '')
  }
  return ids
}

function fateOf(owner: ToolCallPart['owner'], waits: boolean, code: string | undefined): string {
  if (owner === 'provider') return own.callsOfProvider
  if (waits) return own.callsPending
  if (code === undefined) return own.callsAnswered
  if (code === 'denied') return own.callsDenied
  return code === 'unknown-tool' ? own.callsUnknown : own.callsNotExecuted
}
