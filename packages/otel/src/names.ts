import { plainText } from './safely.ts'

/**
 * Every name that is exported, in one file: the conventions are in development, live in a repository of their own and still rename.
 *
 * `current` is github.com/open-telemetry/semantic-conventions-genai at the commit below, whose manifest declares the schema below;
 * `v1.41` is release 1.41 of github.com/open-telemetry/semantic-conventions, the last one before they moved.
 * `registry/*.json` hold what is pinned, and names.test.ts holds everything emitted against them.
 */
export const pinned = {
  current: {
    commit: '024a4f944a1291fcb627c9c47da69e79868dd15e',
    schemaUrl: 'https://opentelemetry.io/schemas/gen-ai-dev/1.42.0-dev',
  },
  'v1.41': { commit: 'v1.41.0', schemaUrl: 'https://opentelemetry.io/schemas/1.41.0' },
} as const

export type Conventions = keyof typeof pinned

const attributes = {
  operation: 'gen_ai.operation.name',
  provider: 'gen_ai.provider.name',
  errorType: 'error.type',
  agentName: 'gen_ai.agent.name',
  agentDescription: 'gen_ai.agent.description',
  conversation: 'gen_ai.conversation.id',
  outputType: 'gen_ai.output.type',
  requestModel: 'gen_ai.request.model',
  stream: 'gen_ai.request.stream',
  maxTokens: 'gen_ai.request.max_tokens',
  temperature: 'gen_ai.request.temperature',
  topP: 'gen_ai.request.top_p',
  topK: 'gen_ai.request.top_k',
  frequencyPenalty: 'gen_ai.request.frequency_penalty',
  presencePenalty: 'gen_ai.request.presence_penalty',
  seed: 'gen_ai.request.seed',
  stopSequences: 'gen_ai.request.stop_sequences',
  responseId: 'gen_ai.response.id',
  responseModel: 'gen_ai.response.model',
  finishReasons: 'gen_ai.response.finish_reasons',
  timeToFirstChunk: 'gen_ai.response.time_to_first_chunk',
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  cacheReadTokens: 'gen_ai.usage.cache_read.input_tokens',
  reasoningTokens: 'gen_ai.usage.reasoning.output_tokens',
  toolName: 'gen_ai.tool.name',
  toolType: 'gen_ai.tool.type',
  toolDescription: 'gen_ai.tool.description',
  toolCallId: 'gen_ai.tool.call.id',
  toolArguments: 'gen_ai.tool.call.arguments',
  toolResult: 'gen_ai.tool.call.result',
  systemInstructions: 'gen_ai.system_instructions',
  inputMessages: 'gen_ai.input.messages',
  outputMessages: 'gen_ai.output.messages',
  toolDefinitions: 'gen_ai.tool.definitions',
  tokenModality: 'gen_ai.token.modality',
  tokenType: 'gen_ai.token.type',
} as const

/** Where the two differ. `undefined`: it has no such attribute. */
interface Varying {
  readonly cacheWriteTokens: string
  readonly reasoningLevel: string | undefined
  readonly previousResponse: string | undefined
  /** An in-process agent has a provider, an id and a version. */
  readonly agentHasProvider: boolean
  readonly agentId: string | undefined
  readonly agentVersion: string | undefined
  /** Spans of tools name the agent that calls them, and its conversation. */
  readonly toolKnowsAgent: boolean
}

const varying: Readonly<Record<Conventions, Varying>> = {
  current: {
    cacheWriteTokens: 'gen_ai.usage.cache_write.input_tokens',
    reasoningLevel: 'gen_ai.request.reasoning.level',
    previousResponse: 'gen_ai.request.previous_response.id',
    agentHasProvider: false,
    agentId: undefined,
    agentVersion: undefined,
    toolKnowsAgent: true,
  },
  'v1.41': {
    cacheWriteTokens: 'gen_ai.usage.cache_creation.input_tokens',
    reasoningLevel: undefined,
    previousResponse: undefined,
    agentHasProvider: true,
    agentId: 'gen_ai.agent.id',
    agentVersion: 'gen_ai.agent.version',
    toolKnowsAgent: false,
  },
}

export type Names = typeof attributes & Varying

export function namesOf(conventions: Conventions): Names {
  return { ...attributes, ...varying[conventions] }
}

/** Our own, beside the conventions. */
export const own = {
  status: 'steploop.status',
  stopReason: 'steploop.stop_reason',
  steps: 'steploop.steps',
  step: 'steploop.step',
  attempt: 'steploop.attempt',
  /** Ids of calls that have no span, by what became of them. */
  callsDenied: 'steploop.tool_calls.denied',
  callsUnknown: 'steploop.tool_calls.unknown',
  callsNotExecuted: 'steploop.tool_calls.not_executed',
  callsAnswered: 'steploop.tool_calls.answered',
  callsPending: 'steploop.tool_calls.pending',
  callsOfProvider: 'steploop.tool_calls.provider',
} as const

export const operations = { agent: 'invoke_agent', chat: 'chat', tool: 'execute_tool' } as const

export const detailsEvent = 'gen_ai.client.inference.operation.details'

/** A metric: name, unit, buckets. Without buckets it is a counter. */
export interface MetricName {
  readonly name: string
  readonly unit: string
  readonly description: string
  readonly buckets?: readonly number[] | undefined
}

const doubling = (first: number, count: number): readonly number[] =>
  Array.from({ length: count }, (_value, power) => Number((first * 2 ** power).toFixed(2)))

const requestSeconds = doubling(0.01, 14)
const runSeconds = doubling(0.1, 13)
const calls = doubling(1, 8)
const tokens = Array.from({ length: 14 }, (_value, power) => 4 ** power)

const seconds = (name: string, description: string, buckets = requestSeconds): MetricName => ({
  name,
  unit: 's',
  description,
  buckets,
})

export interface MetricNames {
  readonly duration: MetricName
  readonly timeToFirstChunk: MetricName
  readonly timePerChunk: MetricName
  /** A histogram of both kinds of tokens. */
  readonly tokenUsage?: MetricName | undefined
  /** Counters by kind, and histograms per request. */
  readonly usage?:
    | Readonly<Record<'input' | 'output' | 'cacheRead' | 'cacheWrite' | 'reasoning', MetricName>>
    | undefined
  readonly perRequest?: Readonly<Record<'input' | 'output', MetricName>> | undefined
  readonly runDuration?: MetricName | undefined
  readonly runRequests?: MetricName | undefined
  readonly runCalls?: MetricName | undefined
  readonly toolDuration?: MetricName | undefined
}

const tokenCounter = (kind: string, description: string): MetricName => ({
  name: `gen_ai.client.inference.usage.${kind}`,
  unit: '{token}',
  description,
})

const perRequest = (kind: string, description: string): MetricName => ({
  name: `gen_ai.client.inference.operation.${kind}`,
  unit: '{token}',
  description,
  buckets: tokens,
})

export const metricNames: Readonly<Record<Conventions, MetricNames>> = {
  current: {
    duration: seconds('gen_ai.client.inference.duration', 'Duration of a request to a model.'),
    timeToFirstChunk: seconds('gen_ai.client.inference.time_to_first_chunk', 'Time to the first chunk of a stream.'),
    timePerChunk: seconds('gen_ai.client.inference.time_per_output_chunk', 'Time between the chunks of a stream.'),
    usage: {
      input: tokenCounter('input_tokens', 'Input tokens, cached ones included.'),
      output: tokenCounter('output_tokens', 'Output tokens, reasoning included.'),
      cacheRead: tokenCounter('cache_read.input_tokens', 'Input tokens that were read from a cache.'),
      cacheWrite: tokenCounter('cache_write.input_tokens', 'Input tokens that were written to a cache.'),
      reasoning: tokenCounter('reasoning.output_tokens', 'Output tokens of reasoning.'),
    },
    perRequest: {
      input: perRequest('input_tokens', 'Input tokens per request.'),
      output: perRequest('output_tokens', 'Output tokens per request.'),
    },
    runDuration: seconds('gen_ai.invoke_agent.duration', 'Duration of a run.', runSeconds),
    runRequests: {
      name: 'gen_ai.invoke_agent.inference_calls',
      unit: '{inference_call}',
      description: 'Requests per run, failed ones included.',
      buckets: calls,
    },
    runCalls: {
      name: 'gen_ai.invoke_agent.tool_calls',
      unit: '{tool_call}',
      description: 'Calls per run that its loop carried out, failed ones included.',
      buckets: calls,
    },
    toolDuration: seconds('gen_ai.execute_tool.duration', 'Duration of a tool call.'),
  },
  'v1.41': {
    duration: seconds('gen_ai.client.operation.duration', 'Duration of a request to a model.'),
    timeToFirstChunk: seconds('gen_ai.client.operation.time_to_first_chunk', 'Time to the first chunk of a stream.'),
    timePerChunk: seconds('gen_ai.client.operation.time_per_output_chunk', 'Time between the chunks of a stream.'),
    tokenUsage: {
      name: 'gen_ai.client.token.usage',
      unit: '{token}',
      description: 'Input and output tokens per request.',
      buckets: tokens,
    },
  },
}

const providers: Readonly<Record<string, string>> = {
  bedrock: 'aws.bedrock',
  azure: 'azure.ai.openai',
  gemini: 'gcp.gemini',
  mistral: 'mistral_ai',
  moonshot: 'moonshot_ai',
  vertex: 'gcp.vertex_ai',
  xai: 'x_ai',
}

/** The conventions' word for a provider; one that they do not know keeps its own. */
export function providerName(provider: unknown): string {
  const name = plainText(provider) ?? '_OTHER'
  return (Object.hasOwn(providers, name) ? providers[name] : undefined) ?? name
}

/** The conventions' word for why an answer ended. */
export function finishReasonName(reason: unknown): string {
  if (reason === 'tool-calls') return 'tool_call'
  return reason === 'content-filter' ? 'content_filter' : (plainText(reason) ?? 'unknown')
}
