import {
  AdapterError,
  arrayOf,
  encodeOnce,
  isObject,
  joinJson,
  moreTools,
  objectOf,
  type EncodedRequest,
  type JsonObject,
  type Mode,
  type ToolDefinition,
  type TurnRequest,
  type Warn,
  type Warning,
} from '@steploop/core/adapter'
import type { EasyInputMessage } from 'openai/resources/responses/responses'
import type { ResponsesOptions } from './dialect.ts'
import { createHistoryEncoder } from './encode-message.ts'
import { settingsFields } from './encode-settings.ts'
import { encodeTools } from './encode-tools.ts'

/**
 * Makes `encode`. The body is joined from the head (settings and options, made anew only when they change), the tools (once per array)
 * and the input (once per message), the input last, so that a turn's body goes on where the one before ended.
 */
export function createEncoder(options: ResponsesOptions): (request: TurnRequest, mode: Mode) => EncodedRequest {
  const encodeItems = createHistoryEncoder(options)
  const toolList = encodeOnce<readonly ToolDefinition[]>((tools, warn) => encodeTools(tools, options.provider, warn))
  const encodeHead = createHeadEncoder(options)
  return (request, mode) => {
    const warnings: Warning[] = []
    const head = encodeHead(request, mode, warnings)
    // Where nothing is kept the provider has no earlier response to continue: the full history goes out, which says the same.
    const continuation = head.store || head.inConversation ? request.continuation : undefined
    const tools = request.tools === undefined ? '' : toolList(request.tools, warnings)
    const allTools = joinJson([tools, head.extraTools])
    const system = continuation === undefined ? head.systemItem : ''
    const items = encodeItems(request.messages, warnings, continuation?.from)
    const fields = [
      head.text,
      ...(allTools === '' ? [] : [`"tools":[${allTools}]`]),
      ...previousField(head, continuation?.responseId),
      `"input":[${joinJson([system, items])}]`,
    ]
    return { path: options.path ?? '/responses', body: `{${joinJson(fields)}}`, warnings }
  }
}

/** What the loop goes on from takes the place of what the caller began with; a conversation has its own responses already. */
function previousField(head: Head, responseId: string | undefined): readonly string[] {
  if (responseId !== undefined && head.inConversation) return []
  const previous = responseId ?? head.previous
  return previous === undefined ? [] : [`"previous_response_id":${JSON.stringify(previous)}`]
}

interface Head {
  /** Fields of the body, without braces. */
  readonly text: string
  /** The response that the caller goes on from. */
  readonly previous: unknown
  /** What goes out and comes in is kept in a conversation of the caller's. */
  readonly inConversation: boolean
  readonly store: boolean
  /** Tools of `providerOptions`, which are added to the request's. */
  readonly extraTools: string
  /** The system prompt, where it is sent as a message. */
  readonly systemItem: string
}

/** Keeps the head of the last request: within a run the parts that it is made of are the same. */
function createHeadEncoder(options: ResponsesOptions): (request: TurnRequest, mode: Mode, warnings: Warning[]) => Head {
  let known:
    | { readonly from: readonly unknown[]; readonly head: Head; readonly warnings: readonly Warning[] }
    | undefined
  return (request, mode, warnings) => {
    const { instructions, settings, providerOptions, responseFormat, toolChoice, tools, stateless } = request
    // The caller may write to one object for each of his users.
    const own = JSON.stringify(providerOptions?.[options.provider])
    const from = [mode, instructions, settings, own, responseFormat, toolChoice, tools, stateless]
    if (known === undefined || !from.every((value, index) => value === known?.from[index])) {
      const warned: Warning[] = []
      known = { from, head: makeHead(request, mode, options, (warning) => warned.push(warning)), warnings: warned }
    }
    warnings.push(...known.warnings)
    return known.head
  }
}

function makeHead(request: TurnRequest, mode: Mode, options: ResponsesOptions, warn: Warn): Head {
  const { previous_response_id: previous, store: asked, ...own } = objectOf(request.providerOptions?.[options.provider])
  const inConversation = isNamed(own['conversation'])
  const topLevel = options.instructions !== 'message'
  const { instructions } = request
  const body: Record<string, unknown> = {
    model: options.model,
    ...(topLevel && instructions !== undefined && { instructions }),
    ...(mode === 'stream' && { stream: true }),
    store: request.stateless !== true && (asked ?? options.store ?? inConversation),
    ...settingsFields(request, options, warn),
  }
  mergeOwn(body, own, options.provider, warn)
  refuseBackground(body, mode, options)
  const store = body['store'] === true
  for (const name of options.omit ?? []) Reflect.deleteProperty(body, name)
  return {
    text: JSON.stringify(body).slice(1, -1),
    store,
    previous: isNamed(previous) ? previous : undefined,
    inConversation,
    extraTools: JSON.stringify(moreTools(own, warn)).slice(1, -1),
    systemItem: topLevel || instructions === undefined ? '' : systemItem(instructions),
  }
}

function systemItem(content: string): string {
  return JSON.stringify({ role: 'system', content } satisfies EasyInputMessage)
}

function isNamed(value: unknown): boolean {
  return value !== undefined && value !== null
}

/**
 * The caller's fields win over the settings'. `include` is united, `reasoning` and `text` are merged field by field, `tools` are
 * added to the request's; `input` and `stream` belong to the adapter.
 */
function mergeOwn(body: Record<string, unknown>, own: JsonObject, provider: string, warn: Warn): void {
  for (const name in own) {
    const value = own[name]
    if (name === 'tools' || value === undefined) continue
    if (name === 'input' || name === 'stream') {
      const message = 'it is made from the messages and the mode; use those'
      warn({ type: 'dropped', path: `providerOptions.${provider}.${name}`, message })
    } else if (name === 'include' && Array.isArray(value)) {
      body[name] = [...new Set([...arrayOf(body[name]), ...arrayOf(value)])]
    } else if ((name === 'reasoning' || name === 'text') && isObject(value)) {
      body[name] = { ...objectOf(body[name]), ...value }
    } else body[name] = value
  }
}

/** The answer of a background request is a ticket; refused before it costs anything. A streamed one is an ordinary stream. */
function refuseBackground(body: JsonObject, mode: Mode, options: ResponsesOptions): void {
  if (body['background'] !== true || mode === 'stream') return
  const { provider, model } = options
  const message = '`background` needs polling, which one turn does not do; stream the run or leave it out'
  throw new AdapterError({ provider, model, code: 'unsupported', message })
}
