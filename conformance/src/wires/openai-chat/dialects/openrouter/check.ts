import { z } from 'zod'

import { objectAt } from '../../../simulate/fields.ts'
import { integer } from '../../../simulate/integer.ts'
import type { JsonObject, Rejection } from '../../../simulate/wire-simulation.ts'
import { wordsIn } from '../../../simulate/words.ts'
import { checkWith } from '../../simulate/check.ts'
import { badRequest, shapeRejection } from './failures.ts'
import { checkDetails } from './reasoning-details.ts'

const cacheControl = z.strictObject({ type: z.literal('ephemeral'), ttl: z.enum(['5m', '1h']).optional() }).optional()

const serverTools = wordsIn(`
  advisor bash datetime experimental__search_models files fusion image_generation subagent web_fetch web_search
`)

const reasoning = z.strictObject({
  effort: z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']).nullish(),
  max_tokens: integer(1).nullish(),
  enabled: z.boolean().optional(),
  exclude: z.boolean().optional(),
  summary: z.enum(['auto', 'concise', 'detailed']).nullish(),
})

const detail = z.looseObject({
  type: z.enum(['reasoning.text', 'reasoning.summary', 'reasoning.encrypted', 'reasoning.server_tool_call']),
})

/**
 * What OpenRouter accepts: https://openrouter.ai/docs/api-reference/parameters. It ignores members that it does not know; the
 * simulator refuses them, since who sends them expects something of them.
 */
export const checkOpenRouter = checkWith({
  body: {
    cache_control: cacheControl,
    debug: z.looseObject({}).optional(),
    image_config: z.looseObject({}).optional(),
    include_reasoning: z.boolean().nullish(),
    max_price: z.looseObject({}).optional(),
    min_p: z.number().min(0).max(1).nullish(),
    models: z.array(z.string()).optional(),
    plugins: z.array(z.looseObject({ id: z.string() })).optional(),
    preset: z.string().optional(),
    provider: z.looseObject({}).optional(),
    reasoning: reasoning.nullish(),
    repetition_penalty: z.number().min(0).max(2).nullish(),
    route: z.literal('fallback').nullish(),
    session_id: z.string().optional(),
    stop_server_tools_when: z.array(z.looseObject({})).optional(),
    top_a: z.number().min(0).max(1).nullish(),
    top_k: integer(0).nullish(),
    trace: z.looseObject({}).optional(),
    transforms: z.array(z.string()).optional(),
    usage: z.strictObject({ include: z.boolean() }).optional(),
  },
  without: ['audio', 'function_call', 'functions', 'moderation'],
  assistant: {
    reasoning: z.string().nullish(),
    reasoning_details: z.array(detail).optional(),
    images: z
      .array(z.strictObject({ type: z.literal('image_url'), image_url: z.looseObject({ url: z.string() }) }))
      .optional(),
  },
  part: { cache_control: cacheControl },
  tool: { cache_control: cacheControl, eager_input_streaming: z.boolean().optional() },
  hostedTools: Object.fromEntries(
    serverTools.map((name) => [`openrouter:${name}`, { parameters: z.record(z.string(), z.unknown()).optional() }]),
  ),
  userParts: { video_url: { video_url: z.strictObject({ url: z.string() }) } },
  looseSchemas: true,
  shapeRejection,
  rules: (request, memory) => checkReasoning(request) ?? checkDetails(request, memory),
})

function checkReasoning(request: JsonObject): Rejection | undefined {
  const { effort, max_tokens: budget } = objectAt(request, 'reasoning')
  if (effort == null || budget == null) return undefined
  return badRequest('Only one of "reasoning.effort" and "reasoning.max_tokens" may be specified')
}
