import { AdapterError, LoopError } from '@steploop/core'
import { isObject } from '@steploop/core/adapter'
import type { AssistantPart, FinishReason, Message, ToolOutput, ToolResultPart, Usage } from '@steploop/core'
import type { RunRecord } from '../../evidence.ts'
import { structuredToolName } from '../../structured-tool.ts'

/**
 * Canonical, provider-neutral record of what a case did. Two front-ends, or two ways to cut the same bytes into chunks, must give equal
 * traces: it holds all content and nothing of how the content arrived. Call ids are replaced by ordinals.
 */
export interface Trace {
  readonly runs: readonly TraceRun[]
}

export interface TraceRun {
  readonly steps: readonly TraceStep[]
  readonly end: TraceEnd
  /** Number of requests. */
  readonly requests: number
  /** Tools that really ran, in the order in which they began. */
  readonly executions: readonly { readonly toolName: string; readonly input: unknown }[]
}

export interface TraceStep {
  /** `undefined` when the turn failed. */
  readonly finish: FinishReason | undefined
  readonly parts: readonly TracePart[]
  /** In the order in which the history holds them. */
  readonly results: readonly TraceResult[]
  readonly usage: Usage | undefined
}

export type TracePart =
  | { readonly type: 'text' | 'reasoning' | 'refusal'; readonly text: string }
  | {
      readonly type: 'call'
      /** Ordinal of the call in the run, from 1. */
      readonly call: number
      readonly toolName: string
      readonly input: unknown
      readonly owner: string
      readonly invalid: string | undefined
    }
  | { readonly type: 'other'; readonly kind: string }

export interface TraceResult {
  /** Ordinal of the call that it answers; 0 when there is none. */
  readonly call: number
  readonly toolName: string
  readonly output: ToolOutput
}

export type TraceEnd =
  | {
      readonly type: 'result'
      readonly status: string
      readonly stopReason: string
      readonly text: string
      readonly pending: readonly string[]
      readonly usage: Usage | undefined
    }
  | { readonly type: 'error'; readonly code: string; readonly cause: string | undefined }

export function traceOf(runs: readonly RunRecord[]): Trace {
  return { runs: runs.map((run) => traceRun(run)) }
}

function traceRun(run: RunRecord): TraceRun {
  const numbers = new Map<string, number>()
  const numberOf = (id: string): number => {
    const known = numbers.get(id)
    if (known !== undefined) return known
    numbers.set(id, numbers.size + 1)
    return numbers.size
  }
  return {
    steps: stepsOf(run).map((step) => ({
      finish: step.finish,
      parts: joinTexts(step.parts.map((part) => tracePart(part, numberOf))),
      results: step.results
        .filter(({ toolName }) => toolName !== structuredToolName)
        .map((result) => ({
          call: numbers.get(result.toolCallId) ?? 0,
          toolName: result.toolName,
          output: result.output,
        })),
      usage: step.usage,
    })),
    end: endOf(run),
    requests: run.requests.length,
    executions: run.executions.map(({ toolName, input }) => ({ toolName, input })),
  }
}

/** A step as the loop tells of it. */
export interface RunStep {
  readonly finish: FinishReason | undefined
  readonly parts: readonly AssistantPart[]
  readonly results: readonly ToolResultPart[]
  readonly usage: Usage | undefined
}

/** Steps of a result; of a failed run, what its transcript holds beyond the caller's input. */
export function stepsOf(run: RunRecord): readonly RunStep[] {
  if (run.result !== undefined) {
    return run.result.steps.map((step) => ({
      finish: step.finishReason,
      parts: step.message.content,
      results: step.toolResults,
      usage: step.usage,
    }))
  }
  const given = run.turns[0]?.request.messages.length ?? 0
  return messageSteps(transcriptMessages(run.error).slice(given), run)
}

function messageSteps(messages: readonly Message[], run: RunRecord): readonly RunStep[] {
  const steps: RunStep[] = []
  // A turn that failed gave no message.
  const answered = run.turns.filter(({ error }) => error === undefined)
  for (const [index, message] of messages.entries()) {
    if (message.role !== 'assistant') continue
    const next = messages[index + 1]
    const end = answered[steps.length]?.events.at(-1)
    steps.push({
      finish: end?.type === 'turn-end' ? tracedFinish(end.finishReason, message.content) : undefined,
      parts: message.content,
      results: next?.role === 'tool' ? next.content : [],
      usage: end?.type === 'turn-end' ? end.usage : undefined,
    })
  }
  return steps
}

/** A turn that gave the object by core's own tool has called nothing that the caller knows of. */
function tracedFinish(finish: FinishReason, parts: readonly AssistantPart[]): FinishReason {
  const calls = parts.filter((part) => part.type === 'tool-call')
  const isHidden = calls.length > 0 && calls.every(({ toolName }) => toolName === structuredToolName)
  return isHidden && finish === 'tool-calls' ? 'stop' : finish
}

function transcriptMessages(error: unknown): readonly Message[] {
  return LoopError.isInstance(error) ? (error.transcript?.messages ?? []) : []
}

function tracePart(part: AssistantPart, numberOf: (id: string) => number): TracePart {
  switch (part.type) {
    case 'text':
    case 'reasoning':
    case 'refusal':
      return { type: part.type, text: part.text }
    case 'tool-call': {
      // Core's own tool is another way to the same answer: its input is the object.
      if (part.toolName === structuredToolName) return { type: 'text', text: part.inputText }
      const { toolName, input, owner, invalid } = part
      return { type: 'call', call: numberOf(part.toolCallId), toolName, input, owner, invalid }
    }
    case 'tool-result':
    case 'file':
    case 'opaque':
      return { type: 'other', kind: part.type }
    default:
      return part satisfies never
  }
}

/** Providers cut a text into one part or several; an empty one says nothing. */
function joinTexts(parts: readonly TracePart[]): readonly TracePart[] {
  const joined: TracePart[] = []
  for (const part of parts) {
    const last = joined.at(-1)
    if (part.type !== 'text') joined.push(part)
    else if (last?.type === 'text') joined[joined.length - 1] = { type: 'text', text: last.text + part.text }
    else if (part.text !== '') joined.push(part)
  }
  return joined
}

function endOf(run: RunRecord): TraceEnd {
  const { result, error } = run
  if (result === undefined) return { type: 'error', code: errorCode(error), cause: causeCode(error) }
  return {
    type: 'result',
    status: result.status,
    stopReason: result.stopReason,
    text: result.text,
    pending: result.transcript.pendingCalls.map((call) => call.toolName),
    usage: result.usage,
  }
}

/** The code of one of our errors, the name of any other. */
export function errorCode(error: unknown): string {
  if (isObject(error) && typeof error['code'] === 'string') return error['code']
  return error instanceof Error ? error.name : `a thrown ${typeof error}`
}

function causeCode(error: unknown): string | undefined {
  const cause = error instanceof Error ? error.cause : undefined
  if (AdapterError.isInstance(cause)) return cause.code
  // A limit is its own cause.
  if (LoopError.isInstance(cause) && cause.code === errorCode(error)) return undefined
  return cause === undefined ? undefined : errorCode(cause)
}
