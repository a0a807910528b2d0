import { z } from 'zod'

import { byKey } from '../../simulate/by-key.ts'
import { integer } from '../../simulate/integer.ts'
import { leaveOut } from '../../simulate/leave-out.ts'
import { messageSchema, type ChatDialect } from './message-schema.ts'

const name = z
  .string()
  .min(1)
  .max(64)
  .regex(/^[a-zA-Z0-9_-]+$/)

function toolSchema(dialect: ChatDialect): z.ZodType {
  return byKey(
    {
      function: {
        function: z.strictObject({
          name,
          description: z.string().optional(),
          parameters: z.record(z.string(), z.unknown()).optional(),
          strict: z.boolean().nullish(),
          ...dialect.function,
        }),
        ...dialect.tool,
      },
      custom: {
        custom: z.strictObject({
          name,
          description: z.string().optional(),
          format: z.looseObject({ type: z.string() }).optional(),
        }),
      },
      ...dialect.hostedTools,
    },
    { absent: dialect.typeless === true ? 'function' : undefined },
  )
}

const named = z.strictObject({ name: z.string() })

function toolChoice({ choiceWithoutType, choices = ['none', 'auto', 'required'] }: ChatDialect): z.ZodType {
  const choice =
    choiceWithoutType === true
      ? z.strictObject({ type: z.literal('function').optional(), function: named })
      : byKey({
          function: { function: named },
          custom: { custom: named },
          allowed_tools: {
            allowed_tools: z.strictObject({
              mode: z.enum(['auto', 'required']),
              tools: z.array(z.looseObject({ type: z.string() })),
            }),
          },
        })
  return z.union([z.enum(choices), choice])
}

const responseFormat = byKey({
  text: {},
  json_object: {},
  json_schema: {
    json_schema: z.strictObject({
      name,
      description: z.string().optional(),
      schema: z.record(z.string(), z.unknown()).optional(),
      strict: z.boolean().nullish(),
    }),
  },
})

const fields = {
  model: z.string().min(1),
  audio: z.looseObject({}).nullish(),
  frequency_penalty: z.number().min(-2).max(2).nullish(),
  function_call: z.unknown().optional(),
  functions: z.array(z.looseObject({ name })).optional(),
  logit_bias: z.record(z.string(), z.number()).nullish(),
  logprobs: z.boolean().nullish(),
  max_completion_tokens: integer(1).nullish(),
  max_tokens: integer(1).nullish(),
  metadata: z.record(z.string(), z.string().max(512)).nullish(),
  modalities: z.array(z.enum(['text', 'audio'])).nullish(),
  moderation: z.looseObject({}).nullish(),
  n: integer(1, 128).nullish(),
  parallel_tool_calls: z.boolean().optional(),
  prediction: z.looseObject({ type: z.literal('content') }).nullish(),
  presence_penalty: z.number().min(-2).max(2).nullish(),
  prompt_cache_key: z.string().nullish(),
  prompt_cache_options: z.looseObject({}).optional(),
  prompt_cache_retention: z.enum(['in_memory', 'in-memory', '24h']).nullish(),
  reasoning_effort: z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']).nullish(),
  response_format: responseFormat.optional(),
  safety_identifier: z.string().optional(),
  seed: integer().nullish(),
  service_tier: z.enum(['auto', 'default', 'flex', 'scale', 'priority']).nullish(),
  stop: z.union([z.string(), z.array(z.string()).max(4), z.null()]).optional(),
  store: z.boolean().nullish(),
  stream: z.boolean().nullish(),
  stream_options: z
    .strictObject({ include_usage: z.boolean().optional(), include_obfuscation: z.boolean().optional() })
    .nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_logprobs: integer(0, 20).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  user: z.string().optional(),
  verbosity: z.enum(['low', 'medium', 'high']).nullish(),
  web_search_options: z
    .strictObject({
      search_context_size: z.enum(['low', 'medium', 'high']).optional(),
      user_location: z.looseObject({ type: z.literal('approximate') }).nullish(),
    })
    .optional(),
}

/**
 * Body of POST /chat/completions. Every object is strict where the provider is.
 * https://platform.openai.com/docs/api-reference/chat/create
 */
export function requestSchema(dialect: ChatDialect): z.ZodType {
  return z.strictObject({
    ...leaveOut<z.ZodType>(fields, dialect.without),
    messages: z.array(messageSchema(dialect)).min(1),
    tools: z
      .array(toolSchema(dialect))
      .min(dialect.emptyLists === true ? 0 : 1)
      .optional(),
    tool_choice: toolChoice(dialect).optional(),
    ...dialect.body,
  })
}
