import { z } from 'zod'

import type { SimulatedDialect } from '../../simulate/wire-simulation.ts'
import { azure } from './azure/azure.ts'
import { checkWith, openaiDialect } from '../simulate/check.ts'
import { deepseek } from './deepseek/deepseek.ts'
import { groq } from './groq/groq.ts'
import { mistral } from './mistral/mistral.ts'
import { openrouter } from './openrouter/openrouter.ts'
import { xai } from './xai/xai.ts'

const clearThinking = z.boolean().optional()

/**
 * Who speaks this format. Those with a folder of their own are played whole; of the others it is known what they accept beyond
 * OpenAI's bodies: fields that were seen in accepted requests, or that the provider's API reference names.
 */
export const chatDialects: readonly SimulatedDialect[] = [
  { name: 'openai', hosts: ['api.openai.com'], check: checkWith(openaiDialect) },
  azure,
  mistral,
  groq,
  deepseek,
  xai,
  openrouter,
  {
    name: 'gemini-compatible',
    hosts: ['generativelanguage.googleapis.com'],
    check: checkWith({ call: { extra_content: z.looseObject({}).optional() } }),
  },
  {
    name: 'cerebras',
    hosts: ['api.cerebras.ai'],
    check: checkWith({
      body: {
        clear_thinking: clearThinking,
        disable_reasoning: z.boolean().optional(),
        reasoning_format: z.string().optional(),
      },
      assistant: { reasoning: z.string().optional() },
    }),
  },
  {
    name: 'crusoe',
    hosts: ['crusoecloud.com'],
    check: checkWith({ assistant: { reasoning: z.string().optional() } }),
  },
  {
    name: 'huggingface',
    hosts: ['router.huggingface.co'],
    // Its client sends every member that it knows, with null for those that are not used.
    check: checkWith({
      message: { name: z.null().optional(), tool_calls: z.null().optional() },
      part: { text: z.null().optional(), image_url: z.null().optional() },
      choiceWithoutType: true,
      emptyLists: true,
    }),
  },
  {
    name: 'snowflake',
    hosts: ['snowflakecomputing.com'],
    check: checkWith({
      body: { reasoning: z.looseObject({}).optional() },
      assistant: { reasoning_details: z.array(z.looseObject({ type: z.string() })).optional() },
    }),
  },
  {
    name: 'zai',
    hosts: ['api.z.ai'],
    check: checkWith({
      body: {
        do_sample: z.boolean().optional(),
        request_id: z.string().optional(),
        tool_stream: z.boolean().optional(),
        thinking: z
          .strictObject({ type: z.enum(['enabled', 'disabled']).optional(), clear_thinking: clearThinking })
          .optional(),
      },
      assistant: { reasoning_content: z.string().optional() },
    }),
  },
]
