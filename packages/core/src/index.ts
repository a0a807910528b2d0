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
} from './adapter.ts'
export type { ChatCall, ChatEvent, ChatPendingCall, ChatStatus, ChatToolResult } from './chat-events.ts'
export { collectTurn, createTurnCollector, type Turn, type TurnCollector } from './collect-turn.ts'
export {
  defineHttpAdapter,
  type HttpAdapterOptions,
  type ProviderOptions,
  type RequestHeaders,
} from './define-http-adapter.ts'
export { encodeHistory, encodeOnce, ownWire, type HistoryCall, type HistoryContext, type Warn } from './encode-once.ts'
export { AdapterError, LoopError, StepLoopError, type AdapterErrorOptions, type LoopErrorCode } from './errors.ts'
export type { FinishReason, TurnEvent, Warning } from './events.ts'
export { toJsonValue } from './json-value.ts'
export { systemClock, type Clock } from './clock.ts'
export type { Hook, Hooks, LoopControl, StepContext, ToolStartControl, ToolStartHook } from './hooks.ts'
export { readLogprobs, type TokenLogprob } from './logprobs.ts'
export type { LimitReason } from './limits.ts'
export { jsonObject, type OutputOptions } from './structured.ts'
export { legalName, textHash, type NameRule } from './legal-name.ts'
export type { LoopEvent } from './loop-events.ts'
export type {
  Policy,
  PrepareStepContext,
  RunInput,
  GivenOutput,
  RunOptions,
  StepEdit,
  StepLoopOptions,
  ToolAnswer,
} from './loop-options.ts'
export type { LoopStream } from './loop-stream.ts'
export { repairHistory } from './history.ts'
export type { RunResult, RunStatus, Step, StopReason } from './run-result.ts'
export type { InputContext, InputHooks } from './resolve-input.ts'
export type { InputSchema, StandardIssue, StandardResult, StandardSchema } from './standard-schema.ts'
export { readServerSentEvents } from './read-server-sent-events.ts'
export { toServerSentEvents, type ServerSentEventsOptions } from './server-sent-events.ts'
export {
  signTranscript,
  verifyTranscript,
  type SignedTranscript,
  type SigningOptions,
  type TranscriptKey,
} from './sign-transcript.ts'
export { StepLoop } from './step-loop.ts'
export { finalMessage, iterations, toolInvocations, type ToolInvocation } from './read-transcript.ts'
export { strictSchema } from './strict-schema.ts'
export {
  providerTool,
  tool,
  type AnyTool,
  type FunctionTool,
  type ProviderTool,
  type ToolContext,
  type ToolSet,
} from './tool.ts'
export { createNdjsonFramer, createSseFramer } from './framing.ts'
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
} from './json.ts'
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
} from './messages.ts'
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
} from './presets.ts'
export { providerErrorFacts, type ProviderErrorParts } from './provider-error.ts'
export { parseDelay, retryAfterOf } from './retry-after.ts'
export { redactError } from './redact-error.ts'
export { createRedactor } from './redactor.ts'
export { isSecretHeader } from './secret-header.ts'
export { secretsIn, type SecretPlaces } from './secrets.ts'
export {
  createToolCallAssembler,
  type AssemblerOptions,
  type CallFragment,
  type FinishedCall,
  type ToolCallAssembler,
} from './tool-call-assembler.ts'
export { parseToolInput, type ParsedInput } from './tool-input.ts'
export { toolOutputText } from './tool-output.ts'
export type {
  ToolName,
  TypedLoopOptions,
  TypedRunOptions,
  TypedRunResult,
  TypedToolCall,
  TypedToolResult,
} from './typed-tools.ts'
export type { PendingCall, RunProgress, Transcript } from './transcript.ts'
export { addUsage, type Usage } from './usage.ts'
