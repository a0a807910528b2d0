import type { FunctionToolDefinition, JsonSchema, ProviderToolDefinition } from '../contract/adapter.ts'
import { LoopError } from '../contract/errors.ts'
import type { Message, ToolOutput } from '../contract/messages.ts'
import type { ToolProgress } from '../contract/progress.ts'
import { errorText } from '../wire/error-text.ts'
import { isStandardSchema, type InputSchema, type StandardSchema } from './standard-schema.ts'

/** What a tool gets beside its input. */
export interface ToolContext {
  readonly toolCallId: string
  /** Which conversation the call belongs to: the `id` of the run's transcript. */
  readonly transcriptId: string
  /** Key that is the same for every attempt at this call, and for no other: give it to services that take an idempotency key. */
  readonly idempotencyKey: string
  /** The conversation up to the call, the call included; its own turn is not in it yet where `eagerTools` started the call. */
  readonly messages: readonly Message[]
  /** Aborted when the run is aborted or the tool's time is over. The loop does not wait for the tool to notice. */
  readonly signal: AbortSignal
  /**
   * Tells readers of the run's events how far the call is: the event `tool-progress`. Never throws, and tells nothing once the call is answered.
   * A reader that is slower than the tool sees the newest report. Prolongs the call where the tool has a `maxTotalTimeout`.
   */
  readonly report: (progress: ToolProgress) => void
}

export interface FunctionTool<Input = unknown> {
  readonly type: 'function'
  readonly description?: string | undefined
  /** A Standard Schema (zod, valibot, arktype ...) or a plain JSON Schema, which is sent but not checked against. */
  readonly inputSchema: InputSchema
  /** Runs the call. Without it the tool is client-owned: the run suspends and the caller answers. */
  readonly execute?: ((input: Input, context: ToolContext) => unknown) | undefined
  /**
   * True: the run suspends until the caller approves the call. A function is asked about a copy of what `execute` would get; anything but a
   * plain `false` asks, also that it throws or takes longer than `timeout`. Nobody is asked about an input that JSON cannot say: such a call
   * is answered `tool-failed`.
   */
  readonly needsApproval?: boolean | ((input: Input) => boolean | Promise<boolean>) | undefined
  /** Milliseconds until the call is answered with `tool-timeout`, judges and hooks included. Default: the loop's `toolTimeout`; 0: none. */
  readonly timeout?: number | undefined
  /**
   * Milliseconds that the call may take in all, where each `report` of the tool starts its `timeout` anew; no less than
   * `timeout`. Default: reports prolong nothing.
   */
  readonly maxTotalTimeout?: number | undefined
  /** `read`: running it twice, or for nothing, does no harm; see `eagerTools`. Default `write`. */
  readonly effect?: 'read' | 'write' | undefined
  /** Ask the provider to enforce the schema, where it can. */
  readonly strict?: boolean | undefined
  /**
   * What only one provider knows of a tool, by the provider: `{ anthropic: { defer_loading: true } }`. Goes into its declaration of the
   * tool; other providers do not see it.
   */
  readonly providerOptions?: FunctionToolDefinition['providerOptions']
  /** Makes what the model sees from what `execute` returned. Default: text as text, anything else as JSON. */
  readonly toModelOutput?: ((result: unknown) => ToolOutput) | undefined
}

/** A tool that the provider runs itself, declared verbatim. */
export interface ProviderTool {
  readonly type: 'provider'
  readonly provider: string
  readonly name: string
  readonly definition: Readonly<Record<string, unknown>>
}

/** Tools of any input type side by side; `never` because each checks its own input before it runs. */
export type AnyTool = FunctionTool<never> | ProviderTool

/** Tools by name. A provider tool's key is only its handle in `activeTools`. */
export type ToolSet = Readonly<Record<string, AnyTool>>

/** The arguments of a call are an object: of a list or a text, no provider can make any. */
type ObjectRoot<Sent> = Sent extends readonly unknown[] | string | number | boolean | null | undefined ? never : unknown

/**
 * Refuses a schema that can give no JSON Schema, as no provider can be told of it: valibot's need `toStandardJsonSchema` of
 * `@valibot/to-json-schema`.
 */
type GivesJsonSchema<Standard> = 'jsonSchema' extends keyof Standard ? unknown : never

/** Declares a tool; the type of `execute`'s input comes from the schema. */
export function tool<Input, Sent = unknown, Standard = StandardSchema['~standard']>(
  definition: Omit<FunctionTool<Input>, 'type' | 'inputSchema'> & {
    readonly inputSchema: StandardSchema<Sent, Input> & { readonly '~standard': Standard } & ObjectRoot<Sent> &
      GivesJsonSchema<Standard>
  },
): FunctionTool<Input> & { readonly inputSchema: StandardSchema<Sent, Input> }
export function tool(
  definition: Omit<FunctionTool<Record<string, unknown>>, 'type' | 'inputSchema'> & {
    readonly inputSchema: JsonSchema
  },
): FunctionTool<Record<string, unknown>>
export function tool<Input>(definition: Omit<FunctionTool<Input>, 'type'>): FunctionTool<Input> {
  return { type: 'function', ...definition }
}

/** Declares a tool that `provider` runs itself; `definition` goes into its requests verbatim and to no other provider. */
export function providerTool<const Name extends string>(
  options: Omit<ProviderTool, 'type'> & { readonly name: Name },
): ProviderTool & { readonly name: Name } {
  return { type: 'provider', ...options }
}

const converted = new WeakMap<object, JsonSchema>()

/**
 * The tool as the adapter sees it. The conversion to JSON Schema happens once per schema object.
 * Throws `LoopError` `invalid-options` when the schema library cannot give a JSON Schema.
 */
export function toolDefinition(name: string, declared: AnyTool): FunctionToolDefinition | ProviderToolDefinition {
  if (declared.type === 'provider') return declared
  return {
    type: 'function',
    name,
    ...(declared.description !== undefined && { description: declared.description }),
    inputSchema: jsonSchemaOf(declared.inputSchema, `tool '${name}'`),
    ...(declared.strict !== undefined && { strict: declared.strict }),
    ...(declared.providerOptions !== undefined && { providerOptions: declared.providerOptions }),
  }
}

/** `owner` names the schema in messages, for example `tool 'weather'`. */
export function jsonSchemaOf(schema: InputSchema, owner: string): JsonSchema {
  if (!isStandardSchema(schema)) return schema
  const known = converted.get(schema)
  if (known !== undefined) return known
  const toJsonSchema = schema['~standard'].jsonSchema?.input
  if (toJsonSchema === undefined) {
    const vendor = schema['~standard'].vendor
    const message = `${owner}: schemas of '${vendor}' give no JSON Schema (\`~standard.jsonSchema\`). Use zod 4, arktype, \`toStandardJsonSchema\` of @valibot/to-json-schema, or a JSON Schema.`
    throw new LoopError('invalid-options', message)
  }
  let made: JsonSchema
  try {
    const { $schema: _dialect, ...rest } = toJsonSchema({ target: 'draft-2020-12' })
    made = rest
  } catch (cause) {
    const message = `${owner}: its schema has no JSON Schema form: ${errorText(cause)}. Use types that JSON can express.`
    throw new LoopError('invalid-options', message, { cause })
  }
  converted.set(schema, made)
  return made
}
