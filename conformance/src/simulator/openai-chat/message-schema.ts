import { z } from 'zod'

import { byKey } from '../by-key.ts'

/** What a dialect adds to the bodies of OpenAI. */
export interface ChatDialect {
  readonly body?: z.ZodRawShape | undefined
  readonly assistant?: z.ZodRawShape | undefined
  /** Members of a call in an assistant message. */
  readonly call?: z.ZodRawShape | undefined
  /** Members of every message. */
  readonly message?: z.ZodRawShape | undefined
  /** Members of every content part. */
  readonly part?: z.ZodRawShape | undefined
  /** `tool_choice` may leave out its `type`. */
  readonly choiceWithoutType?: boolean | undefined
  /** `tools` and `tool_calls` may be empty lists. */
  readonly emptyLists?: boolean | undefined
}

const cacheBreakpoint = z.strictObject({ mode: z.literal('explicit') }).optional()

function parts(dialect: ChatDialect) {
  const extra = { prompt_cache_breakpoint: cacheBreakpoint, ...dialect.part }
  const text = z.strictObject({ type: z.literal('text'), text: z.string(), ...without(extra, 'text') })
  const image = z.strictObject({
    type: z.literal('image_url'),
    image_url: z.strictObject({ url: z.string().min(1), detail: z.enum(['auto', 'low', 'high']).optional() }),
    ...without(extra, 'image_url'),
  })
  const audio = z.strictObject({
    type: z.literal('input_audio'),
    input_audio: z.strictObject({ data: z.string(), format: z.enum(['wav', 'mp3']) }),
    ...extra,
  })
  const file = z.strictObject({
    type: z.literal('file'),
    file: z.strictObject({
      file_data: z.string().optional(),
      file_id: z.string().optional(),
      filename: z.string().optional(),
    }),
    ...extra,
  })
  const refusal = z.strictObject({ type: z.literal('refusal'), refusal: z.string() })
  return { text, image, audio, file, refusal }
}

function without(shape: z.ZodRawShape, key: string): z.ZodRawShape {
  return Object.fromEntries(Object.entries(shape).filter(([name]) => name !== key))
}

function toolCall(dialect: ChatDialect): z.ZodType {
  const id = z.string().min(1)
  return byKey(
    {
      function: z.strictObject({
        type: z.literal('function'),
        id,
        function: z.strictObject({ name: z.string().min(1).max(64), arguments: z.string() }),
        ...dialect.call,
      }),
      custom: z.strictObject({
        type: z.literal('custom'),
        id,
        custom: z.strictObject({ name: z.string(), input: z.string() }),
      }),
    },
    { key: 'type' },
  )
}

/**
 * One message, told apart by its role.
 * https://platform.openai.com/docs/api-reference/chat/create#chat-create-messages
 */
export function messageSchema(dialect: ChatDialect): z.ZodType {
  const { text, image, audio, file, refusal } = parts(dialect)
  const texts = z.union([z.string(), z.array(byKey({ text }, { key: 'type' })).min(1)])
  const common = { name: z.string().optional(), ...dialect.message }
  const instruction = (role: string) => z.strictObject({ role: z.literal(role), content: texts, ...common })
  const userParts = byKey({ text, image_url: image, input_audio: audio, file }, { key: 'type' })
  const user = z.strictObject({
    role: z.literal('user'),
    content: z.union([z.string(), z.array(userParts).min(1)]),
    ...common,
  })
  const assistant = z.strictObject({
    role: z.literal('assistant'),
    content: z.union([z.string(), z.array(byKey({ text, refusal }, { key: 'type' })).min(1), z.null()]).optional(),
    refusal: z.string().nullish(),
    audio: z.strictObject({ id: z.string() }).nullish(),
    tool_calls: z
      .array(toolCall(dialect))
      .min(dialect.emptyLists === true ? 0 : 1)
      .optional(),
    function_call: z.strictObject({ name: z.string(), arguments: z.string() }).nullish(),
    ...common,
    ...dialect.assistant,
  })
  const tool = z.strictObject({ role: z.literal('tool'), content: texts, tool_call_id: z.string(), ...common })
  return byKey(
    { system: instruction('system'), developer: instruction('developer'), user, assistant, tool },
    { key: 'role' },
  )
}
