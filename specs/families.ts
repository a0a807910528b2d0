/** A provider's side of one wire format, and the specifications that speak of it. */
export interface Family {
  readonly name: string
  /** Wire format of cassettes. */
  readonly wire: string
  /** Ends of the host names in cassettes. */
  readonly hosts: readonly string[]
  /** How recordings name it: wire format, and providers (none: any). */
  readonly recorded: { readonly wires: readonly string[]; readonly providers: readonly string[] }
  readonly specifications: readonly Roots[]
}

/** A specification, and its schemas of what goes over the wire. */
export interface Roots {
  /** Name in `specificationNames`. */
  readonly specification: string
  readonly request: string
  readonly body: string
  /** One event of a stream; `undefined`: the specification says nothing of events. */
  readonly event?: string | undefined
}

const openaiResponses: readonly Roots[] = [
  { specification: 'sdk/openai', request: 'ResponsesRequest', body: 'ResponsesBody', event: 'ResponsesEvent' },
  { specification: 'openai', request: 'CreateResponse', body: 'Response', event: 'ResponseStreamEvent' },
]
const openaiChat: readonly Roots[] = [
  { specification: 'sdk/openai', request: 'ChatRequest', body: 'ChatBody', event: 'ChatChunk' },
  {
    specification: 'openai',
    request: 'CreateChatCompletionRequest',
    body: 'CreateChatCompletionResponse',
    event: 'CreateChatCompletionStreamResponse',
  },
]

/**
 * Every provider that cassettes are of. Nobody but OpenAI describes what DeepSeek, Azure and servers of unknown make do: OpenAI's
 * specification is borrowed for them, without the rules that their own recorded traffic breaks.
 */
export const families: readonly Family[] = [
  {
    name: 'openai responses',
    wire: 'openai-responses',
    hosts: ['api.openai.com'],
    recorded: { wires: ['openai-responses'], providers: ['openai'] },
    specifications: openaiResponses,
  },
  {
    name: 'azure responses',
    wire: 'openai-responses',
    hosts: ['.azure.com'],
    recorded: { wires: ['openai-responses'], providers: ['azure', 'azure-foundry'] },
    specifications: openaiResponses,
  },
  {
    name: 'xai responses',
    wire: 'openai-responses',
    hosts: ['api.x.ai'],
    recorded: { wires: ['openai-responses'], providers: ['xai'] },
    specifications: [{ specification: 'xai', request: 'ModelRequest', body: 'ModelResponse' }],
  },
  {
    name: 'openai chat',
    wire: 'openai-chat',
    hosts: ['api.openai.com'],
    recorded: { wires: ['openai-chat'], providers: ['openai'] },
    specifications: openaiChat,
  },
  {
    name: 'azure chat',
    wire: 'openai-chat',
    hosts: ['.azure.com'],
    recorded: { wires: ['openai-chat'], providers: ['azure', 'azure-foundry'] },
    specifications: openaiChat,
  },
  {
    name: 'deepseek',
    wire: 'openai-chat',
    hosts: ['api.deepseek.com'],
    recorded: { wires: ['deepseek'], providers: [] },
    specifications: openaiChat,
  },
  {
    name: 'groq',
    wire: 'openai-chat',
    hosts: ['api.groq.com'],
    recorded: { wires: ['groq'], providers: [] },
    specifications: [
      { specification: 'sdk/groq', request: 'Request', body: 'Body', event: 'Chunk' },
      {
        specification: 'groq',
        request: 'CreateChatCompletionRequest',
        body: 'CreateChatCompletionResponse',
        event: 'CreateChatCompletionStreamResponse',
      },
    ],
  },
  {
    name: 'mistral',
    wire: 'openai-chat',
    hosts: ['api.mistral.ai'],
    recorded: { wires: ['mistral'], providers: [] },
    specifications: [
      {
        specification: 'mistral-public-doc',
        request: 'ChatCompletionRequest',
        body: 'ChatCompletionResponse',
        event: 'CompletionChunk',
      },
    ],
  },
  {
    name: 'openrouter',
    wire: 'openai-chat',
    hosts: ['openrouter.ai'],
    recorded: { wires: ['openrouter'], providers: [] },
    specifications: [
      { specification: 'openrouter', request: 'ChatRequest', body: 'ChatResult', event: 'ChatStreamChunk' },
    ],
  },
  {
    name: 'xai chat',
    wire: 'openai-chat',
    hosts: ['api.x.ai'],
    recorded: { wires: ['xai'], providers: [] },
    specifications: [
      { specification: 'xai', request: 'ChatRequest', body: 'ChatResponse', event: 'ChatResponseChunk' },
    ],
  },
  {
    name: 'compatible',
    wire: 'openai-chat',
    hosts: [''],
    recorded: { wires: ['other-chat-compatible'], providers: [] },
    specifications: openaiChat,
  },
  {
    name: 'anthropic',
    wire: 'anthropic-messages',
    hosts: ['api.anthropic.com'],
    recorded: { wires: ['anthropic'], providers: ['anthropic'] },
    specifications: [{ specification: 'sdk/anthropic', request: 'Request', body: 'Body', event: 'Event' }],
  },
  {
    name: 'anthropic on clouds',
    wire: 'anthropic-messages',
    hosts: ['.amazonaws.com', 'aiplatform.googleapis.com'],
    recorded: { wires: ['anthropic', 'bedrock-invoke-anthropic-stream'], providers: ['bedrock', 'google-vertex'] },
    specifications: [{ specification: 'sdk/anthropic', request: 'CloudRequest', body: 'Body', event: 'Event' }],
  },
  {
    name: 'gemini',
    wire: 'gemini-generate',
    hosts: [''],
    recorded: { wires: ['gemini'], providers: ['google'] },
    specifications: [
      {
        specification: 'gemini-discovery-openapi',
        request: 'GenerateContentRequest',
        body: 'GenerateContentResponse',
        event: 'GenerateContentResponse',
      },
    ],
  },
  {
    name: 'bedrock',
    wire: 'bedrock-converse',
    hosts: [''],
    recorded: { wires: ['bedrock-converse'], providers: [] },
    specifications: [{ specification: 'sdk/bedrock', request: 'Request', body: 'Body', event: 'Event' }],
  },
  {
    name: 'cohere',
    wire: 'cohere-chat',
    hosts: [''],
    recorded: { wires: ['cohere'], providers: [] },
    specifications: [{ specification: 'sdk/cohere', request: 'Request', body: 'Body', event: 'Event' }],
  },
  {
    name: 'ollama',
    wire: 'ollama-chat',
    // Lemonade and others speak the format in their own way.
    hosts: [':11434'],
    recorded: { wires: ['ollama-native'], providers: [] },
    specifications: [
      { specification: 'ollama-go', request: 'ChatRequestIn', body: 'ChatResponse', event: 'ChatResponse' },
    ],
  },
]

/** The first that fits: unknown hosts speak a format as its usual provider does. */
export function familyAt(wire: string, host: string): Family | undefined {
  return families.find((family) => family.wire === wire && family.hosts.some((end) => host.endsWith(end)))
}

export function recordedFamily(wire: string, provider: string): Family | undefined {
  return families.find(
    ({ recorded }) =>
      recorded.wires.includes(wire) && (recorded.providers.length === 0 || recorded.providers.includes(provider)),
  )
}
