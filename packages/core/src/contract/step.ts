import type { FinishReason, Warning } from './adapter.ts'
import type { TokenLogprob } from './logprobs.ts'
import type { AssistantMessage, ToolCallPart, ToolResultPart } from './messages.ts'
import type { Usage } from './usage.ts'

/** A turn plus the execution of the calls that the loop owns. */
export interface Step<Call = ToolCallPart, Result = ToolResultPart> {
  /** Number of the step, from 0; a run that goes on from its transcript counts on. */
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
  /** Log-probabilities of the tokens of the answer, where `providerOptions` asked for them. */
  readonly logprobs?: readonly TokenLogprob[] | undefined
}
