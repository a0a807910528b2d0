/** What an application uses. Adapters are written against `@steploop/core/adapter`; policies are `@steploop/core/policies`. */
export type {
  Adapter,
  AdapterErrorCode,
  Capabilities,
  FinishReason,
  JsonSchema,
  Mode,
  Settings,
  ToolChoice,
  Warning,
} from './contract/adapter.ts'
export type { Clock } from './contract/clock.ts'
export { AdapterError, LoopError, StepLoopError, type LoopErrorCode } from './contract/errors.ts'
export type { TokenLogprob } from './contract/logprobs.ts'
export type {
  AssistantMessage,
  AssistantPart,
  Citation,
  FilePart,
  InputMessage,
  Message,
  OpaquePart,
  Part,
  ReasoningPart,
  RefusalPart,
  SystemMessage,
  TextPart,
  ToolCallPart,
  ToolErrorCode,
  ToolErrorValue,
  ToolMessage,
  ToolOutput,
  ToolOwner,
  ToolResultPart,
  UserMessage,
  UserPart,
  ProviderMetadata,
} from './contract/messages.ts'
export type { ToolProgress } from './contract/progress.ts'
export type { Step } from './contract/step.ts'
export type { ClientToolOutput, PendingCall, RunProgress, ToolAnswer, Transcript } from './contract/transcript.ts'
export { addUsage, type Usage } from './contract/usage.ts'
export type { ProviderOptions } from './http/define-http-adapter.ts'
export type { Hook, Hooks, LoopControl, StepContext, ToolStartControl, ToolStartHook } from './options/loop-hooks.ts'
export type { LoopEvent } from './contract/loop-events.ts'
export type {
  Policy,
  PrepareStepContext,
  RunInput,
  RunOptions,
  StepEdit,
  StepLoopOptions,
} from './options/loop-options.ts'
export type { LoopStream } from './loop/loop-stream.ts'
export type { Middleware, MiddlewareOption, RunInfo, ToolCallInfo, TurnInfo } from './options/middleware.ts'
export type { LimitReason, RunResult, RunStatus, StopReason } from './contract/run-result.ts'
export { StepLoop } from './loop/step-loop.ts'
export { jsonObject, type OutputOptions } from './output/structured.ts'
export type {
  ToolName,
  TypedLoopOptions,
  TypedRunOptions,
  TypedRunResult,
  TypedToolCall,
  TypedToolResult,
} from './options/typed-tools.ts'
export type { ChatCall, ChatEvent, ChatPendingCall, ChatStatus, ChatToolResult } from './sse/chat-events.ts'
export { readServerSentEvents } from './sse/read-server-sent-events.ts'
export { toServerSentEvents, type ServerSentEventsOptions } from './sse/server-sent-events.ts'
export type { InputContext, InputHooks } from './tools/input-hooks.ts'
export type { InputSchema, StandardIssue, StandardResult, StandardSchema } from './tools/standard-schema.ts'
export {
  providerTool,
  tool,
  type AnyTool,
  type FunctionTool,
  type ProviderTool,
  type ToolContext,
  type ToolSet,
} from './tools/tool.ts'
export { repairHistory } from './transcript/history.ts'
export {
  finalMessage,
  iterations,
  toolInvocations,
  visibleMessages,
  type ToolInvocation,
} from './transcript/read-transcript.ts'
export {
  signTranscript,
  verifyTranscript,
  type SignedTranscript,
  type SigningOptions,
  type TranscriptKey,
} from './transcript/sign-transcript.ts'
