import { z } from 'zod'

import { objectAt, objectsAt } from '../../../simulate/fields.ts'
import type { JsonObject, Rejection } from '../../../simulate/wire-simulation.ts'
import { checkWith } from '../../simulate/check.ts'
import { badRequest, shapeRejection } from './failures.ts'
import { isThinking } from './thinking.ts'
import { wordsIn } from '../../../simulate/words.ts'

/**
 * What DeepSeek accepts: https://api-docs.deepseek.com/api/create-chat-completion. It ignores members that it does not know; the
 * simulator refuses them, since who sends them expects something of them.
 */
export const checkDeepSeek = checkWith({
  body: {
    n: z.literal(1).nullish(),
    reasoning_effort: z.enum(['low', 'medium', 'high', 'xhigh', 'max']).nullish(),
    stop: z.union([z.string(), z.array(z.string()).max(16), z.null()]).optional(),
    stream_options: z.strictObject({ include_usage: z.boolean().optional() }).nullish(),
    thinking: z.strictObject({ type: z.enum(['enabled', 'disabled']) }).nullish(),
    user_id: z.string().max(512).optional(),
  },
  without: wordsIn(`
    audio function_call functions logit_bias max_completion_tokens metadata modalities moderation
    parallel_tool_calls prediction prompt_cache_key prompt_cache_options prompt_cache_retention
    safety_identifier seed service_tier store user verbosity web_search_options
  `),
  assistant: { prefix: z.boolean().optional(), reasoning_content: z.string().nullish() },
  withoutAssistant: ['refusal', 'audio', 'function_call'],
  withoutParts: ['image_url', 'input_audio', 'file'],
  withoutRoles: ['developer'],
  shapeRejection,
  rules: (request) => checkThinking(request) ?? checkFormat(request),
})

function checkThinking(request: JsonObject): Rejection | undefined {
  if (!isThinking(request)) return undefined
  const choice = request['tool_choice']
  if (choice === 'required' || typeof choice === 'object') {
    return badRequest('Thinking mode does not support this tool_choice')
  }
  const bare = objectsAt(request, 'messages').findIndex(
    (message) => objectsAt(message, 'tool_calls').length > 0 && typeof message['reasoning_content'] !== 'string',
  )
  if (bare === -1) return undefined
  return badRequest(
    `Missing \`reasoning_content\` field in the assistant message at message index ${bare}. For more information, please refer to https://api-docs.deepseek.com/guides/thinking_mode#tool-calls`,
  )
}

function checkFormat(request: JsonObject): Rejection | undefined {
  const type = objectAt(request, 'response_format')['type']
  return type === 'json_schema' ? badRequest('This response_format type is unavailable now') : undefined
}
