import { sanitiseSchema } from '@steploop/anthropic'
import {
  arrayOf,
  encodeHistory,
  encodeOnce,
  joinJson,
  isObject,
  leadingSystem,
  objectOf,
  type EncodedRequest,
  type JsonObject,
  type Mode,
  type Origin,
  type ResponseFormat,
  type ToolDefinition,
  type TurnRequest,
  type Warn,
  type Warning,
} from '@steploop/core/adapter'
import { encodeMessage, joinMessages } from './encode-message.ts'
import { encodeSettings, mergeFields } from './encode-settings.ts'
import { calledTools, encodeToolChoice, encodeTools } from './encode-tools.ts'
import { modelFamily } from './model-traits.ts'
import { escapeUri } from './sign-request.ts'

/** Makes the encoder of one adapter. Messages, tools and answer schemas are encoded once per object. */
export function createEncoder(origin: Origin): (request: TurnRequest, mode: Mode) => EncodedRequest {
  const path = `/model/${escapeUri(origin.model)}`
  const history = encodeHistory((message, context) => encodeMessage(message, context, origin))
  const tools = encodeOnce<readonly ToolDefinition[]>((list, warn) => encodeTools(list, warn, origin))
  const format = encodeOnce<ResponseFormat>((wanted, warn) => JSON.stringify(textFormat(wanted, origin, warn)))
  return (request, mode) => {
    const warnings: Warning[] = []
    const warn: Warn = (warning) => void warnings.push(warning)
    const { cache, toolConfig, inferenceConfig, additional, outputConfig, system, ...rest } = optionFields(
      request,
      origin,
      warn,
    )
    const settings = encodeSettings(request, origin, additional, warn)
    const members: string[] = []
    const add = (name: string, json: string): void => void members.push(`${JSON.stringify(name)}:${json}`)
    const addObject = (name: string, value: JsonObject): void => {
      if (Object.keys(value).length > 0) add(name, JSON.stringify(value))
    }
    addObject('inferenceConfig', mergeFields(settings.inferenceConfig, inferenceConfig))
    addObject('additionalModelRequestFields', mergeFields(settings.additionalModelRequestFields, additional))
    for (const [name, value] of Object.entries(rest.others)) add(name, JSON.stringify(value))
    const effort = settings.effort === undefined ? {} : { effort: settings.effort }
    const wanted = request.responseFormat === undefined ? '' : format(request.responseFormat, warnings)
    const config = JSON.stringify(mergeFields(effort, outputConfig)).slice(0, -1)
    if (wanted !== '') add('outputConfig', `${config}${config === '{' ? '' : ','}"textFormat":${wanted}}`)
    else if (config !== '{') add('outputConfig', `${config}}`)
    const leading = leadingSystem(request)
    const blocks = [...leading.texts.map((text) => ({ text })), ...system]
    if (blocks.length > 0) add('system', JSON.stringify([...blocks, ...cache.system]))
    const { tools: theirs, toolChoice, ...more } = toolConfig
    const given = arrayOf(theirs)
    const offered = request.tools === undefined ? '' : tools(request.tools, warnings)
    const isNone = offered === '' && given.length === 0
    const own = isNone ? tools(calledTools(request.messages, warn), warnings) : offered
    const asked = own === '' ? undefined : encodeToolChoice(request.toolChoice, origin, warnings)
    const theirsAndCache = [...given, ...(own === '' ? [] : cache.tools)]
    const declared = joinJson([own, ...theirsAndCache.map((tool) => JSON.stringify(tool))])
    const choice = toolChoice ?? asked
    // A member that is `undefined` leaves nothing behind.
    const beside = JSON.stringify({ toolChoice: choice, ...more }).slice(1)
    if (declared !== '') add('toolConfig', `{"tools":[${declared}]${beside === '}' ? '' : ','}${beside}`)
    add('messages', `[${joinMessages(history(request.messages, warnings, leading.from), cache.messages)}]`)
    return {
      path: `${path}/${mode === 'stream' ? 'converse-stream' : 'converse'}`,
      body: `{${joinJson(members)}}`,
      warnings,
    }
  }
}

function textFormat({ name, description, schema }: ResponseFormat, { model }: Origin, warn: Warn): JsonObject {
  const isClaude = modelFamily(model).name === 'claude'
  const taken = isClaude ? sanitiseSchema(schema, 'responseFormat.schema', warn) : schema
  const jsonSchema = { schema: JSON.stringify(taken), name, ...(description && { description }) }
  return { type: 'json_schema', structure: { jsonSchema } }
}

/** Where cache points go; each list holds one or none. */
interface CachePoints {
  readonly system: readonly JsonObject[]
  readonly tools: readonly JsonObject[]
  /** Behind the last block of the conversation. */
  readonly messages: readonly JsonObject[]
}

/** What the caller gave, apart from what joins members of ours. */
function optionFields({ providerOptions }: TurnRequest, { provider }: Origin, warn: Warn) {
  const { cacheControl, toolConfig, inferenceConfig, additionalModelRequestFields, outputConfig, system, ...given } =
    objectOf(providerOptions?.[provider])
  if (system !== undefined && !Array.isArray(system)) {
    const message = '`system` is no list of blocks, as Converse has it'
    warn({ type: 'dropped', path: 'providerOptions.system', message })
  }
  const others: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue
    if (name !== 'messages' && name !== 'modelId') others[name] = value
    else {
      const message = `\`${name}\` is made from the turn and cannot be set`
      warn({ type: 'dropped', path: `providerOptions.${name}`, message })
    }
  }
  return {
    cache: cachePoints(cacheControl),
    toolConfig: objectOf(toolConfig),
    inferenceConfig: objectOf(inferenceConfig),
    additional: objectOf(additionalModelRequestFields),
    outputConfig: objectOf(outputConfig),
    system: arrayOf(system),
    others,
  }
}

/** `true` or `{ ttl }` is a cache point at the end of the conversation; `{ system, tools, messages }` sets each, in the same words. */
function cachePoints(option: unknown): CachePoints {
  const point = (value: unknown): readonly JsonObject[] => {
    if (value === true) return [{ cachePoint: { type: 'default' } }]
    if (!isObject(value)) return []
    const { ttl } = value
    return ttl === '5m' || ttl === '1h' ? [{ cachePoint: { type: 'default', ttl } }] : []
  }
  const { system, tools, messages } = objectOf(option)
  const whole = point(option)
  return { system: point(system), tools: point(tools), messages: whole.length > 0 ? whole : point(messages) }
}
