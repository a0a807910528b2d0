import { z } from 'zod'

import { byKey, type Kind } from '../../simulate/by-key.ts'
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
  readonly hostedTools?: Readonly<Record<string, Kind>> | undefined
  /** Words for a tool choice. Default: `none`, `auto` and `required`. */
  readonly choices?: readonly [string, ...string[]] | undefined
  /** Tools and calls may leave out their `type`. */
  readonly typeless?: boolean | undefined
  /** Kinds of content parts that only this provider knows, in messages of the user. */
  readonly userParts?: Readonly<Record<string, Kind>> | undefined
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
  const image = z.strictObject({ url: z.string().min(1), detail: z.enum(['auto', 'low', 'high']).optional() })
  return {
    text: { text: z.string(), ...leaveOut(extra, ['text']) },
    image_url: { image_url: image, ...leaveOut(extra, ['image_url']) },
    input_audio: { input_audio: z.strictObject({ data: z.string(), format: z.enum(['wav', 'mp3']) }), ...extra },
    file: {
      file: z.strictObject({
        file_data: z.string().optional(),
        file_id: z.string().optional(),
        filename: z.string().optional(),
      }),
      ...extra,
    },
  }
}

function toolCall(dialect: ChatDialect): z.ZodType {
  const id = z.string().min(1)
  return byKey(
    {
      function: {
        id,
        function: z.strictObject({ name: z.string().min(1).max(64), arguments: z.string() }),
        ...dialect.call,
      },
      custom: { id, custom: z.strictObject({ name: z.string(), input: z.string() }) },
    },
    { absent: dialect.typeless === true ? 'function' : undefined },
  )
}

/**
 * One message, told apart by its role.
 * https://platform.openai.com/docs/api-reference/chat/create#chat-create-messages
 */
export function messageSchema(dialect: ChatDialect): z.ZodType {
  const { text, image_url, input_audio, file } = parts(dialect)
  const contentOf = (kinds: Readonly<Record<string, Kind>>) => z.union([z.string(), z.array(byKey(kinds)).min(1)])
  const common = { name: z.string().optional(), ...dialect.message }
  const instruction = { content: contentOf({ text }), ...common }
  const all = { text, image_url, input_audio, file, ...dialect.userParts }
  const assistant = {
    ...leaveOut(assistantFields(text, dialect), dialect.withoutAssistant),
    ...common,
    ...dialect.assistant,
  }
  const results = contentOf(dialect.resultImages === true ? { text, image_url } : { text })
  const roles = {
    system: instruction,
    developer: instruction,
    user: { content: contentOf(leaveOut<Kind>(all, dialect.withoutParts)), ...common },
    assistant,
    tool: { content: results, tool_call_id: z.string(), ...common },
  }
  return byKey(leaveOut<Kind>(roles, dialect.withoutRoles), { key: 'role' })
}

function assistantFields(text: Kind, dialect: ChatDialect): Readonly<Record<string, z.ZodType>> {
  const partList = z.array(byKey({ text, refusal: { refusal: z.string() } })).min(1)
  return {
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
