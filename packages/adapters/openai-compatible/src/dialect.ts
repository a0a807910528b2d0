import type {
  AdapterErrorCode,
  FieldSetting,
  FilePart,
  JsonSchema,
  SettingNames,
  Settings,
  Usage,
} from '@steploop/core/adapter'
import type { ChatCompletionCreateParams } from 'openai/resources/chat/completions'
import { defaultCallId } from './names.ts'
import { defaultFilePart } from './encode-file.ts'

/** Body fields without a fixed meaning. */
export type Fields = Readonly<Record<string, unknown>>

/**
 * Where a provider puts reasoning in an assistant message (docs/wire.md#chat-names-of-reasoning); `content` means `thinking` chunks of a
 * content array.
 */
export type ReasoningField = 'reasoning_content' | 'reasoning' | 'reasoning_details' | 'content'

/**
 * How one provider deviates from Chat Completions, as data and small pure functions. Every member has a default, and decoding is
 * generous whatever the dialect: all names of reasoning, all locations of usage, all error shapes that were seen are understood. A dialect
 * says what must be sent differently, and the few things that cannot be told from the response.
 */
export interface ChatDialect {
  /** Appended to the base URL, with its query (Azure: `?api-version=`). Default `/chat/completions`. */
  readonly path?: string | undefined
  /** Sent with every request; headers of the caller win. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Fields of every body; settings and provider options win. */
  readonly body?: Fields | undefined
  /** Role of the instructions. Default `system`. */
  readonly systemRole?: 'system' | 'developer' | undefined
  /** Body field of each setting; `false`: unsupported, dropped with a warning. Default: OpenAI's names, `max_tokens`, no `topK`. */
  readonly settings?: SettingNames | undefined
  /**
   * Body fields that ask for an amount of reasoning; `false`: unsupported. `coerced` reports where they ask for another amount than was
   * wanted. Default `{ reasoning_effort }`.
   */
  readonly reasoning?:
    | ((effort: NonNullable<Settings['reasoning']>, coerced: (message: string) => void) => Fields)
    | false
    | undefined
  /** `stream_options` of streamed turns; `false`: the field is refused. Default `{ include_usage: true }`. */
  readonly streamOptions?: Fields | false | undefined
  /** The provider's words for the kinds of tool choice; `false`: not honoured. Default: all, OpenAI's words (Mistral: `required: 'any'`). */
  readonly toolChoice?:
    | {
        readonly none?: string | false | undefined
        readonly required?: string | false | undefined
        /** A choice by name: `{ type: 'function', function: { name } }`. */
        readonly tool?: boolean | undefined
      }
    | undefined
  /** How an answer is bound to a schema. `json_object` puts the schema into the instructions. Default `json_schema`. */
  readonly structured?: 'json_schema' | 'json_object' | 'none' | undefined
  /** False: `response_format` is refused beside tools; the schema then stands in the instructions alone. Default true. */
  readonly structuredWithTools?: boolean | undefined
  /** False: `strict` is never sent. Default: sent where it is wanted and the schema is fit for it. */
  readonly strict?: boolean | undefined
  /** Rewrites schemas of tools and answers that the provider refuses. Default: as they are. */
  readonly schema?: ((schema: JsonSchema) => JsonSchema) | undefined
  /** Legal names of tools; others are mapped, and mapped back. Default: letters, digits, `_` and `-`, at most 64. */
  readonly toolName?: RegExp | undefined
  /** Makes a legal call id of one that another provider or the loop made; the provider's own never come here. Default: at most 40 of letters, digits, `_`, `-`. */
  readonly callId?: ((toolCallId: string) => string) | undefined
  /** `content` of an assistant message that holds only calls. Default `null`. */
  readonly emptyContent?: null | '' | undefined
  /** Reasoning that is sent back to the provider which produced it, in the field it came in. Default: all fields. */
  readonly replay?: readonly ReasoningField[] | undefined
  /** Where reasoning goes that an application changed in this provider's own message. Default `none`: left out. */
  readonly editedReasoning?: Exclude<ReasoningField, 'reasoning_details'> | 'none' | undefined
  /** False: the field `refusal` of an assistant message is refused; the text goes instead. Default true. */
  readonly refusals?: boolean | undefined
  /** Field that must be there on every assistant message with calls, as `''` if need be (DeepSeek in thinking mode). Default `none`. */
  readonly reasoningWithCalls?: 'reasoning_content' | 'reasoning' | 'none' | undefined
  /** Fields of the answer's message that are sent back verbatim. Default: Gemini's `extra_content` and `thought_signature`. */
  readonly messageFields?: readonly string[] | undefined
  /** Fields of a call that are sent back verbatim. Default: Gemini's `extra_content`. */
  readonly callFields?: readonly string[] | undefined
  /** True: Groq's `executed_tools` are sent back. Default false: no provider is known to take them, the turn's text has what they gave. */
  readonly replayExecutedTools?: boolean | undefined
  /** A file of a message as a content part; `undefined`: refused with `unsupported`. Default: `image_url`, `input_audio`, `file` with data. */
  readonly filePart?: ((part: FilePart) => Fields | undefined) | undefined
  /** True: tool results may hold images. Default false: a text stands in their place. */
  readonly toolResultImages?: boolean | undefined
  /** `eof`: the provider gives no terminal evidence, so the end of the bytes counts, with the warning `unproven-end`. Default `finish-or-done`. */
  readonly terminal?: 'finish-or-done' | 'eof' | undefined
  /** Corrects counts that this provider reports differently. Default: as read. */
  readonly usage?: ((read: Usage, raw: Fields) => Usage) | undefined
  /** Words in an error's code, type or message (lower case) that say what it is; tried before the common ones. */
  readonly errorWords?: Readonly<Record<string, AdapterErrorCode>> | undefined
}

type Given<Value> = Exclude<Value, undefined>

/** A dialect with every default filled in. */
export type ResolvedDialect = { readonly [Name in keyof ChatDialect]-?: Given<ChatDialect[Name]> } & {
  readonly settings: Readonly<Record<FieldSetting, string | false>>
}

export function resolveDialect(dialect: ChatDialect = {}): ResolvedDialect {
  const given = dialect.settings ?? {}
  return { ...defaults, ...withoutUndefined(dialect), settings: { ...defaults.settings, ...withoutUndefined(given) } }
}

export function withoutUndefined<Shape extends object>(shape: Shape): { [Name in keyof Shape]?: Given<Shape[Name]> } {
  const kept: { [Name in keyof Shape]?: Given<Shape[Name]> } = {}
  for (const name in shape) {
    const value = shape[name]
    if (isGiven(value)) kept[name] = value
  }
  return kept
}

function isGiven<Value>(value: Value): value is Given<Value> {
  return value !== undefined
}

const settingFields: Readonly<Record<FieldSetting, string | false>> = {
  maxOutputTokens: 'max_tokens',
  temperature: 'temperature',
  topP: 'top_p',
  topK: false,
  presencePenalty: 'presence_penalty',
  frequencyPenalty: 'frequency_penalty',
  stopSequences: 'stop',
  seed: 'seed',
  parallelToolCalls: 'parallel_tool_calls',
} satisfies Record<FieldSetting, keyof ChatCompletionCreateParams | false>

const defaults: ResolvedDialect = {
  path: '/chat/completions',
  headers: {},
  body: {},
  systemRole: 'system',
  settings: settingFields,
  reasoning: (effort) => ({ reasoning_effort: effort }),
  streamOptions: { include_usage: true },
  toolChoice: {},
  structured: 'json_schema',
  structuredWithTools: true,
  strict: true,
  schema: (schema) => schema,
  toolName: /^[a-zA-Z0-9_-]{1,64}$/,
  callId: defaultCallId,
  emptyContent: null,
  replay: ['reasoning_content', 'reasoning', 'reasoning_details', 'content'],
  editedReasoning: 'none',
  refusals: true,
  reasoningWithCalls: 'none',
  messageFields: ['extra_content', 'thought_signature'],
  callFields: ['extra_content'],
  replayExecutedTools: false,
  filePart: defaultFilePart,
  toolResultImages: false,
  terminal: 'finish-or-done',
  usage: (read) => read,
  errorWords: {},
}
