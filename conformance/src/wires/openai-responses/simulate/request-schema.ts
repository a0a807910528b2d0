import { z } from 'zod'

import { anyOfTypes, byKey } from '../../simulate/by-key.ts'
import { integer } from '../../simulate/integer.ts'
import { leaveOut } from '../../simulate/leave-out.ts'
import { wordsIn } from '../../simulate/words.ts'
import { itemSchema } from './item-schema.ts'
import type { JsonObject, Rejection } from '../../simulate/wire-simulation.ts'
import type { ShapeFault } from '../../simulate/shape-fault.ts'

/** How a provider that speaks this format deviates in what it accepts. */
export interface ResponsesDialect {
  /** Item ids tell their kind by a prefix (`rs_`, `msg_`, `fc_`). */
  readonly ids: boolean
  /** Fields of the body that only this provider knows, or that have other values. */
  readonly fields: z.ZodRawShape
  /** Fields of OpenAI's body that the provider does not know. */
  readonly without?: readonly string[] | undefined
  /** Rules beyond the shape, asked before those of OpenAI. */
  readonly rules?: ((request: JsonObject) => Rejection | undefined) | undefined
  /** The provider's words for a fault of shape. Default: those of OpenAI. */
  readonly shapeRejection?: ((fault: ShapeFault) => Rejection) | undefined
}

const toolName = z
  .string()
  .min(1)
  .max(64)
  .regex(/^[a-zA-Z0-9_-]+$/)

const functionTool = {
  name: toolName,
  description: z.string().nullish(),
  parameters: z.record(z.string(), z.unknown()).nullable(),
  strict: z.boolean().nullish(),
  defer_loading: z.boolean().optional(),
  allowed_callers: z.array(z.string()).nullish(),
  async: z.boolean().optional(),
  output_schema: z.record(z.string(), z.unknown()).nullish(),
}

const customTool = {
  name: toolName,
  description: z.string().optional(),
  format: z.looseObject({ type: z.string() }).optional(),
  defer_loading: z.boolean().optional(),
  allowed_callers: z.array(z.string()).nullish(),
  async: z.boolean().optional(),
}

const codeInterpreter = {
  container: z.union([z.string(), z.looseObject({ type: z.literal('auto') })]),
  allowed_callers: z.array(z.string()).nullish(),
}

const mcp = z.looseObject({ type: z.literal('mcp'), server_label: z.string().min(1) })

const fileSearch = z.looseObject({ type: z.literal('file_search'), vector_store_ids: z.array(z.string()).min(1) })

const hostedTools = wordsIn(`
  apply_patch computer computer_use_preview image_generation local_shell namespace programmatic_tool_calling shell
  tool_search web_search web_search_2025_08_26 web_search_preview web_search_preview_2025_03_11
`)

/** A declared tool; `alsoHosted` names types that only another provider runs. */
export function toolSchema(alsoHosted: readonly string[] = []): z.ZodType {
  return byKey({
    function: functionTool,
    custom: customTool,
    code_interpreter: codeInterpreter,
    mcp,
    file_search: fileSearch,
    ...anyOfTypes([...hostedTools, ...alsoHosted]),
  })
}

const toolChoice = z.union([
  z.enum(['none', 'auto', 'required']),
  byKey({
    function: { name: z.string() },
    custom: { name: z.string() },
    allowed_tools: { mode: z.enum(['auto', 'required']), tools: z.array(z.looseObject({ type: z.string() })).min(1) },
    mcp: { server_label: z.string(), name: z.string().nullish() },
    ...Object.fromEntries([...hostedTools, 'file_search', 'code_interpreter'].map((type) => [type, {}])),
  }),
])

const format = byKey({
  text: {},
  json_object: {},
  json_schema: {
    name: toolName,
    description: z.string().optional(),
    schema: z.record(z.string(), z.unknown()),
    strict: z.boolean().nullish(),
  },
})

const include = z.enum([
  'code_interpreter_call.outputs',
  'computer_call_output.output.image_url',
  'file_search_call.results',
  'message.input_image.image_url',
  'message.output_text.logprobs',
  'reasoning.encrypted_content',
  'web_search_call.action.sources',
  'web_search_call.results',
])

const reasoning = z.strictObject({
  effort: z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']).nullish(),
  summary: z.enum(['auto', 'concise', 'detailed']).nullish(),
  generate_summary: z.enum(['auto', 'concise', 'detailed']).nullish(),
  context: z.string().optional(),
  mode: z.string().optional(),
})

const fields = {
  access_programs: z.looseObject({}).nullish(),
  background: z.boolean().nullish(),
  context_management: z.array(z.looseObject({ type: z.string() })).nullish(),
  conversation: z.union([z.string(), z.strictObject({ id: z.string() })]).nullish(),
  include: z.array(include).nullish(),
  instructions: z.string().nullish(),
  max_output_tokens: integer(16).nullish(),
  max_tool_calls: integer(1).nullish(),
  metadata: z.record(z.string(), z.string().max(512)).nullish(),
  model: z.string().min(1),
  moderation: z.looseObject({}).nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  previous_response_id: z.string().nullish(),
  prompt: z.looseObject({ id: z.string() }).nullish(),
  prompt_cache_key: z.string().nullish(),
  prompt_cache_options: z.looseObject({}).optional(),
  prompt_cache_retention: z.enum(['in_memory', 'in-memory', '24h']).nullish(),
  reasoning: reasoning.nullish(),
  safety_identifier: z.string().nullish(),
  service_tier: z.enum(['auto', 'default', 'flex', 'scale', 'priority']).nullish(),
  store: z.boolean().nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.strictObject({ include_obfuscation: z.boolean().optional() }).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  text: z
    .strictObject({ format: format.optional(), verbosity: z.enum(['low', 'medium', 'high']).nullish() })
    .optional(),
  tool_choice: toolChoice.optional(),
  tools: z.array(toolSchema()).optional(),
  top_logprobs: integer(0, 20).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  truncation: z.enum(['auto', 'disabled']).nullish(),
  user: z.string().nullish(),
}

/**
 * Body of POST /responses. Every object is strict where the provider is.
 * https://platform.openai.com/docs/api-reference/responses/create
 */
export function requestSchema(dialect: ResponsesDialect): z.ZodType {
  const input = z.union([z.string(), z.array(itemSchema(dialect.ids))]).optional()
  return z.strictObject({ ...leaveOut<z.ZodType>(fields, dialect.without), input, ...dialect.fields })
}
