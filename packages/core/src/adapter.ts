/**
 * What an adapter is written against. In the order in which one meets it: the contract, what a turn yields, what a history holds, how a
 * failure is told; then the kit, which an adapter may use or leave.
 */

// The contract: `Adapter` for anything, `WireFormat` for HTTP. Its file says what each member means.
export type {
  Adapter,
  AdapterErrorCode,
  Capabilities,
  FinishReason,
  Flag,
  FunctionToolDefinition,
  JsonSchema,
  Mode,
  ProviderToolDefinition,
  ResponseFormat,
  Settings,
  ToolChoice,
  ToolDefinition,
  TurnContext,
  TurnEvent,
  TurnRequest,
  Warning,
} from './contract/adapter.ts'
export type {
  EncodedRequest,
  ErrorFacts,
  Frame,
  Framer,
  TurnDecoder,
  TurnProgress,
  WireFormat,
} from './contract/wire-format.ts'

// What a turn yields.
export type { TokenLogprob } from './contract/logprobs.ts'
export { readLogprobs } from './wire/read-logprobs.ts'
export { addUsage, type Usage } from './contract/usage.ts'

// What a history holds.
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

// How a failure is told.
export { AdapterError, StepLoopError, type AdapterErrorOptions } from './contract/errors.ts'
export { systemClock, type Clock } from './contract/clock.ts'
export { providerErrorFacts, type ProviderErrorParts } from './wire/provider-error.ts'
export { parseDelay } from './wire/retry-after.ts'

// The kit for HTTP: url, authentication, framing, limits, abort and errors are its work.
export {
  defineHttpAdapter,
  environmentVariable,
  type Authorization,
  type HttpAdapterOptions,
  type ProviderOptions,
  type RequestHeaders,
  type TokenOptions,
  type UnsignedRequest,
} from './http/define-http-adapter.ts'
export { redactError } from './http/redact-error.ts'
export { createRedactor } from './http/redactor.ts'
export { secretsIn, type SecretLocations } from './http/secrets.ts'

// The kit for requests.
export {
  encodeHistory,
  encodeOnce,
  ownMetadata,
  type HistoryCall,
  type HistoryContext,
  type Warn,
} from './wire/encode-once.ts'
export { fillSlots, type AssistantSlots } from './wire/assistant-parts.ts'
export { joinJson, leadingSystem, printMembers } from './wire/body.ts'
export { settingFields, type FieldSetting, type SettingNames } from './wire/setting-fields.ts'
export { createToolNames, encodeToolList, moreTools, type ToolListOptions, type ToolNames } from './wire/tool-list.ts'
export { canonicalJson } from './wire/canonical-json.ts'
export { legalName, textHash, type NameRule } from './wire/legal-name.ts'
export { strictSchema } from './wire/strict-schema.ts'
export { toJsonValue } from './wire/json-value.ts'
export { toolOutputText } from './wire/tool-output.ts'

// The kit for responses.
export { createChunkParser, type ChunkParser, type ChunkPath } from './wire/chunk-parser.ts'
export { collectTurn, createTurnCollector, type Turn, type TurnCollector } from './wire/collect-turn.ts'
export {
  createToolCallAssembler,
  type AssemblerOptions,
  type CallFragment,
  type FinishedCall,
  type ToolCallAssembler,
} from './wire/tool-call-assembler.ts'
export { parseToolInput, type ParsedInput } from './wire/tool-input.ts'
export {
  arrayOf,
  isObject,
  malformed,
  numberOf,
  objectOf,
  jsonOf,
  parseJson,
  textOf,
  type JsonObject,
  type Origin,
} from './wire/json.ts'
