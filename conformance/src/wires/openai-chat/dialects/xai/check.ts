import { z } from 'zod'

import { textAt } from '../../../simulate/fields.ts'
import { integer } from '../../../simulate/integer.ts'
import type { JsonObject, Rejection } from '../../../simulate/wire-simulation.ts'
import { badRequest, xaiShapeRejection } from '../../../openai-common/xai-errors.ts'
import { modelTraits } from '../../../openai-common/xai-models.ts'
import { checkWith } from '../../simulate/check.ts'
import { wordsIn } from '../../../simulate/words.ts'

/**
 * What xAI accepts: https://docs.x.ai/docs/api-reference#chat-completions. No request to this endpoint is recorded. It ignores members
 * that it does not know; the simulator refuses them, since who sends them expects something of them.
 */
export const checkXai = checkWith({
  body: {
    deferred: z.boolean().nullish(),
    n: integer(1).nullish(),
    reasoning_effort: z.enum(['none', 'low', 'medium', 'high']).nullish(),
    search_parameters: z.looseObject({}).nullish(),
    service_tier: z.enum(['default', 'auto', 'priority', 'fast']).nullish(),
    stream_options: z.strictObject({ include_usage: z.boolean().optional() }).nullish(),
    top_logprobs: integer(0, 8).nullish(),
  },
  without: wordsIn(`
    audio function_call functions metadata modalities moderation prediction prompt_cache_options
    prompt_cache_retention store verbosity
  `),
  assistant: { reasoning_content: z.string().nullish() },
  withoutAssistant: ['audio', 'function_call'],
  withoutParts: ['input_audio', 'file'],
  resultImages: true,
  function: { defer_loading: z.boolean().nullish(), parameters: z.record(z.string(), z.unknown()) },
  shapeRejection: xaiShapeRejection,
  rules: checkModel,
})

/** Models that reason refuse some settings: https://docs.x.ai/docs/guides/reasoning */
function checkModel(request: JsonObject): Rejection | undefined {
  const { reasons, takesEffort } = modelTraits(request)
  const model = textAt(request, 'model')
  const refused = reasons ? ['presence_penalty', 'frequency_penalty', 'stop'] : []
  const name = [...refused, ...(takesEffort ? [] : ['reasoning_effort'])].find((key) => request[key] != null)
  if (name !== undefined) {
    const parameter = name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
    return badRequest(`Model ${model} does not support parameter ${parameter}.`)
  }
  const effort = textAt(request, 'reasoning_effort')
  if (!model.startsWith('grok-3-mini') || ['', 'low', 'high'].includes(effort)) return undefined
  return badRequest(`Invalid reasoning effort for model ${model}: ${effort}. Expected low or high.`)
}
