import { z } from 'zod'

import { anyOfTypes, byKey } from '../../../simulate/by-key.ts'
import { objectAt, objectsAt, textAt } from '../../../simulate/fields.ts'
import { integer } from '../../../simulate/integer.ts'
import type { JsonObject, Rejection } from '../../../simulate/wire-simulation.ts'
import { checkWith } from '../../simulate/check.ts'
import { badOrder, badRequest, shapeRejection } from './failures.ts'
import { wordsIn } from '../../../simulate/words.ts'

const textChunk = z.strictObject({ type: z.literal('text'), text: z.string() })
const thinking = { thinking: z.array(textChunk), closed: z.boolean().optional() }

/** Thinking comes back inside the content (docs/wire.md#chat-content). */
const assistantContent = z
  .union([z.string(), z.array(byKey({ text: textChunk, thinking, reference: { reference_ids: z.array(z.number()) } }))])
  .nullish()

const image = { image_url: z.union([z.string(), z.strictObject({ url: z.string(), detail: z.string().nullish() })]) }
const document = { document_url: z.string(), document_name: z.string().nullish() }

/** Tools that Mistral runs itself. https://docs.mistral.ai/agents/tools/built-in */
const hostedTools = anyOfTypes(
  wordsIn('code_interpreter connector document_library image_generation web_search web_search_premium'),
)

/** What Mistral accepts: https://docs.mistral.ai/api/endpoint/chat. It refuses members that it does not know. */
export const checkMistral = checkWith({
  body: {
    guardrails: z.array(z.looseObject({})).nullish(),
    metadata: z.record(z.string(), z.unknown()).nullish(),
    prompt_mode: z.literal('reasoning').nullish(),
    random_seed: integer(0).nullish(),
    reasoning_effort: z.enum(['none', 'low', 'medium', 'high']).nullish(),
    safe_prompt: z.boolean().optional(),
    service_tier: z.string().nullish(),
    temperature: z.number().min(0).max(1.5).nullish(),
  },
  without: wordsIn(`
    audio function_call functions logit_bias logprobs max_completion_tokens modalities moderation
    prompt_cache_options prompt_cache_retention safety_identifier seed store stream_options top_logprobs user
    verbosity web_search_options
  `),
  assistant: { prefix: z.boolean().optional(), content: assistantContent },
  withoutAssistant: ['refusal', 'audio', 'function_call'],
  call: { index: integer(0).optional() },
  userParts: { image_url: image, input_audio: { input_audio: z.string() }, document_url: document },
  withoutParts: ['file'],
  function: { parameters: z.record(z.string(), z.unknown()), strict: z.boolean().optional() },
  hostedTools,
  withoutRoles: ['developer'],
  choices: ['auto', 'none', 'any', 'required'],
  typeless: true,
  emptyLists: true,
  shapeRejection,
  rules: (request) => checkOrder(objectsAt(request, 'messages')) ?? checkFormat(request),
})

/** https://docs.mistral.ai/resources/error-codes: calls and results have to match in number, and roles come in a fixed order. */
function checkOrder(messages: readonly JsonObject[]): Rejection | undefined {
  for (const [index, message] of messages.entries()) {
    const before = index === 0 ? undefined : textAt(messages[index - 1] ?? {}, 'role')
    const refused = checkRole(textAt(message, 'role'), before) ?? checkCallIds(message) ?? checkEmpty(message)
    if (refused !== undefined) return refused
  }
  const last = messages.at(-1) ?? {}
  if (last['role'] === 'assistant' && last['prefix'] !== true) {
    return badOrder('Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant')
  }
  return checkCounts(messages)
}

function checkRole(role: string, before: string | undefined): Rejection | undefined {
  const misplaced = (role === 'user' || role === 'system') && before === 'tool'
  const repeated = role === 'assistant' && before === 'assistant'
  if (!misplaced && !repeated) return undefined
  return badOrder(`Unexpected role '${role}' after role '${before ?? ''}'`)
}

function checkCallIds(message: JsonObject): Rejection | undefined {
  const calls = objectsAt(message, 'tool_calls').map((call) => textAt(call, 'id'))
  const ids = message['role'] === 'tool' ? [textAt(message, 'tool_call_id')] : calls
  const bad = ids.find((id) => !/^[a-zA-Z0-9]{9}$/.test(id))
  if (bad === undefined) return undefined
  return {
    status: 400,
    type: 'invalid_function_call',
    code: '3280',
    message: `Tool call id was ${bad} but must be a-z, A-Z, 0-9, with a length of 9.`,
  }
}

function checkEmpty(message: JsonObject): Rejection | undefined {
  if (message['role'] !== 'assistant' || objectsAt(message, 'tool_calls').length > 0) return undefined
  const content = message['content']
  if (content != null && content !== '' && !(Array.isArray(content) && content.length === 0)) return undefined
  return {
    status: 400,
    type: 'invalid_request_assistant_message',
    code: '3240',
    message: 'Assistant message must have either content or tool_calls, but not none.',
  }
}

/** Refuses a request without as many results after a message as it has calls. */
function checkCounts(messages: readonly JsonObject[]): Rejection | undefined {
  for (const [index, message] of messages.entries()) {
    if (message['role'] === 'tool') continue
    const rest = messages.slice(index + 1)
    const end = rest.findIndex(({ role }) => role !== 'tool')
    const results = end === -1 ? rest.length : end
    if (results !== objectsAt(message, 'tool_calls').length) {
      return badOrder('Not the same number of function calls and responses')
    }
  }
  return undefined
}

function checkFormat(request: JsonObject): Rejection | undefined {
  const format = objectAt(request, 'response_format')['type']
  if (format === undefined || format === 'text' || objectsAt(request, 'tools').length === 0) return undefined
  return badRequest('Cannot use json response type with tools')
}
