import { z } from 'zod'

import { objectAt, objectsAt, textAt } from '../../../simulate/fields.ts'
import type { JsonObject, Rejection } from '../../../simulate/wire-simulation.ts'
import { checkWith } from '../../simulate/check.ts'
import { badRequest, shapeRejection } from './failures.ts'
import { modelFamily } from './model-family.ts'
import { wordsIn } from '../../../simulate/words.ts'

/** What Groq accepts: https://console.groq.com/docs/api-reference and /docs/openai (what is not supported). */
export const checkGroq = checkWith({
  body: {
    citation_options: z.enum(['enabled', 'disabled']).nullish(),
    compound_custom: z.looseObject({}).nullish(),
    disable_tool_validation: z.boolean().optional(),
    documents: z.array(z.looseObject({})).nullish(),
    include_reasoning: z.boolean().nullish(),
    n: z.literal(1).nullish(),
    reasoning_effort: z.enum(['none', 'default', 'low', 'medium', 'high']).nullish(),
    reasoning_format: z.enum(['parsed', 'raw', 'hidden']).nullish(),
    search_settings: z.looseObject({}).nullish(),
    service_tier: z.enum(['auto', 'on_demand', 'flex', 'performance']).nullish(),
  },
  without: wordsIn(`
    audio logit_bias logprobs modalities moderation prediction prompt_cache_key prompt_cache_options
    prompt_cache_retention safety_identifier top_logprobs verbosity web_search_options
  `),
  assistant: { reasoning: z.string().nullish() },
  withoutAssistant: ['refusal', 'audio'],
  withoutParts: ['input_audio', 'file'],
  hostedTools: { browser_search: {}, code_interpreter: {} },
  shapeRejection,
  rules: (request) => checkReasoning(request) ?? checkJson(request),
})

/** https://console.groq.com/docs/reasoning */
function checkReasoning(request: JsonObject): Rejection | undefined {
  const format = request['reasoning_format']
  const family = modelFamily(textAt(request, 'model'))
  if (format != null && request['include_reasoning'] != null) {
    return badRequest('include_reasoning and reasoning_format are mutually exclusive')
  }
  if (format != null && family === 'other') return badRequest('reasoning_format is not supported with this model')
  const needsParsed = objectsAt(request, 'tools').length > 0 || isJson(request)
  if (format === 'raw' && needsParsed) {
    return badRequest('reasoning_format `raw` is not supported with tool calling or JSON mode')
  }
  return checkEffort(textAt(request, 'reasoning_effort'), family)
}

const efforts = { 'gpt-oss': ['low', 'medium', 'high'], qwen: ['none', 'default'], other: [] }

function checkEffort(effort: string, family: keyof typeof efforts): Rejection | undefined {
  const known: readonly string[] = efforts[family]
  if (effort === '' || known.includes(effort)) return undefined
  if (known.length === 0) return badRequest('reasoning_effort is not supported with this model')
  return badRequest(`\`reasoning_effort\` must be one of ${known.map((one) => `\`${one}\``).join(' or ')}`)
}

/** https://console.groq.com/docs/structured-outputs */
function checkJson(request: JsonObject): Rejection | undefined {
  if (!isJson(request)) return undefined
  if (objectsAt(request, 'tools').length > 0) {
    return badRequest('json mode cannot be combined with tool/function calling')
  }
  const isSchema = objectAt(request, 'response_format')['type'] === 'json_schema'
  const model = textAt(request, 'model')
  if (!isSchema || /gpt-oss|llama-4|kimi-k2/.test(model)) return undefined
  return badRequest('This model does not support response format `json_schema`.')
}

function isJson(request: JsonObject): boolean {
  return textAt(objectAt(request, 'response_format'), 'type').startsWith('json_')
}
