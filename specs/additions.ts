/**
 * What a provider's documentation requires in words although its machine-readable form does not: by specification, schema and member.
 * proto3 and Go have no required fields, so these specifications know none at all.
 */
export const additions: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  // "Required." in the descriptions of https://ai.google.dev/api/generate-content and https://ai.google.dev/api/caching.
  'gemini-discovery-openapi': {
    GenerateContentRequest: ['contents'],
    FunctionCall: ['name'],
    FunctionResponse: ['name', 'response'],
    FunctionDeclaration: ['name'],
    ExecutableCode: ['language', 'code'],
    CodeExecutionResult: ['outcome'],
    Blob: ['mimeType', 'data'],
  },
  // "Required: Yes" in https://docs.aws.amazon.com/bedrock/latest/APIReference/API_Types_Amazon_Bedrock_Runtime.html
  'sdk/bedrock': {
    Message: ['role', 'content'],
    ToolConfiguration: ['tools'],
    ToolSpecification: ['name', 'inputSchema'],
    SpecificToolChoice: ['name'],
    ToolUseBlock: ['toolUseId', 'name', 'input'],
    ToolResultBlock: ['toolUseId', 'content'],
    ReasoningTextBlock: ['text'],
    ImageBlock: ['format', 'source'],
    DocumentBlock: ['name', 'source'],
    CachePointBlock: ['type'],
    JsonSchemaDefinition: ['schema'],
    Body: ['output', 'stopReason', 'usage', 'metrics'],
    TokenUsage: ['inputTokens', 'outputTokens', 'totalTokens'],
    MessageStartEvent: ['role'],
    MessageStopEvent: ['stopReason'],
    ContentBlockDeltaEvent: ['delta', 'contentBlockIndex'],
    ContentBlockStartEvent: ['start', 'contentBlockIndex'],
    ContentBlockStopEvent: ['contentBlockIndex'],
    ConverseStreamMetadataEvent: ['usage', 'metrics'],
  },
  // https://github.com/ollama/ollama/blob/main/docs/api.md#generate-a-chat-completion
  'ollama-go': {
    ChatRequestIn: ['model', 'messages'],
    MessageIn: ['role'],
    ToolCallIn: ['function'],
    ToolCallFunctionIn: ['name', 'arguments'],
    ToolIn: ['type', 'function'],
    ToolFunctionIn: ['name', 'parameters'],
  },
  // https://docs.x.ai/docs/api-reference: "Required" beside the members.
  xai: { ChatRequest: ['messages'], ModelRequest: ['input'] },
}
