import { z } from 'zod'
import { byKey } from '../../simulate/by-key.ts'
import { integer } from '../../simulate/integer.ts'

const text = z.strictObject({ type: z.literal('text'), text: z.string() })
const data = z.record(z.string(), z.unknown())
const document = z.strictObject({ id: z.string().optional(), data: z.union([data, z.string()]) })

const userBlock = byKey({
  text,
  image_url: {
    image_url: z.strictObject({ url: z.string().min(1), detail: z.enum(['auto', 'low', 'high']).optional() }),
  },
})

const modelBlock = byKey({ text, thinking: { thinking: z.string() } })

const resultBlock = byKey({ text, document: { document } })

const call = z.strictObject({
  id: z.string().min(1),
  type: z.literal('function'),
  function: z.strictObject({ name: z.string().min(1), arguments: z.string() }),
})

const message = byKey(
  {
    system: { content: z.union([z.string(), z.array(text)]) },
    user: { content: z.union([z.string(), z.array(userBlock).min(1)]) },
    assistant: {
      content: z.union([z.string(), z.array(modelBlock).min(1)]).optional(),
      tool_plan: z.string().optional(),
      tool_calls: z.array(call).min(1).optional(),
      citations: z.array(z.unknown()).optional(),
    },
    tool: { tool_call_id: z.string().min(1), content: z.union([z.string(), z.array(resultBlock)]) },
  },
  { key: 'role' },
)

const tool = z.strictObject({
  type: z.literal('function'),
  function: z.strictObject({ name: z.string().min(1), description: z.string().optional(), parameters: data }),
})

/** Body of POST /v2/chat, by the reference and the types of the package `cohere-ai`. */
export const requestSchema = z.strictObject({
  model: z.string().min(1),
  stream: z.boolean(),
  messages: z.array(message).min(1),
  tools: z.array(tool).min(1).optional(),
  strict_tools: z.boolean().optional(),
  tool_choice: z.enum(['REQUIRED', 'NONE']).optional(),
  documents: z.array(z.union([z.string(), document])).optional(),
  citation_options: z.strictObject({ mode: z.string().optional() }).optional(),
  response_format: byKey({
    text: {},
    json_object: { json_schema: data.optional() },
  }).optional(),
  safety_mode: z.enum(['CONTEXTUAL', 'STRICT', 'OFF']).optional(),
  max_tokens: integer(0).optional(),
  stop_sequences: z.array(z.string()).max(5).optional(),
  temperature: z.number().min(0).optional(),
  seed: integer(0).optional(),
  frequency_penalty: z.number().min(0).max(1).optional(),
  presence_penalty: z.number().min(0).max(1).optional(),
  k: integer(0, 500).optional(),
  p: z.number().min(0.01).max(0.99).optional(),
  logprobs: z.boolean().optional(),
  thinking: z.strictObject({ type: z.enum(['enabled', 'disabled']), token_budget: integer(1).optional() }).optional(),
  priority: integer(0, 999).optional(),
})
