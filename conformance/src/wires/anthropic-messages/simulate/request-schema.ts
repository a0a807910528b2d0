import { z } from 'zod'

import { byKey } from '../../simulate/by-key.ts'
import { integer } from '../../simulate/integer.ts'
import { cacheControl, contentByRole, textBlock } from './content-schema.ts'

const message = (role: keyof typeof contentByRole) =>
  z.strictObject({ role: z.literal(role), content: z.union([z.string(), z.array(contentByRole[role])]) })

const customTool = z.strictObject({
  type: z.literal('custom').nullish(),
  name: z
    .string()
    .min(1)
    .max(128)
    .regex(/^[a-zA-Z0-9_-]{1,128}$/),
  description: z.string().optional(),
  input_schema: z.looseObject({ type: z.literal('object') }),
  strict: z.boolean().optional(),
  defer_loading: z.boolean().optional(),
  allowed_callers: z.array(z.string()).optional(),
  eager_input_streaming: z.boolean().nullish(),
  input_examples: z.array(z.record(z.string(), z.unknown())).optional(),
  cache_control: cacheControl,
})

/** Tools that the provider runs or knows have a name with a date. */
const serverToolType =
  /^(advisor|bash|browser_toolset|code_execution|computer|computer_toolset|mcp_toolset|memory|text_editor|tool_search_tool_(bm25|regex)|web_fetch|web_search)(_\d{8})?$/

const serverTool = z.looseObject({ type: z.string(), name: z.string().optional() })

/** Today's names, for the message about an unknown one. */
const knownServerTools = Object.fromEntries(
  [
    'bash_20250124',
    'code_execution_20250825',
    'memory_20250818',
    'text_editor_20250728',
    'web_fetch_20250910',
    'web_search_20250305',
  ].map((type) => [type, serverTool]),
)

const disableParallel = z.boolean().optional()
const toolChoice = byKey({
  auto: { disable_parallel_tool_use: disableParallel },
  any: { disable_parallel_tool_use: disableParallel },
  tool: { name: z.string(), disable_parallel_tool_use: disableParallel },
  none: {},
})

const display = z.enum(['summarized', 'omitted', 'updates']).nullish()
const thinking = byKey({
  enabled: { budget_tokens: integer(1024), display },
  adaptive: { display },
  between_tools: {},
  disabled: {},
})

const jsonSchemaFormat = z.strictObject({ type: z.literal('json_schema'), schema: z.record(z.string(), z.unknown()) })

/**
 * Body of POST /v1/messages. Every object is strict where the provider is.
 * https://docs.claude.com/en/api/messages
 */
export const requestSchema = z.strictObject({
  model: z.string().min(1),
  max_tokens: integer(1),
  messages: z.array(
    byKey({ user: message('user'), assistant: message('assistant'), system: message('system') }, { key: 'role' }),
  ),
  billing_policy: z.looseObject({}).nullish(),
  cache_control: cacheControl,
  compaction: z.looseObject({}).nullish(),
  container: z.union([z.string(), z.looseObject({}), z.null()]).optional(),
  context_management: z.strictObject({ edits: z.array(z.looseObject({ type: z.string() })).optional() }).nullish(),
  diagnostics: z.strictObject({ previous_message_id: z.string().nullish() }).nullish(),
  fallback_credit_token: z.string().nullish(),
  fallbacks: z.union([z.string(), z.array(z.looseObject({ model: z.string() }))]).nullish(),
  inference_geo: z.string().nullish(),
  mcp_servers: z.array(z.looseObject({ type: z.literal('url'), url: z.string(), name: z.string() })).optional(),
  metadata: z.strictObject({ user_id: z.string().nullish() }).optional(),
  output_config: z
    .strictObject({
      effort: z.enum(['low', 'medium', 'high', 'xhigh', 'max']).nullish(),
      format: jsonSchemaFormat.nullish(),
      task_budget: z.looseObject({ type: z.literal('tokens') }).nullish(),
    })
    .optional(),
  output_format: jsonSchemaFormat.nullish(),
  service_tier: z.enum(['auto', 'standard_only']).optional(),
  speed: z.enum(['standard', 'fast']).nullish(),
  stop_sequences: z.array(z.string()).optional(),
  stream: z.boolean().optional(),
  system: z.union([z.string(), z.array(textBlock)]).optional(),
  temperature: z.number().min(0).max(1).optional(),
  thinking: thinking.optional(),
  thread: z.looseObject({}).nullish(),
  tool_choice: toolChoice.optional(),
  tools: z
    .array(
      byKey(
        { custom: customTool, ...knownServerTools },
        { absent: 'custom', other: (type) => (serverToolType.test(type) ? serverTool : undefined) },
      ),
    )
    .optional(),
  top_k: integer(0).optional(),
  top_p: z.number().min(0).max(1).optional(),
  workspace_id: z.string().optional(),
})
