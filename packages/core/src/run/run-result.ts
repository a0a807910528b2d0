import type { Turn } from '../wire/collect-turn.ts'
import type { FinishReason, Warning } from '../contract/events.ts'
import type { AssistantMessage, Message, ToolCallPart, ToolResultPart } from '../contract/messages.ts'
import type { TokenLogprob } from '../contract/logprobs.ts'
import { limitDetail, type LimitReason } from './limits.ts'
import type { StepLoopOptions } from './loop-options.ts'
import { stepNumber, transcriptOf, type RunState } from './run-state.ts'
import { structuredToolName } from './structured.ts'
import type { Transcript } from '../contract/transcript.ts'
import { knownUsage, type Usage } from '../contract/usage.ts'

/** A turn plus the execution of the calls that the loop owns. */
export interface Step<Call = ToolCallPart, Result = ToolResultPart> {
  /** From 0; a run that goes on from its transcript counts on. */
  readonly number: number
  readonly provider: string
  /** The model that was asked. */
  readonly model: string
  /** The model that answered, as the provider names it. */
  readonly responseModel: string | undefined
  readonly message: AssistantMessage
  /** Text of the turn, all pieces joined. */
  readonly text: string
  /** Calls of any owner, in order. */
  readonly toolCalls: readonly Call[]
  /** Results of this step in call order; provider-executed ones are in `message`. */
  readonly toolResults: readonly Result[]
  readonly finishReason: FinishReason
  readonly rawFinishReason: string | undefined
  readonly usage: Usage | undefined
  readonly responseId: string | undefined
  readonly warnings: readonly Warning[]
  /** Of the tokens of the answer, where `providerOptions` asked for them. */
  readonly logprobs?: readonly TokenLogprob[] | undefined
}

export type RunStatus = 'completed' | 'requires-action' | 'incomplete'

export type StopReason =
  | 'answer'
  | 'stop-when'
  | 'hook'
  | 'length'
  | 'content-filter'
  | LimitReason
  | 'client-tool'
  | 'approval'

export interface RunResult<Output = unknown, Call = ToolCallPart, Result = ToolResultPart> {
  /** Text of the last turn. */
  readonly text: string
  readonly steps: readonly Step<Call, Result>[]
  /** The new messages only: what this run added to the caller's input. */
  readonly messages: readonly Message[]
  /** Of all steps; `toolName` tells the inputs apart. */
  readonly toolCalls: readonly Call[]
  readonly toolResults: readonly Result[]
  /** Sum over all turns; `undefined` when no turn had usage. */
  readonly usage: Usage | undefined
  readonly warnings: readonly Warning[]
  readonly status: RunStatus
  readonly stopReason: StopReason
  /** The reason that a hook gave, or how far the limit that ended the run was used: `max-steps reached (10/10)`. */
  readonly stopDetail: string | undefined
  /** Of the last turn. */
  readonly finishReason: FinishReason
  /** The provider's id of the last response. */
  readonly responseId: string | undefined
  /**
   * What the caller named in `providerOptions` of what a provider keeps (`store`, `previous_response_id`, `conversation`), as it was given:
   * whoever stores the result under it finds it here, whatever the requests named.
   */
  readonly providerState: StepLoopOptions['providerOptions']
  /** The object of a run with `output`; `undefined` when the run ended before it. */
  readonly output: Output | undefined
  /** All messages and pending calls; resumes with `{ transcript, ... }`. */
  readonly transcript: Transcript
}

/** How a run ends. */
export interface Ending {
  readonly status: RunStatus
  readonly stopReason: StopReason
}

export function makeStep(run: RunState, turn: Turn, toolResults: readonly ToolResultPart[]): Step {
  const { message, model: responseModel, finishReason, rawFinishReason, usage, responseId, warnings, logprobs } = turn
  const calls = message.content.filter((part) => part.type === 'tool-call')
  const toolCalls = run.structured === undefined ? calls : calls.filter(isVisible)
  const hidden = toolCalls.length < calls.length
  return freezeStep({
    number: stepNumber(run),
    provider: run.model.provider,
    model: run.model.model,
    responseModel,
    message,
    text: textIn(message),
    toolCalls,
    toolResults: toolResults.filter(isVisible),
    finishReason: hidden && toolCalls.length === 0 ? 'stop' : finishReason,
    rawFinishReason,
    usage: knownUsage(usage),
    responseId,
    warnings,
    ...(logprobs && { logprobs }),
  })
}

/** Hooks are shown it, and write nothing to it; its messages are the history's, which is frozen. */
function freezeStep(step: Step): Step {
  for (const part of [step.toolCalls, step.toolResults, step.warnings, step.usage]) Object.freeze(part)
  return Object.freeze(step)
}

/** Core's own tool is nobody else's business. */
function isVisible(part: { readonly toolName: string }): boolean {
  return part.toolName !== structuredToolName
}

function textIn(message: AssistantMessage): string {
  let text = ''
  for (const part of message.content) if (part.type === 'text') text += part.text
  return text
}

export function makeResult(run: RunState, ending: Ending): RunResult {
  const last = run.steps.at(-1)
  return {
    text: run.ended?.type === 'override' ? run.ended.response : (last?.text ?? ''),
    steps: Object.freeze(run.steps),
    messages: Object.freeze(run.added),
    toolCalls: run.steps.flatMap((step) => step.toolCalls),
    toolResults: run.added.flatMap((message) => (message.role === 'tool' ? message.content.filter(isVisible) : [])),
    usage: run.usage,
    warnings: run.warnings,
    ...ending,
    stopDetail: run.ended?.type === 'stop' ? run.ended.reason : limitDetail(run, ending.stopReason),
    finishReason: last?.finishReason ?? 'tool-calls',
    responseId: last?.responseId,
    providerState: run.config.providerState,
    output: run.structured?.found?.value,
    transcript: frozen(transcriptOf(run, isOver(ending))),
  }
}

/** What ran out of time, or waits for the caller, goes on where it was. */
function isOver({ status, stopReason }: Ending): boolean {
  return status !== 'requires-action' && stopReason !== 'timeout'
}

/** A record: whoever wants another one makes a copy. */
function frozen(transcript: Transcript): Transcript {
  Object.freeze(transcript.messages)
  return Object.freeze(transcript)
}
