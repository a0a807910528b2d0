import type {
  Adapter,
  FunctionToolDefinition,
  Mode,
  ResponseFormat,
  ToolChoice,
  ToolDefinition,
  TurnRequest,
} from '../contract/adapter.ts'
import { hasCapability } from '../wire/capability.ts'
import { LoopError } from '../contract/errors.ts'
import { isObject, noItems } from '../wire/json.ts'
import type { AssistantMessage, ToolCallPart, ToolOutput } from '../contract/messages.ts'
import { errorOutput } from '../wire/tool-output.ts'
import { hookFailed } from '../tools/hook-failed.ts'
import { ownCopy } from '../tools/own-data.ts'
import {
  isStandardSchema,
  issuesOf,
  isValid,
  type InputSchema,
  type StandardResult,
  type StandardSchema,
} from '../tools/standard-schema.ts'
import { jsonSchemaOf } from '../tools/tool.ts'

/** Asks for an answer that is a JSON object of a schema. */
export interface OutputOptions<Output = unknown> {
  /** A Standard Schema, which the answer is checked against, or a plain JSON Schema, which is only sent. Its root is an object. */
  readonly schema: InputSchema<Output>
  /** Name of the schema, for the provider. Default `answer`. */
  readonly name?: string | undefined
  readonly description?: string | undefined
  /** How often an invalid object is sent back for repair. Default 1. */
  readonly maxRepairs?: number | undefined
  /** Streams tell the object while it grows, as the event `partial-output`. Default false. */
  readonly partial?: boolean | undefined
}

/** JSON mode with every provider: `output: jsonObject` takes any JSON object for the answer. */
export const jsonObject: OutputOptions<Readonly<Record<string, unknown>>> = Object.freeze({
  schema: Object.freeze({ type: 'object' }),
})

/** The hidden tool of providers without native JSON output: its input is the answer. */
export const structuredToolName = 'output_structured_data'

/**
 * `native`: every turn is constrained. `last`: the provider cannot combine it with tools, so that one more turn, without tools, gives the
 * object. `tool`: a synthetic tool that core owns and hides.
 */
type Way = 'native' | 'last' | 'tool'

/** What a run knows of its structured answer. */
export interface StructuredState {
  readonly options: OutputOptions
  readonly format: ResponseFormat
  readonly tool: FunctionToolDefinition
  /** Lists of tools with it behind them, by those without. */
  readonly lists: WeakMap<readonly ToolDefinition[], readonly ToolDefinition[]>
  repairs: number
  /** In the way `last`: the tools are done, the object is asked for. */
  closing?: true | undefined
  found?: { readonly value: unknown } | undefined
  /** Ids of calls that no event shows. */
  readonly hiddenCalls: Set<string>
}

export function createStructured(options: OutputOptions): StructuredState {
  const declared = declarations.get(options) ?? declare(options)
  declarations.set(options, declared)
  return { options, ...declared, repairs: 0, hiddenCalls: new Set() }
}

type Declaration = Pick<StructuredState, 'format' | 'tool' | 'lists'>

/** Declarations by options: the same objects in every run of a loop, so that adapters encode them once. */
const declarations = new WeakMap<OutputOptions, Declaration>()

function declare(options: OutputOptions): Declaration {
  const { name = 'answer', description } = options
  const schema = jsonSchemaOf(options.schema, 'output.schema')
  const what = description === undefined ? '' : ` ${description}`
  const fix = `Gives the final answer to the user. Call it once, when you have everything.${what}`
  return {
    format: { name, schema, ...(description !== undefined && { description }) },
    tool: { type: 'function', name: structuredToolName, description: fix, inputSchema: schema },
    lists: new WeakMap(),
  }
}

export type ShapedRequest = Pick<TurnRequest, 'tools' | 'toolChoice' | 'responseFormat'>

export interface ShapeOptions {
  readonly model: Adapter
  readonly mode: Mode
  readonly tools: readonly ToolDefinition[] | undefined
  readonly toolChoice: ToolChoice | undefined
  readonly finalizing: boolean
  /** Models refuse a forced choice while they reason (docs/wire.md#anthropic-messages). */
  readonly reasoning: boolean
}

/** What a request has to carry so that the object comes out of it. */
export function shapeRequest(state: StructuredState, options: ShapeOptions): ShapedRequest {
  const { tools, toolChoice } = options
  const way = wayOf(options.model, options.mode, tools !== undefined)
  if (way === 'native') return { tools, toolChoice, responseFormat: state.format }
  if (way === 'tool') {
    const asked = syntheticChoice(options)
    const offered = asked.alone ? undefined : tools
    return { tools: withTool(state, offered), toolChoice: asked.choice }
  }
  return state.closing || options.finalizing ? { responseFormat: state.format } : { tools, toolChoice }
}

function wayOf(model: Adapter, mode: Mode, tools: boolean): Way {
  const { structured, structuredWithTools } = model.capabilities
  if (!hasCapability(structured, mode)) return 'tool'
  return !tools || hasCapability(structuredWithTools, mode) ? 'native' : 'last'
}

/** `alone`: the other tools are left out, since the choice cannot name the synthetic one. */
function syntheticChoice(options: ShapeOptions): { readonly choice: ToolChoice; readonly alone?: boolean } {
  const { tools, toolChoice, reasoning, model } = options
  const kinds = model.capabilities.toolChoice ?? []
  const closing = tools === undefined || toolChoice === 'none'
  if (!reasoning && closing && kinds.includes('tool')) {
    return { choice: { type: 'tool', toolName: structuredToolName } }
  }
  const forced = !reasoning && kinds.includes('required') ? 'required' : 'auto'
  if (closing || reasoning) return { choice: forced, alone: closing }
  const given = toolChoice !== undefined && toolChoice !== 'auto'
  return { choice: given ? toolChoice : forced }
}

/** Adds the hidden tool: the same array for the same tools, so that adapters encode it once. */
function withTool({ tool, lists }: Declaration, tools: readonly ToolDefinition[] = noItems): readonly ToolDefinition[] {
  const list = lists.get(tools) ?? [...tools, tool]
  lists.set(tools, list)
  return list
}

/** Output of the hidden call whose input is the object. */
export const takenOutput: ToolOutput = { type: 'text', value: 'Taken.' }

/** Answers the hidden call: it is the object, or says what is wrong with it. `alone`: no other call came with it. */
export async function judgeCall(state: StructuredState, call: ToolCallPart, alone: boolean): Promise<ToolOutput> {
  if (!alone)
    return { type: 'text', value: 'Not taken: other tools were called too. Call it again with their results.' }
  const problem =
    call.invalid === undefined ? await take(state, ownCopy(call.input)) : 'The arguments are not a JSON object.'
  if (problem === undefined) return takenOutput
  countRepair(state, problem)
  return errorOutput('invalid-input', `${problem} Correct it and call again.`)
}

/**
 * Looks for the object in an answer without calls. Returns what to tell the model when it has to go on, `undefined` when it is done.
 * Throws `LoopError` `invalid-output` when it has had its repairs.
 */
export async function judgeAnswer(
  state: StructuredState,
  message: AssistantMessage,
  options: { readonly model: Adapter; readonly mode: Mode; readonly tools: boolean },
): Promise<string | undefined> {
  const way = wayOf(options.model, options.mode, options.tools)
  if (way === 'last' && !state.closing) {
    state.closing = true
    return 'Now give your answer as the JSON object that was asked for.'
  }
  const problem = await takeText(state, message)
  if (problem === undefined) return undefined
  countRepair(state, problem)
  const how = way === 'tool' ? `Call ${structuredToolName} with it.` : 'Answer with the corrected JSON object alone.'
  return `${problem} ${how}`
}

async function takeText(state: StructuredState, message: AssistantMessage): Promise<string | undefined> {
  const text = message.content.map((part) => (part.type === 'text' ? part.text : '')).join('')
  let value: unknown
  try {
    value = JSON.parse(withoutFence(text))
  } catch {
    return 'Your answer is not the JSON object that was asked for.'
  }
  return take(state, value)
}

const fence = '```'

/** Models like to wrap JSON into a Markdown code block. Searched by hand: the text may be of any length, and made to be slow. */
function withoutFence(text: string): string {
  const block = text.trim()
  if (!block.startsWith(fence)) return text
  const lineEnd = block.indexOf('\n')
  const language = block.slice(fence.length, lineEnd).trim()
  return language === '' || language === 'json' ? block.slice(lineEnd + 1, block.lastIndexOf(fence)) : text
}

/** Keeps a valid object; says what is wrong with another one. */
async function take(state: StructuredState, value: unknown): Promise<string | undefined> {
  if (!isObject(value)) return 'Your answer is not a JSON object.'
  const { schema } = state.options
  if (!isStandardSchema(schema)) {
    state.found = { value }
    return undefined
  }
  const result = await validate(schema, value)
  if (result.issues === undefined) {
    state.found = { value: result.value }
    return undefined
  }
  const issues = issuesOf(result.issues).map(({ path, message }) => (path === '' ? message : `${path}: ${message}`))
  return `The object is not valid: ${issues.join('; ')}.`
}

async function validate(schema: StandardSchema, value: unknown): Promise<StandardResult<unknown>> {
  try {
    const result = await schema['~standard'].validate(value)
    return isValid(result) ? { value: result.value } : result
  } catch (cause) {
    throw hookFailed('output.schema', cause)
  }
}

function countRepair(state: StructuredState, problem: string): void {
  const { maxRepairs = 1 } = state.options
  if (state.repairs++ < maxRepairs) return
  const fix = 'Simplify the schema, raise `maxRepairs`, or use a stronger model.'
  throw new LoopError('invalid-output', `The model gave no valid object after ${maxRepairs} repairs. ${problem} ${fix}`)
}
