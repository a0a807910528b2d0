import type {
  LanguageModelV4CallOptions,
  LanguageModelV4FunctionTool,
  LanguageModelV4ProviderTool,
  LanguageModelV4ToolChoice,
  SharedV4ProviderOptions,
  LanguageModelV4,
  LanguageModelV3,
} from '@ai-sdk/provider'
import {
  AdapterError,
  isObject,
  objectOf,
  textOf,
  type ProviderToolDefinition,
  type Origin,
  type ToolChoice,
  type ToolDefinition,
  type TurnRequest,
  type Warning,
} from '@steploop/core/adapter'
import { encodePrompt } from './encode-prompt.ts'

/** The versions of the AI SDK's language model interface that are understood (`ai` 6 and 7). */
export type AiSdkModel = LanguageModelV4 | LanguageModelV3

export interface CallContext {
  readonly model: AiSdkModel
  /** Where the adapter's own options go in `providerOptions`. */
  readonly namespace: string
  readonly origin: Origin
  /** Filled. */
  readonly warnings: Warning[]
  readonly signal: AbortSignal
}

/** The whole request as the AI SDK's call options. */
export async function callOptions(request: TurnRequest, context: CallContext): Promise<LanguageModelV4CallOptions> {
  const { settings } = request
  const supportedUrls = await context.model.supportedUrls
  const { tools, toolChoice } = encodeTools(request, context)
  return {
    prompt: encodePrompt(request, { ...context, supportedUrls }),
    ...(tools.length > 0 && { tools }),
    ...(toolChoice && { toolChoice }),
    ...given('maxOutputTokens', settings?.maxOutputTokens),
    ...given('temperature', settings?.temperature),
    ...given('topP', settings?.topP),
    ...given('topK', settings?.topK),
    ...given('presencePenalty', settings?.presencePenalty),
    ...given('frequencyPenalty', settings?.frequencyPenalty),
    ...given('seed', settings?.seed),
    ...given('stopSequences', settings?.stopSequences && [...settings.stopSequences]),
    ...reasoning(request, context),
    ...responseFormat(request),
    ...(request.headers && { headers: { ...request.headers } }),
    providerOptions: providerOptions(request, context),
    abortSignal: context.signal,
  }
}

function responseFormat({ responseFormat: format }: TurnRequest): Pick<LanguageModelV4CallOptions, 'responseFormat'> {
  if (format === undefined) return {}
  const { name, description, schema } = format
  return { responseFormat: { type: 'json', name, schema, ...given('description', description) } }
}

function given<Name extends string, Value>(name: Name, value: Value | undefined): { readonly [name in Name]?: Value } {
  // The computed key widens to `string`; the only member has the name and the value.
  return value === undefined ? {} : ({ [name]: value } as { [name in Name]: Value })
}

function reasoning(
  { settings }: TurnRequest,
  { model, warnings }: CallContext,
): Pick<LanguageModelV4CallOptions, 'reasoning'> {
  if (settings?.reasoning === undefined) return {}
  if (model.specificationVersion !== 'v3') return { reasoning: settings.reasoning }
  const message = `Models of version v3 know no reasoning setting; use the provider's own option.`
  warnings.push({ type: 'dropped', path: 'settings.reasoning', message })
  return {}
}

/** Names of the option that allows one call only; the AI SDK has no setting for it. */
const singleCallOption: Readonly<Record<string, readonly [name: string, value: boolean]>> = {
  openai: ['parallelToolCalls', false],
  azure: ['parallelToolCalls', false],
  groq: ['parallelToolCalls', false],
  mistral: ['parallelToolCalls', false],
  anthropic: ['disableParallelToolUse', true],
}

/**
 * `providerOptions['ai-sdk']` is handed over with its namespaces, `providerOptions[<provider>]` into the model's own namespace.
 * Options of other adapters are no options of this model, even where the AI SDK uses their name.
 */
function providerOptions(request: TurnRequest, context: CallContext): SharedV4ProviderOptions {
  const { namespace, origin } = context
  const shared = objectOf(request.providerOptions?.['ai-sdk'])
  const own = { ...objectOf(shared[namespace]), ...request.providerOptions?.[origin.provider] }
  const single = singleCall(request, context)
  // What the caller wrote is handed over as it is: the model checks it.
  return { ...shared, [namespace]: { ...single, ...own } } as SharedV4ProviderOptions
}

function singleCall({ settings, tools }: TurnRequest, { namespace, warnings }: CallContext): Record<string, boolean> {
  if (settings?.parallelToolCalls !== false || tools === undefined) return {}
  const option = singleCallOption[namespace]
  if (option !== undefined) return { [option[0]]: option[1] }
  const message = 'The AI SDK has no setting for it; use the option of the provider, where it has one.'
  warnings.push({ type: 'dropped', path: 'settings.parallelToolCalls', message })
  return {}
}

interface EncodedTools {
  readonly tools: (LanguageModelV4FunctionTool | LanguageModelV4ProviderTool)[]
  readonly toolChoice: LanguageModelV4ToolChoice | undefined
}

function encodeTools(request: TurnRequest, context: CallContext): EncodedTools {
  const tools: EncodedTools['tools'] = []
  request.tools?.forEach((tool, index) => {
    const encoded = encodeTool(tool, index, context)
    if (encoded !== undefined) tools.push(encoded)
  })
  return { tools, toolChoice: tools.length > 0 ? encodeChoice(request.toolChoice) : undefined }
}

function encodeTool(
  tool: ToolDefinition,
  index: number,
  { origin, namespace, warnings }: CallContext,
): LanguageModelV4FunctionTool | LanguageModelV4ProviderTool | undefined {
  if (tool.type === 'function') {
    const { name, description, strict } = tool
    const own = tool.providerOptions?.[origin.provider]
    return {
      type: 'function',
      name,
      inputSchema: tool.inputSchema,
      ...given('description', description),
      ...given('strict', strict),
      ...given('providerOptions', own && ({ [namespace]: own } as SharedV4ProviderOptions)),
    }
  }
  if (tool.provider === origin.provider) return providerTool(tool, origin)
  const message = `\`${tool.name}\` is a tool of ${tool.provider}; it is left out.`
  warnings.push({ type: 'dropped', path: `tools[${index}]`, message })
  return undefined
}

/** The definition holds `id` and `args` of the AI SDK's tool: `{ ...openai.tools.webSearch({}) }` has both. */
function providerTool({ name, definition }: ProviderToolDefinition, origin: Origin): LanguageModelV4ProviderTool {
  const id = textOf(definition['id'])
  if (id === undefined || !isToolId(id)) {
    const message = `the provider tool \`${name}\` has no AI SDK id; give \`definition: { id: '<provider>.<tool>', args: { ... } }\``
    throw new AdapterError({ ...origin, code: 'unsupported', message })
  }
  return { type: 'provider', id, name, args: isObject(definition['args']) ? { ...definition['args'] } : {} }
}

function isToolId(id: string): id is LanguageModelV4ProviderTool['id'] {
  return id.includes('.')
}

function encodeChoice(choice: ToolChoice | undefined): LanguageModelV4ToolChoice | undefined {
  return typeof choice === 'string' ? { type: choice } : choice && { ...choice }
}
