import { z } from 'zod'
import { byKey } from '../../simulate/by-key.ts'
import { integer } from '../../simulate/integer.ts'

const images = z.array(z.base64()).optional()

const toolCall = z.strictObject({
  id: z.string().min(1).optional(),
  // Lemonade Server sends it in its answers, and gets it back; Ollama itself reads over it.
  type: z.literal('function').optional(),
  function: z.strictObject({
    index: integer(0).optional(),
    name: z.string().min(1),
    arguments: z.record(z.string(), z.unknown()),
  }),
})

/** `content` is required by the documentation; the server reads an absent one as an empty one. */
const message = byKey(
  {
    system: { content: z.string() },
    user: { content: z.string(), images },
    assistant: {
      content: z.string(),
      thinking: z.string().optional(),
      images,
      tool_calls: z.array(toolCall).min(1).optional(),
    },
    tool: { content: z.string(), tool_name: z.string().min(1), tool_call_id: z.string().min(1).optional(), images },
  },
  { key: 'role' },
)

/** The server reads these members into fixed types and skips the others, which are JSON Schema all the same. */
const property: z.ZodType = z.looseObject({
  type: z.union([z.string(), z.array(z.string())]).optional(),
  description: z.string().optional(),
  enum: z.array(z.unknown()).optional(),
  anyOf: z.lazy(() => z.array(property)).optional(),
  properties: z.lazy(() => z.record(z.string(), property)).optional(),
})

const tool = z.strictObject({
  type: z.literal('function'),
  function: z.strictObject({
    name: z.string().min(1),
    description: z.string().optional(),
    parameters: z.looseObject({
      type: z.literal('object'),
      required: z.array(z.string()).optional(),
      properties: z.record(z.string(), property).optional(),
    }),
  }),
})

/**
 * Body of POST /api/chat. `format`, `keep_alive`, `think` and the members of `options` have readers of their own in the server, and
 * checks of their own here.
 */
export const requestSchema = z.strictObject({
  model: z.string(),
  messages: z.array(message).min(1),
  stream: z.boolean().optional(),
  format: z.unknown().optional(),
  keep_alive: z.unknown().optional(),
  tools: z.array(tool).min(1).optional(),
  options: z.record(z.string(), z.unknown()).optional(),
  think: z.unknown().optional(),
  truncate: z.boolean().optional(),
  shift: z.boolean().optional(),
  logprobs: z.boolean().optional(),
  top_logprobs: integer().optional(),
})
