import { z } from 'zod'

import { byKey } from '../../simulate/by-key.ts'
import { leaveOut } from '../../simulate/leave-out.ts'
import type { ShapeFault } from '../../simulate/shape-fault.ts'
import type { JsonObject, Memory, Rejection } from '../../simulate/wire-simulation.ts'

/** How what a provider accepts differs from the bodies of OpenAI. */
export interface ChatDialect {
  /** Members of the body that are added, or that have other values. */
  readonly body?: z.ZodRawShape | undefined
  /** Members of OpenAI's body that the provider does not know. */
  readonly without?: readonly string[] | undefined
  readonly assistant?: z.ZodRawShape | undefined
  /** Members of OpenAI's assistant messages that the provider does not know. */
  readonly withoutAssistant?: readonly string[] | undefined
  /** Members of a declared tool beside its function. */
  readonly tool?: z.ZodRawShape | undefined
  /** Members of a declared function that are added, or that have other values. */
  readonly function?: z.ZodRawShape | undefined
  /** Tools that the provider runs, by their type. */
  readonly hostedTools?: Readonly<Record<string, z.ZodType>> | undefined
  /** Words for a tool choice. Default: `none`, `auto` and `required`. */
  readonly choices?: readonly [string, ...string[]] | undefined
  /** Tools and calls may leave out their `type`. */
  readonly typeless?: boolean | undefined
  /** Kinds of content parts that only this provider knows, in messages of the user. */
  readonly userParts?: Readonly<Record<string, z.ZodType>> | undefined
  /** Results of tools may hold images. */
  readonly resultImages?: boolean | undefined
  /** Kinds of OpenAI's parts that it does not know. */
  readonly withoutParts?: readonly string[] | undefined
  /** Roles of OpenAI's messages that it does not know. */
  readonly withoutRoles?: readonly string[] | undefined
  /** `strict` does not bind schemas to what OpenAI's strict mode can do: whether it can, the model behind the gateway decides. */
  readonly looseSchemas?: boolean | undefined
  /** Rules beyond the shape, asked before those of OpenAI. */
  readonly rules?: ((request: JsonObject, memory?: Memory) => Rejection | undefined) | undefined
  /** The provider's words for a fault of shape. Default: those of OpenAI. */
  readonly shapeRejection?: ((fault: ShapeFault) => Rejection) | undefined
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
  const text = z.strictObject({ type: z.literal('text'), text: z.string(), ...leaveOut(extra, ['text']) })
  const image = z.strictObject({
    type: z.literal('image_url'),
    image_url: z.strictObject({ url: z.string().min(1), detail: z.enum(['auto', 'low', 'high']).optional() }),
    ...leaveOut(extra, ['image_url']),
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

function toolCall(dialect: ChatDialect): z.ZodType {
  const id = z.string().min(1)
  return byKey(
    {
      function: z.strictObject({
        type: dialect.typeless === true ? z.literal('function').optional() : z.literal('function'),
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
    { key: 'type', absent: dialect.typeless === true ? 'function' : undefined },
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
  const all = { text, image_url: image, input_audio: audio, file, ...dialect.userParts }
  const userParts = byKey(leaveOut(all, dialect.withoutParts), { key: 'type' })
  const user = z.strictObject({
    role: z.literal('user'),
    content: z.union([z.string(), z.array(userParts).min(1)]),
    ...common,
  })
  const assistant = z.strictObject({
    ...leaveOut<z.ZodType>(assistantFields(text, refusal, dialect), dialect.withoutAssistant),
    ...common,
    ...dialect.assistant,
  })
  const shown = z.union([z.string(), z.array(byKey({ text, image_url: image }, { key: 'type' })).min(1)])
  const results = dialect.resultImages === true ? shown : texts
  const tool = z.strictObject({ role: z.literal('tool'), content: results, tool_call_id: z.string(), ...common })
  const roles = { system: instruction('system'), developer: instruction('developer'), user, assistant, tool }
  return byKey(leaveOut(roles, dialect.withoutRoles), { key: 'role' })
}

function assistantFields(
  text: z.ZodType,
  refusal: z.ZodType,
  dialect: ChatDialect,
): Readonly<Record<string, z.ZodType>> {
  const partList = z.array(byKey({ text, refusal }, { key: 'type' })).min(1)
  return {
    role: z.literal('assistant'),
    content: z.union([z.string(), partList, z.null()]).optional(),
    refusal: z.string().nullish(),
    audio: z.strictObject({ id: z.string() }).nullish(),
    tool_calls: z
      .array(toolCall(dialect))
      .min(dialect.emptyLists === true ? 0 : 1)
      .optional(),
    function_call: z.strictObject({ name: z.string(), arguments: z.string() }).nullish(),
  }
}
