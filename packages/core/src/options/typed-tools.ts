import type { ToolChoice } from '../contract/adapter.ts'
import type { RunOptions, StepLoopOptions } from './loop-options.ts'
import type { ToolCallPart, ToolResultPart } from '../contract/messages.ts'
import type { RunResult } from '../contract/run-result.ts'
import type { StandardSchema } from '../tools/standard-schema.ts'
import type { OutputOptions } from '../output/structured.ts'
import type { ProviderTool, ToolSet } from '../tools/tool.ts'

/** Names of a set of tools; any text where the set is not known when the program is written. */
export type ToolName<Tools extends ToolSet> = Tools extends unknown ? Extract<keyof Tools, string> : never

/**
 * A call of one of the tools: `toolName` tells which, and so what `input` is by its schema, as the model writes it, before defaults and
 * transforms. What the types cannot say: a model may make up a name, and a call that was answered `invalid-input` holds what it holds.
 */
export type TypedToolCall<Tools extends ToolSet> = Tools extends unknown
  ? string extends keyof Tools
    ? ToolCallPart
    : { readonly [Name in ToolName<Tools>]: CallOf<Name, Tools[Name]> }[ToolName<Tools>]
  : never

/** The result of one of the tools. What it holds is what the model was told, not what `execute` returned. */
export type TypedToolResult<Tools extends ToolSet> = Tools extends unknown
  ? string extends keyof Tools
    ? ToolResultPart
    : { readonly [Name in ToolName<Tools>]: Named<ToolResultPart, CalledName<Name, Tools[Name]>> }[ToolName<Tools>]
  : never

type Named<Part, Name> = Omit<Part, 'toolName'> & { readonly toolName: Name }

/** A tool of the provider is called by its own name, not by its key. */
type CalledName<Key, Tool> = Tool extends ProviderTool ? Tool['name'] : Key

type CallOf<Key, Tool> = Named<Omit<ToolCallPart, 'input'>, CalledName<Key, Tool>> & { readonly input: SentTo<Tool> }

type SentTo<Tool> = Tool extends { readonly inputSchema: infer Schema }
  ? Schema extends StandardSchema<infer Sent, infer _Output>
    ? Sent
    : unknown
  : unknown

interface Choices<Tools extends ToolSet> {
  readonly tools?: Tools | undefined
  /** Names of the tools that the model may see. Default: all. */
  readonly activeTools?: readonly NoInfer<ToolName<Tools>>[] | undefined
  /** A forced choice (`required` or one tool) applies to the first step only. */
  readonly toolChoice?:
    | Extract<ToolChoice, string>
    | { readonly type: 'tool'; readonly toolName: NoInfer<ToolName<Tools>> }
    | undefined
}

/** Options of a loop whose tools are known: `activeTools` and `toolChoice` name no others. */
export type TypedLoopOptions<Tools extends ToolSet> = Omit<StepLoopOptions, keyof Choices<Tools>> & Choices<Tools>

/** Options of one run of it. `output` decides the type of the result's. */
export type TypedRunOptions<Tools extends ToolSet, Given> = Omit<RunOptions, keyof Choices<Tools> | 'output'> &
  Choices<Tools> & { readonly output?: (Given & OutputOptions) | undefined }

/** The object of a run: by the run's own `output`, else by the loop's. A plain JSON Schema says nothing about types. */
export type OutputOf<Given, Fallback> = [Given] extends [undefined]
  ? Fallback
  : Given extends OutputOptions<infer Output>
    ? Output
    : Fallback

/** The result of a run with these tools. */
export type TypedRunResult<Output, Tools extends ToolSet> = RunResult<
  Output,
  TypedToolCall<Tools>,
  TypedToolResult<Tools>
>
