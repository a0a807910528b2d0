import type { Content, GenerateContentConfig, GenerationConfig, ToolConfig } from '@google/genai'
import {
  AdapterError,
  encodeHistory,
  encodeOnce,
  joinJson,
  leadingSystem,
  moreTools,
  objectOf,
  printMembers,
  type EncodedRequest,
  type JsonObject,
  type Mode,
  type ResponseFormat,
  type Origin,
  type ToolDefinition,
  type TurnRequest,
  type Warning,
} from '@steploop/core/adapter'
import { encodeMessage } from './encode-message.ts'
import { callingConfig, encodeTools, hasServerTools } from './encode-tools.ts'
import { generationConfig } from './encode-settings.ts'
import { modelTraits, type ModelTraits } from './model-traits.ts'
import { sanitiseSchema } from './schema.ts'
import type { Plain } from './names.ts'

export interface EncoderOptions extends Origin {
  /** Ask for the calls that built-in tools make (`includeServerSideToolInvocations`). Vertex refuses the field. */
  readonly serverToolCalls: boolean
}

/** Makes the encoder of one adapter. It keeps what it encoded: messages, tools and the output schema are converted once. */
export function createEncoder(options: EncoderOptions): (request: TurnRequest, mode: Mode) => EncodedRequest {
  const { provider, model } = options
  const traits = modelTraits(model)
  const encoder: Encoder = {
    options,
    traits,
    history: encodeHistory((message, context) => encodeMessage(message, context, { provider, model, traits })),
    tools: encodeOnce((tools: readonly ToolDefinition[], warn) => encodeTools(tools, provider, warn)),
    schema: encodeOnce((format: ResponseFormat, warn) =>
      JSON.stringify(sanitiseSchema(format.schema, 'responseFormat.schema', warn)),
    ),
  }
  return (request, mode) => encode(encoder, request, mode)
}

interface Encoder {
  readonly options: EncoderOptions
  readonly traits: ModelTraits
  readonly history: ReturnType<typeof encodeHistory>
  readonly tools: (tools: readonly ToolDefinition[], warnings: Warning[]) => string
  readonly schema: (format: ResponseFormat, warnings: Warning[]) => string
}

/** The members of the body in their order, each as JSON text. */
type Fields = Map<string, string>

/** The names that we set, checked against the vendor's. */
type FieldName =
  | Extract<keyof GenerateContentConfig, 'systemInstruction' | 'tools' | 'toolConfig'>
  | 'generationConfig'
  | 'contents'

function set(fields: Fields, name: FieldName, json: string): void {
  fields.set(name, json)
}

/** Members of `providerOptions` that are joined with ours, or that would break the turn. */
const joined = new Set(['tools', 'toolConfig', 'generationConfig', 'contents'])

function encode(encoder: Encoder, request: TurnRequest, mode: Mode): EncodedRequest {
  const warnings: Warning[] = []
  const options = objectOf(request.providerOptions?.[encoder.options.provider])
  if (options['contents'] !== undefined) {
    const message = 'contents cannot be set through providerOptions: it belongs to the turn.'
    warnings.push({ type: 'dropped', path: 'providerOptions.contents', message })
  }
  const leading = leadingSystem(request)
  const fields: Fields = new Map()
  setSystem(fields, leading.texts)
  setTools(fields, encoder, request, options, warnings)
  setGeneration(fields, encoder, request, options, warnings)
  for (const name in options) {
    if (!joined.has(name) && options[name] !== undefined) fields.set(name, JSON.stringify(options[name]))
  }
  set(fields, 'contents', `[${encoder.history(request.messages, warnings, leading.from)}]`)
  return { path: pathOf(encoder.options, mode), body: printMembers(fields), warnings }
}

/** A bare id is a model of the API; ids with a path (`tunedModels/x`, `publishers/google/models/x`) are taken as they are. */
function pathOf({ provider, model }: Origin, mode: Mode): string {
  // The key, or the token of a cloud, may open more than this.
  if (model.split('/').some((step) => step === '' || step === '.' || step === '..')) {
    const message = 'the model is no id: its path leads elsewhere'
    throw new AdapterError({ provider, model, code: 'bad-request', message })
  }
  const name = encodeURI(model).replaceAll('?', '%3F').replaceAll('#', '%23')
  const method = mode === 'stream' ? 'streamGenerateContent?alt=sse' : 'generateContent'
  return `/${name.includes('/') ? name : `models/${name}`}:${method}`
}

function setSystem(fields: Fields, texts: readonly string[]): void {
  const parts = texts.map((text) => ({ text }))
  if (parts.length > 0) set(fields, 'systemInstruction', JSON.stringify({ parts } satisfies Content))
}

function setTools(
  fields: Fields,
  encoder: Encoder,
  request: TurnRequest,
  options: JsonObject,
  warnings: Warning[],
): void {
  const own = request.tools === undefined ? '' : encoder.tools(request.tools, warnings)
  const more = moreTools(options, (warning) => void warnings.push(warning))
  const tools = joinJson([own, ...more.map((tool) => JSON.stringify(tool))])
  if (tools !== '') set(fields, 'tools', `[${tools}]`)
  const { functionCallingConfig, ...rest } = objectOf(options['toolConfig'])
  const calling = { ...callingConfig(request.toolChoice, request.tools), ...objectOf(functionCallingConfig) }
  const { provider, serverToolCalls } = encoder.options
  const shows = serverToolCalls && encoder.traits.combines && hasServerTools(request.tools, provider)
  const config = {
    ...(Object.keys(calling).length > 0 && { functionCallingConfig: calling }),
    ...(shows && { includeServerSideToolInvocations: true }),
    ...rest,
  } satisfies Plain<ToolConfig>
  if (Object.keys(config).length > 0) set(fields, 'toolConfig', JSON.stringify(config))
}

/** The schema is joined in as text, which is made once. The caller's own members win. */
function setGeneration(
  fields: Fields,
  encoder: Encoder,
  request: TurnRequest,
  options: JsonObject,
  warnings: Warning[],
): void {
  const settings = generationConfig(request.settings ?? {}, encoder.traits, (warning) => void warnings.push(warning))
  const own = objectOf(options['generationConfig'])
  const format = request.responseFormat
  const asksForJson =
    format !== undefined && own['responseSchema'] === undefined && own['responseJsonSchema'] === undefined
  const mimeType = asksForJson ? { responseMimeType: 'application/json' } : {}
  const config = { ...settings, ...mimeType, ...own } satisfies Plain<GenerationConfig>
  const text = JSON.stringify(config)
  const name: keyof GenerationConfig = 'responseJsonSchema'
  if (asksForJson) {
    set(fields, 'generationConfig', `${text.slice(0, -1)},${JSON.stringify(name)}:${encoder.schema(format, warnings)}}`)
  } else if (text !== '{}') set(fields, 'generationConfig', text)
}
