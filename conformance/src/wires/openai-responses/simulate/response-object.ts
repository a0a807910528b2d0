import { objectAt } from '../../simulate/fields.ts'
import { turnSeconds } from '../../simulate/scripted-answer.ts'
import type { AnswerContext, JsonObject } from '../../simulate/wire-simulation.ts'

/** The response with what it echoes of the request, in the order of the provider. `state` is what changes while it runs. */
export function responseObject(context: AnswerContext, state: JsonObject): JsonObject {
  const { request } = context
  return {
    id: responseId(context),
    object: 'response',
    created_at: turnSeconds(context.turn),
    status: 'in_progress',
    background: false,
    completed_at: null,
    error: null,
    frequency_penalty: 0,
    incomplete_details: null,
    instructions: request['instructions'] ?? null,
    max_output_tokens: request['max_output_tokens'] ?? null,
    max_tool_calls: request['max_tool_calls'] ?? null,
    model: request['model'],
    output: [],
    parallel_tool_calls: request['parallel_tool_calls'] ?? true,
    presence_penalty: 0,
    previous_response_id: request['previous_response_id'] ?? null,
    prompt_cache_key: request['prompt_cache_key'] ?? null,
    prompt_cache_retention: null,
    reasoning: echoedReasoning(request),
    safety_identifier: request['safety_identifier'] ?? null,
    service_tier: 'default',
    store: request['store'] ?? true,
    temperature: request['temperature'] ?? 1,
    text: echoedText(request),
    tool_choice: request['tool_choice'] ?? 'auto',
    tools: request['tools'] ?? [],
    top_logprobs: request['top_logprobs'] ?? 0,
    top_p: request['top_p'] ?? 1,
    truncation: request['truncation'] ?? 'disabled',
    usage: null,
    user: request['user'] ?? null,
    metadata: request['metadata'] ?? {},
    ...state,
  }
}

function responseId(context: AnswerContext): string {
  return `resp_sim${context.turn}`
}

function echoedReasoning(request: JsonObject): JsonObject {
  const given = objectAt(request, 'reasoning')
  return { effort: given['effort'] ?? null, summary: given['summary'] ?? null }
}

function echoedText(request: JsonObject): JsonObject {
  const given = objectAt(request, 'text')
  return { format: given['format'] ?? { type: 'text' }, verbosity: given['verbosity'] ?? 'medium' }
}
