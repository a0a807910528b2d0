import { z } from 'zod'

import { objectAt, textAt } from '../../../simulate/fields.ts'
import { integer } from '../../../simulate/integer.ts'
import type { JsonObject, Memory, Rejection } from '../../../simulate/wire-simulation.ts'
import { badRequest, xaiShapeRejection } from '../../../openai-common/xai-errors.ts'
import { modelTraits } from '../../../openai-common/xai-models.ts'
import { checkWith } from '../../simulate/check.ts'
import { toolSchema } from '../../simulate/request-schema.ts'

const checkShape = checkWith({
  ids: true,
  fields: {
    logprobs: z.boolean().nullish(),
    max_turns: integer(1).nullish(),
    min_p: z.number().min(0).max(1).nullish(),
    reasoning_effort: z.string().nullish(),
    search_parameters: z.looseObject({}).nullish(),
    service_tier: z.enum(['default', 'auto', 'priority', 'fast']).nullish(),
    tools: z
      .array(toolSchema(['x_search', 'code_execution', 'collections_search']))
      .max(200)
      .optional(),
    top_k: integer(0).nullish(),
  },
  without: ['background', 'conversation', 'moderation', 'prompt', 'prompt_cache_options', 'prompt_cache_retention'],
  shapeRejection: xaiShapeRejection,
  rules,
})

/**
 * What xAI accepts in this format: https://docs.x.ai/docs/api-reference#create-new-response. No request is recorded. It ignores members
 * that it does not know; the simulator refuses them, since who sends them expects something of them.
 */
export function checkXai(body: unknown, memory?: Memory): Rejection | undefined {
  const rejection = checkShape(body, memory)
  if (rejection?.code !== 'previous_response_not_found') return rejection
  const message = `Response with id=${textAt(body as JsonObject, 'previous_response_id')} not found.`
  return { status: 404, type: 'not_found', code: 'Some requested entity was not found', message }
}

function rules(request: JsonObject): Rejection | undefined {
  if (request['instructions'] != null && request['previous_response_id'] != null) {
    return badRequest('Argument not supported: instructions cannot be combined with previous_response_id.')
  }
  const effort = objectAt(request, 'reasoning')['effort']
  if (effort == null || modelTraits(request).takesEffort) return undefined
  return badRequest(`Model ${textAt(request, 'model')} does not support parameter reasoningEffort.`)
}
