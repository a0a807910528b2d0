import type { JSONOutputFormat, MessageCreateParamsBase } from '@anthropic-ai/sdk/resources/messages'
import {
  arrayOf,
  encodeHistory,
  encodeOnce,
  isObject,
  joinJson,
  leadingSystem,
  moreTools,
  numberOf,
  objectOf,
  ownMetadata,
  printMembers,
  textOf,
  type AssistantMessage,
  type EncodedRequest,
  type JsonObject,
  type Message,
  type Mode,
  type ResponseFormat,
  type Settings,
  type Origin,
  type ToolDefinition,
  type TurnRequest,
  type Warn,
  type Warning,
} from '@steploop/core/adapter'
import { cacheSwitches, markLast, markLastBlock, type CacheSwitches } from './cache-control.ts'
import { encodeMessage } from './encode-message.ts'
import { encodeToolChoice, encodeTools } from './encode-tools.ts'
import { modelTraits, type ModelTraits } from './model-traits.ts'
import { samplingFields, type SamplingFields } from './encode-settings.ts'
import { sanitiseSchema } from './schema.ts'
import { asksToThink, isMissingThinking, isThinkingBudget, thinkingFields, type ThinkingFields } from './thinking.ts'

/** The Messages API as another cloud serves it: model and mode stand in the path, the version in the body. */
export interface MessagesCloud {
  /** `anthropic_version`. */
  readonly version: string
  readonly path: (mode: Mode) => string
  /** Beta features are named in the body, which may not say `stream`. Default: as Anthropic has it. */
  readonly betasInBody?: boolean | undefined
}

export interface EncoderOptions extends Origin {
  readonly betas?: readonly string[] | undefined
  readonly unsignedThinking?: 'drop' | 'keep' | undefined
  readonly cloud?: MessagesCloud | undefined
}

/** Makes the encoder of one adapter. It keeps what it encoded: messages, tools and the output schema are converted once. */
export function createEncoder(options: EncoderOptions): (request: TurnRequest, mode: Mode) => EncodedRequest {
  const { provider, model } = options
  const origin = { provider, model }
  const keepsUnsigned = options.unsignedThinking === 'keep'
  // Both clouds want the bytes: "URL sources are not supported" (HTTP 400).
  const messageOrigin = { ...origin, keepsUnsigned, takesUrls: options.cloud === undefined }
  const encoder: Encoder = {
    origin,
    traits: modelTraits(model),
    betas: options.betas ?? [],
    cloud: options.cloud,
    keepsUnsigned,
    history: encodeHistory((message, context) => encodeMessage(message, context, messageOrigin)),
    tools: encodeOnce((tools: readonly ToolDefinition[], warn) => encodeTools(tools, provider, warn)),
    format: encodeOnce((format: ResponseFormat, warn) => JSON.stringify(outputFormat(format, warn))),
  }
  return (request, mode) => encode(encoder, request, mode)
}

interface Encoder {
  readonly origin: Origin
  readonly traits: ModelTraits
  readonly betas: readonly string[]
  readonly cloud: MessagesCloud | undefined
  readonly keepsUnsigned: boolean
  readonly history: ReturnType<typeof encodeHistory>
  readonly tools: (tools: readonly ToolDefinition[], warnings: Warning[]) => string
  readonly format: (format: ResponseFormat, warnings: Warning[]) => string
}

/** What one request asks for beside the conversation. */
interface Asked {
  readonly settings: Settings
  readonly maxTokens: number
  readonly thinking: ThinkingFields
  readonly cache: CacheSwitches
  /** `providerOptions` of this provider, and those of its members that go into the body as they are. */
  readonly options: JsonObject
  readonly extra: JsonObject
}

/** The members of the body in their order, each as JSON text. */
type Fields = Map<string, string>

/** The names that we set, checked against the vendor's. */
type FieldName = keyof MessageCreateParamsBase | keyof SamplingFields

function set(fields: Fields, name: FieldName, json: string): void {
  fields.set(name, json)
}

/** Options that are switches of ours, or that would break the turn. */
const ownOptions = new Set(['cacheControl', 'reuseContainer', 'betas', 'tools', 'output_config', 'messages', 'stream'])

function encode(encoder: Encoder, request: TurnRequest, mode: Mode): EncodedRequest {
  const { provider, model } = encoder.origin
  const warnings: Warning[] = []
  const asked = askedOf(encoder, request, (warning) => void warnings.push(warning))
  const leading = leadingSystem(request)
  const fields: Fields = new Map()
  const { cloud } = encoder
  const betas = betasOf(encoder, asked.options)
  if (cloud === undefined) set(fields, 'model', JSON.stringify(model))
  else fields.set('anthropic_version', JSON.stringify(cloud.version))
  if (cloud?.betasInBody && betas.length > 0) fields.set('anthropic_beta', JSON.stringify(betas))
  setSettings(fields, encoder, request, asked, warnings)
  setSystem(fields, leading.texts, asked.cache)
  setTools(fields, encoder, request, asked, warnings)
  if (asked.cache.automatic !== undefined) set(fields, 'cache_control', asked.cache.automatic)
  const container = containerOf(request.messages, provider, asked.options['reuseContainer'] === true)
  if (container !== undefined) set(fields, 'container', JSON.stringify(container))
  // Its own alone: options that are parsed JSON may name `__proto__`.
  for (const [name, value] of Object.entries(asked.extra)) fields.set(name, JSON.stringify(value))
  const history = encoder.history(request.messages, warnings, leading.from)
  set(fields, 'messages', `[${markLastBlock(history, request.messages, asked.cache.messages, provider)}]`)
  if (!cloud?.betasInBody) set(fields, 'stream', String(mode === 'stream'))
  const headers = {
    ...(cloud === undefined && { 'anthropic-version': '2023-06-01' }),
    ...(!cloud?.betasInBody && betas.length > 0 && { 'anthropic-beta': betas.join(',') }),
  }
  return { path: cloud?.path(mode) ?? '/messages', headers, body: printMembers(fields), warnings }
}

function askedOf(encoder: Encoder, request: TurnRequest, warn: Warn): Asked {
  const options = objectOf(request.providerOptions?.[encoder.origin.provider])
  const extra: Record<string, unknown> = {}
  for (const name in options) {
    if (!ownOptions.has(name) && options[name] !== undefined) extra[name] = options[name]
  }
  for (const name of ['messages', 'stream']) {
    if (options[name] === undefined) continue
    const message = `${name} cannot be set through providerOptions: it belongs to the turn.`
    warn({ type: 'dropped', path: `providerOptions.${name}`, message })
  }
  const settings = request.settings ?? {}
  const maxTokens = numberOf(extra['max_tokens']) ?? settings.maxOutputTokens ?? encoder.traits.defaultMaxTokens
  const own = thinkingFields(settings.reasoning, encoder.traits, maxTokens, warn)
  let thinking: ThinkingFields = { ...own, ...(isObject(extra['thinking']) && { thinking: extra['thinking'] }) }
  const { origin, keepsUnsigned } = encoder
  const isBudget = isThinkingBudget(thinking.thinking)
  if (isBudget && isMissingThinking(request.messages, origin.provider, keepsUnsigned)) {
    const message = 'No thinking in this turn: the API refuses it while calls are answered that were made without.'
    warn({ type: 'dropped', path: 'settings.reasoning', message })
    delete extra['thinking']
    thinking = {}
  }
  return { settings, maxTokens, thinking, cache: cacheSwitches(options['cacheControl'], warn), options, extra }
}

function betasOf(encoder: Encoder, options: JsonObject): readonly string[] {
  const given = arrayOf(options['betas']).filter((beta) => typeof beta === 'string')
  return [...new Set([...encoder.betas, ...given])]
}

function setSettings(fields: Fields, encoder: Encoder, request: TurnRequest, asked: Asked, warnings: Warning[]): void {
  const { settings, thinking, options } = asked
  set(fields, 'max_tokens', String(asked.maxTokens))
  if (thinking.thinking !== undefined) set(fields, 'thinking', JSON.stringify(thinking.thinking))
  const thinks = asksToThink(thinking.thinking)
  const sampling = samplingFields(settings, encoder.traits, thinks, (warning) => void warnings.push(warning))
  for (const name of ['temperature', 'top_p', 'top_k', 'stop_sequences'] as const) {
    if (sampling[name] !== undefined) set(fields, name, JSON.stringify(sampling[name]))
  }
  const { format: ownFormat, ...config } = objectOf(options['output_config'])
  const effort = thinking.effort === undefined ? {} : { effort: thinking.effort }
  const head = JSON.stringify({ ...effort, ...config }).slice(0, -1)
  const format = formatOf(encoder, request, ownFormat, warnings)
  const comma = head === '{' ? '' : ','
  if (format !== undefined) set(fields, 'output_config', `${head}${comma}"format":${format}}`)
  else if (comma !== '') set(fields, 'output_config', `${head}}`)
}

/** The caller's own format wins. */
function formatOf(encoder: Encoder, request: TurnRequest, own: unknown, warnings: Warning[]): string | undefined {
  if (own !== undefined && own !== null) return JSON.stringify(own)
  return request.responseFormat === undefined ? undefined : encoder.format(request.responseFormat, warnings)
}

function outputFormat(format: ResponseFormat, warn: Warn): object {
  const schema = sanitiseSchema(format.schema, 'responseFormat.schema', warn)
  return { type: 'json_schema', schema } satisfies JSONOutputFormat
}

function setSystem(fields: Fields, texts: readonly string[], cache: CacheSwitches): void {
  const blocks = texts.map((text) => JSON.stringify({ type: 'text', text }))
  if (blocks.length > 0) set(fields, 'system', `[${markLast(joinJson(blocks), cache.system)}]`)
}

function setTools(fields: Fields, encoder: Encoder, request: TurnRequest, asked: Asked, warnings: Warning[]): void {
  const warn: Warn = (warning) => void warnings.push(warning)
  const more = moreTools(asked.options, warn)
  const own = request.tools === undefined ? '' : encoder.tools(request.tools, warnings)
  const tools = joinJson([own, ...more.map((tool) => JSON.stringify(tool))])
  if (tools === '') return
  const last = objectOf(more.at(-1) ?? membersOf(request.tools?.at(-1), encoder.origin.provider))
  set(fields, 'tools', `[${markLast(tools, last['cache_control'] === undefined ? asked.cache.tools : undefined)}]`)
  const conditions = { parallel: asked.settings.parallelToolCalls, unforced: unforced(encoder, asked) }
  const choice = encodeToolChoice(request.toolChoice, conditions, warn)
  if (choice !== undefined) set(fields, 'tool_choice', choice)
}

/** What the caller wrote into the declaration of a tool. */
function membersOf(tool: ToolDefinition | undefined, provider: string): JsonObject | undefined {
  return tool?.type === 'provider' ? tool.definition : tool?.providerOptions?.[provider]
}

/** A thinking budget refuses a forced choice; adaptive thinking takes it, but for the newest models, which refuse it always. */
function unforced(encoder: Encoder, { thinking }: Asked): string | undefined {
  if (!encoder.traits.forcedToolChoice) return `${encoder.origin.model} refuses it`
  return isThinkingBudget(thinking.thinking) ? 'it cannot be combined with a thinking budget' : undefined
}

/**
 * The container to go on in. The API wants it where calls of code in it are waiting for their results, and in a paused turn; beyond
 * that only on request (`reuseContainer`), because a container that has expired is refused.
 */
function containerOf(messages: readonly Message[], provider: string, reuse: boolean): string | undefined {
  for (const message of messages.toReversed()) {
    if (message.role !== 'assistant') continue
    const { container } = objectOf(ownMetadata(message, provider))
    const id = isObject(container) ? textOf(container['id']) : undefined
    const paused = message === messages.at(-1)
    if (id !== undefined && (reuse || paused || waitsForCode(message, provider))) return id
    if (!reuse) return undefined
  }
  return undefined
}

function waitsForCode(message: AssistantMessage, provider: string): boolean {
  return message.content.some((part) => {
    if (part.type !== 'tool-call' || part.owner === 'provider') return false
    const caller = objectOf(objectOf(ownMetadata(part, provider))['caller'])
    return textOf(caller['type'])?.startsWith('code_execution') === true
  })
}
