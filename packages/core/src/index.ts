export type {
  Adapter,
  AdapterErrorCode,
  Capabilities,
  EncodedRequest,
  ErrorFacts,
  Flag,
  Frame,
  Framer,
  FunctionToolDefinition,
  JsonSchema,
  Mode,
  ProviderToolDefinition,
  ResponseFormat,
  Settings,
  ToolChoice,
  ToolDefinition,
  TurnContext,
  TurnDecoder,
  TurnProgress,
  TurnRequest,
  WireFormat,
} from './contract/adapter.ts'
export type { ChatCall, ChatEvent, ChatPendingCall, ChatStatus, ChatToolResult } from './sse/chat-events.ts'
export { collectTurn, createTurnCollector, type Turn, type TurnCollector } from './wire/collect-turn.ts'
export {
  defineHttpAdapter,
  type HttpAdapterOptions,
  type ProviderOptions,
  type RequestHeaders,
} from './http/define-http-adapter.ts'
export {
  encodeHistory,
  encodeOnce,
  ownWire,
  type HistoryCall,
  type HistoryContext,
  type Warn,
} from './wire/encode-once.ts'
export {
  AdapterError,
  LoopError,
  StepLoopError,
  type AdapterErrorOptions,
  type LoopErrorCode,
} from './contract/errors.ts'
export type { FinishReason, TurnEvent, Warning } from './contract/events.ts'
export { toJsonValue } from './wire/json-value.ts'
export { systemClock, type Clock } from './contract/clock.ts'
export type { TokenLogprob } from './contract/logprobs.ts'
export { readLogprobs } from './wire/read-logprobs.ts'
export type { Step } from './contract/step.ts'
export type { Hook, Hooks, LoopControl, StepContext, ToolStartControl, ToolStartHook } from './run/loop-hooks.ts'
export { jsonObject, type OutputOptions } from './run/structured.ts'
export { legalName, textHash, type NameRule } from './wire/legal-name.ts'
export type { LoopEvent } from './run/loop-events.ts'
export type { Policy, PrepareStepContext, RunInput, RunOptions, StepEdit, StepLoopOptions } from './run/loop-options.ts'
export type { LoopStream } from './run/loop-stream.ts'
export { repairHistory } from './transcript/history.ts'
export type { LimitReason, RunResult, RunStatus, StopReason } from './run/run-result.ts'
export type { InputContext, InputHooks } from './tools/resolve-input.ts'
export type { InputSchema, StandardIssue, StandardResult, StandardSchema } from './tools/standard-schema.ts'
export { readServerSentEvents } from './sse/read-server-sent-events.ts'
export { toServerSentEvents, type ServerSentEventsOptions } from './sse/server-sent-events.ts'
export {
  signTranscript,
  verifyTranscript,
  type SignedTranscript,
  type SigningOptions,
  type TranscriptKey,
} from './transcript/sign-transcript.ts'
export { StepLoop } from './run/step-loop.ts'
export {
  finalMessage,
  iterations,
  toolInvocations,
  visibleMessages,
  type ToolInvocation,
} from './transcript/read-transcript.ts'
export { strictSchema } from './wire/strict-schema.ts'
export {
  providerTool,
  tool,
  type AnyTool,
  type FunctionTool,
  type ProviderTool,
  type ToolContext,
  type ToolSet,
} from './tools/tool.ts'
export { createNdjsonFramer, createSseFramer } from './wire/framing.ts'
export {
  arrayOf,
  isObject,
  malformed,
  numberOf,
  objectOf,
  parseJson,
  textOf,
  type JsonObject,
  type Stamp,
} from './wire/json.ts'
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
  WirePayload,
} from './contract/messages.ts'
export { allowTools, denyTools } from './policies/allow-tools.ts'
export { cacheToolResults, type CacheToolResultsOptions } from './policies/cache-tool-results.ts'
export { finalizeAfterTools, type FinalizeAfterToolsOptions } from './policies/finalize-after-tools.ts'
export { forceFirstTool, type ForceFirstToolOptions } from './policies/force-first-tool.ts'
export { limitToolCalls } from './policies/limit-tool-calls.ts'
export { limitTurnTime } from './policies/limit-turn-time.ts'
export { limitToolOutput, type LimitToolOutputOptions } from './policies/limit-tool-output.ts'
export { refineInput, type RefineInputOptions } from './policies/refine-input.ts'
export { retryEmpty, type RetryEmptyOptions } from './policies/retry-empty.ts'
export { routeByTool } from './policies/route-by-tool.ts'
export { shareToolCalls } from './policies/share-tool-calls.ts'
export { parseTimeConstraints, type TimeConstraints } from './policies/time-constraints.ts'
export { trace, type TraceEntry } from './policies/trace.ts'
export {
  chatBackendPreset,
  conversationPreset,
  gatewayPreset,
  responsesServerPreset,
  type ChatBackendOptions,
  type Preset,
} from './policies/presets.ts'
export { providerErrorFacts, type ProviderErrorParts } from './wire/provider-error.ts'
export { parseDelay, retryAfterOf } from './wire/retry-after.ts'
export { redactError } from './http/redact-error.ts'
export { createRedactor } from './http/redactor.ts'
export { isSecretHeader } from './http/secret-header.ts'
export { secretsIn, type SecretPlaces } from './http/secrets.ts'
export {
  createToolCallAssembler,
  type AssemblerOptions,
  type CallFragment,
  type FinishedCall,
  type ToolCallAssembler,
} from './wire/tool-call-assembler.ts'
export { parseToolInput, type ParsedInput } from './wire/tool-input.ts'
export { toolOutputText } from './wire/tool-output.ts'
export type {
  ToolName,
  TypedLoopOptions,
  TypedRunOptions,
  TypedRunResult,
  TypedToolCall,
  TypedToolResult,
} from './run/typed-tools.ts'
export type { GivenOutput, PendingCall, RunProgress, ToolAnswer, Transcript } from './contract/transcript.ts'
export { addUsage, type Usage } from './contract/usage.ts'
