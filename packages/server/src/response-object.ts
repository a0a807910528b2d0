import type { Usage } from '@steploop/core'
import type { ResponseStatus } from '@steploop/store'
import type { JsonObject } from './json.ts'
import type { CreateRequest } from './read-request.ts'

export interface ResponseState {
  readonly status: ResponseStatus
  readonly output: readonly JsonObject[]
  readonly usage?: Usage | undefined
  readonly error?: { readonly code: string; readonly message: string } | undefined
  readonly incompleteReason?: string | undefined
  readonly completedAt?: number | undefined
}

export interface ResponseHead {
  readonly id: string
  /** Milliseconds since 1970. */
  readonly createdAt: number
  readonly request: CreateRequest
  readonly conversationId: string | undefined
}

/** The response as the API shows it. What the client sent of it is echoed, but for what holds secrets. */
export function responseObject(
  { id, createdAt, request, conversationId }: ResponseHead,
  state: ResponseState,
): JsonObject {
  const { status, output, usage, error, incompleteReason, completedAt } = state
  const cancelled = status === 'cancelled' && error === undefined
  return {
    id,
    object: 'response',
    created_at: Math.floor(createdAt / 1000),
    status,
    background: request.background ?? false,
    completed_at: completedAt === undefined ? null : Math.floor(completedAt / 1000),
    error: cancelled ? null : (error ?? null),
    incomplete_details: incompleteReason === undefined ? null : { reason: incompleteReason },
    instructions: request.instructions ?? null,
    max_output_tokens: request.max_output_tokens ?? null,
    max_tool_calls: request.max_tool_calls ?? null,
    model: request.model,
    output,
    parallel_tool_calls: request.parallel_tool_calls ?? true,
    previous_response_id: request.previous_response_id ?? null,
    prompt_cache_key: request.prompt_cache_key ?? null,
    reasoning: { effort: request.reasoning?.effort ?? null, summary: request.reasoning?.summary ?? null },
    safety_identifier: request.safety_identifier ?? null,
    service_tier: 'auto',
    store: request.store ?? true,
    temperature: request.temperature ?? null,
    text: request.text ?? { format: { type: 'text' } },
    tool_choice: request.tool_choice ?? 'auto',
    tools: (request.tools ?? []).map(withoutSecrets),
    top_logprobs: 0,
    top_p: request.top_p ?? null,
    truncation: 'disabled',
    usage: usage === undefined ? null : usageObject(usage),
    user: request.user ?? null,
    metadata: request.metadata ?? {},
    ...(conversationId !== undefined && { conversation: { id: conversationId } }),
  }
}

const secretMembers: ReadonlySet<string> = new Set(['authorization', 'headers'])

function withoutSecrets(tool: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(tool).filter(([name]) => !secretMembers.has(name)))
}

/** The request as it may be stored: without credentials for other services. */
export function storableRequest(request: CreateRequest): JsonObject {
  return { ...request, ...(request.tools && { tools: request.tools.map(withoutSecrets) }) }
}

function usageObject({
  inputTokens = 0,
  outputTokens = 0,
  cachedInputTokens = 0,
  reasoningTokens = 0,
}: Usage): JsonObject {
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: cachedInputTokens },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens },
    total_tokens: inputTokens + outputTokens,
  }
}
