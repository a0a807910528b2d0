import type {
  LanguageModelV4CallOptions,
  LanguageModelV4FunctionTool,
  LanguageModelV4ProviderTool,
} from '@ai-sdk/provider'
import {
  objectOf,
  type Adapter,
  type Flag,
  type Mode,
  type ResponseFormat,
  type Settings,
  type ToolChoice,
  type ToolDefinition,
  type TurnRequest,
  type Warning,
} from '@steploop/core/adapter'
import { decodePrompt } from './decode-prompt.ts'

export interface RequestContext {
  readonly mode: Mode
  /** Filled. */
  readonly warnings: Warning[]
}

/** The AI SDK's call options as a turn to encode. What the adapter does not claim to do is left out, with a warning. */
export function turnRequest(
  options: LanguageModelV4CallOptions,
  adapter: Adapter,
  context: RequestContext,
): TurnRequest {
  const { instructions, messages } = decodePrompt(options.prompt, adapter, context.warnings)
  const tools = options.tools?.flatMap((tool) => decodeTool(tool, adapter, context) ?? [])
  const hasTools = tools !== undefined && tools.length > 0
  return {
    messages,
    instructions,
    ...(hasTools && { tools, toolChoice: decodeChoice(options.toolChoice) }),
    settings: decodeSettings(options, context),
    responseFormat: decodeFormat(options, { ...context, adapter, hasTools }),
    providerOptions: options.providerOptions,
    headers: headersOf(options.headers),
    turn: messages.filter(({ role }) => role === 'assistant').length,
  }
}

function decodeTool(
  tool: LanguageModelV4FunctionTool | LanguageModelV4ProviderTool,
  adapter: Adapter,
  { warnings }: RequestContext,
): ToolDefinition | undefined {
  if (tool.type === 'function') {
    const { name, description, strict, providerOptions } = tool
    return { type: 'function', name, description, strict, providerOptions, inputSchema: objectOf(tool.inputSchema) }
  }
  if (tool.id.startsWith('steploop.')) {
    return { type: 'provider', provider: adapter.provider, name: tool.name, definition: tool.args }
  }
  const message = `\`${tool.id}\` is a tool of an AI SDK package. Give the adapter's own with the id 'steploop.${tool.name}' and its definition as \`args\`.`
  warnings.push({ type: 'unsupported', path: `tools.${tool.name}`, message })
  return undefined
}

function decodeChoice(choice: LanguageModelV4CallOptions['toolChoice']): ToolChoice | undefined {
  return choice?.type === 'tool' ? { type: 'tool', toolName: choice.toolName } : choice?.type
}

function decodeSettings(options: LanguageModelV4CallOptions, { warnings }: RequestContext): Settings {
  const { maxOutputTokens, temperature, topP, topK, presencePenalty, frequencyPenalty, stopSequences, seed } = options
  const reasoning = efforts[options.reasoning ?? 'provider-default']
  if (reasoning !== undefined && reasoning !== options.reasoning) {
    const message = `There is no effort '${options.reasoning}'; it is sent as '${reasoning}'.`
    warnings.push({ type: 'coerced', path: 'reasoning', message })
  }
  return { maxOutputTokens, temperature, topP, topK, presencePenalty, frequencyPenalty, stopSequences, seed, reasoning }
}

const efforts: Readonly<Record<NonNullable<LanguageModelV4CallOptions['reasoning']>, Settings['reasoning']>> = {
  'provider-default': undefined,
  none: 'none',
  minimal: 'low',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'high',
  max: 'high',
}

interface FormatContext extends RequestContext {
  readonly adapter: Adapter
  readonly hasTools: boolean
}

/** The AI SDK checks and parses the answer in any case, so a format that is left out is a weaker hint, not an error. */
function decodeFormat(
  { responseFormat: format }: LanguageModelV4CallOptions,
  { adapter, mode, hasTools, warnings }: FormatContext,
): ResponseFormat | undefined {
  if (format?.type !== 'json') return undefined
  const { structured, structuredWithTools } = adapter.capabilities
  const able = holds(hasTools ? structuredWithTools : structured, mode)
  if (!able || format.schema === undefined) {
    const reason = able
      ? 'no schema was given'
      : `the adapter has no native JSON output${hasTools ? ' beside tools' : ''}`
    warnings.push({ type: 'unsupported', path: 'responseFormat', message: `The format is left out: ${reason}.` })
    return undefined
  }
  return { name: format.name ?? 'response', description: format.description, schema: objectOf(format.schema) }
}

function holds(flag: Flag | undefined, mode: Mode): boolean {
  return typeof flag === 'object' ? flag[mode] : flag === true
}

function headersOf(headers: LanguageModelV4CallOptions['headers']): Record<string, string> | undefined {
  if (headers === undefined) return undefined
  const given = Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return Object.fromEntries(given)
}
