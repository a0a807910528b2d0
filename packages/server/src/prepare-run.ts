import type { Adapter, Message, RunInput, RunOptions, ToolSet } from '@steploop/core'
import { limitToolOutput } from '@steploop/core/policies'
import type { History, NewResponse } from '@steploop/store'
import { badRequest, ApiError } from './api-error.ts'
import { coverItems, type UncoveredItem } from './cover-items.ts'
import { openTools, type GatewayTools } from './open-tools.ts'
import type { GatewayViews } from './gateway-items.ts'
import { newId } from './ids.ts'
import type { JsonObject } from './json.ts'
import {
  answerPending,
  approvalId,
  itemsOf,
  knownCalls,
  loadHistory,
  refuseOpenCalls,
  resolveReferences,
} from './read-history.ts'
import { readInput } from './read-input.ts'
import type { CreateRequest } from './read-request.ts'
import { readToolChoice, readTools, type DeclaredTools, type ToolView } from './read-tools.ts'
import type { Limits, LoopDefaults, ServerOptions } from './server-options.ts'
import type { Sealer } from './seal.ts'

/** All that a run of one request needs. */
export interface RunPlan {
  readonly id: string
  readonly tenant: string
  readonly request: CreateRequest
  readonly createdAt: number
  readonly conversationId: string | undefined
  /** What the conversation had when its history was read. */
  readonly revision: number | undefined
  readonly isStored: boolean
  readonly model: Adapter
  readonly input: RunInput
  readonly options: RunOptions
  readonly transcriptId: string
  /** Number of messages at the head of the run's transcript that other responses hold. */
  readonly base: number
  /** Messages at the head of the run's transcript that other responses hold. */
  readonly before: readonly Message[]
  readonly inputMessages: readonly Message[]
  /** Input messages as they are stored until it is known what came of the calls that a decision of the client makes run. */
  readonly uncertainMessages: readonly Message[]
  /** Names of the tools that it makes run, and ids of the items by which their calls were approved. */
  readonly approvedTools: readonly string[]
  readonly approvals: readonly string[]
  readonly inputItems: readonly UncoveredItem[]
  /** A client's decision makes a call run: the last results are written anew. */
  readonly hasApprovals: boolean
  readonly views: ReadonlyMap<string, ToolView>
  readonly gateway: GatewayViews
  /** Lets go of what the tools hold. */
  readonly close: () => Promise<void>
  /** Set for a response that is taken over from a server that died. */
  readonly resumed?: Resumed | undefined
}

export interface Resumed {
  /** Output items that are stored already. */
  readonly output: readonly JsonObject[]
  /** Stored messages, and items of both directions. */
  readonly messages: number
  readonly items: number
  /** The sequence number of the next event; 0: nothing of the response was sent yet. */
  readonly sequence: number
}

export interface PlanContext {
  readonly options: ServerOptions
  readonly limits: Limits
  readonly sealer: Sealer
  readonly tenant: string
  readonly now: number
}

/** Reads a request with its history. Nothing is written or asked yet. Throws `ApiError`. */
export async function prepareRun(request: CreateRequest, context: PlanContext): Promise<RunPlan> {
  const { options, sealer, tenant, now, limits } = context
  const model = modelOf(options, request.model)
  const conversationId = typeof request.conversation === 'string' ? request.conversation : request.conversation?.id
  const previousId = request.previous_response_id ?? undefined
  const history = await loadHistory(options.store, tenant, { previousId, conversationId })
  const items = itemsOf(request.input)
  const resolved = await resolveReferences(options.store, { tenant, items, name: 'input' })
  const unseal = (sealed: string, param: string) => sealer.open(tenant, sealed, param)
  const read = await readInput(resolved, { known: knownCalls(history), unseal })
  refuseOpenCalls(read)
  const begin = answerPending(history, read)
  if (begin.messages.length + read.messages.length === 0) {
    throw badRequest("Missing required parameter: 'input'.", { param: 'input', code: 'missing_required_parameter' })
  }
  const declared = readTools(request.tools, limits.tools)
  const taken = begin.approvals.find(({ toolName }) => declared.views.has(toolName))
  if (taken !== undefined) {
    const message = `The tool '${taken.toolName}', of which a call waits for an approval, is none of the client's.`
    throw badRequest(message, { param: 'tools' })
  }
  const signal = AbortSignal.timeout(30_000)
  const gateway = await openTools(declared, options, { tenant, signal, provider: model.provider })
  const transcriptId = history.transcriptId ?? newId('conversation')
  const transcript = { version: 1, id: transcriptId, messages: begin.messages, pendingCalls: begin.approvals } as const
  const hasApprovals = begin.approvals.length > 0
  const built = await builtOptions(request, { declared, gateway, context })
  return {
    id: newId('response'),
    tenant,
    request,
    createdAt: now,
    conversationId,
    revision: history.revision,
    isStored: request.store !== false,
    model,
    transcriptId,
    input: { transcript, messages: read.messages, ...(hasApprovals && { toolOutputs: begin.answers }) },
    options: built,
    base: begin.base,
    before: begin.messages.slice(0, begin.base),
    inputMessages: [...begin.messages.slice(begin.base), ...(read.messages as readonly Message[])],
    uncertainMessages: [...begin.uncertain, ...(read.messages as readonly Message[])],
    approvedTools: begin.lost.map(({ toolName }) => toolName),
    approvals: begin.lost.map(({ toolCallId }) => approvalId(history, toolCallId)),
    inputItems: resolved.map(({ data }) => inputItem(data)),
    hasApprovals,
    views: declared.views,
    gateway: gatewayOf(history, begin.answers, gateway),
    close: gateway.close,
  }
}

interface BuiltFrom {
  readonly declared: DeclaredTools
  readonly gateway: GatewayTools
  readonly context: PlanContext
}

/** Lets go of the tools when the rest of the request is wrong. */
async function builtOptions(request: CreateRequest, { declared, gateway, context }: BuiltFrom): Promise<RunOptions> {
  try {
    const tools = { ...declared.tools, ...gateway.tools }
    const defaults = context.options.loop ?? {}
    return loopOptions(request, { tools, named: gateway.named, defaults, limits: context.limits })
  } catch (error) {
    await gateway.close()
    throw error
  }
}

function modelOf({ models }: ServerOptions, name: string): Adapter {
  const model = Object.hasOwn(models, name) ? models[name] : undefined
  if (model !== undefined) return model
  const message = `The model '${name}' does not exist here.`
  throw new ApiError({ status: 404, message, code: 'model_not_found', param: 'model' })
}

function gatewayOf(
  history: History,
  answers: Readonly<Record<string, unknown>>,
  { views, listed }: GatewayTools,
): GatewayViews {
  return {
    viewOf: (name) => views.get(name),
    providerView: (name) => views.get(name) ?? [...views].find(([, { type }]) => isKindOf(name, type))?.[1],
    approval: (id) => (Object.hasOwn(answers, id) ? approvalId(history, id) : undefined),
    listed: listed.filter(({ server_label: label }) => !isListed(history, label)),
  }
}

/** `bash_code_execution` is a call of what was declared as a code interpreter. */
function isKindOf(name: string, type: string): boolean {
  return type === 'code_interpreter_call'
    ? /code|python|bash/i.test(name)
    : type.startsWith('web_') && /search/i.test(name)
}

function isListed({ items }: History, label: unknown): boolean {
  return items.some(
    ({ data }) => data['type'] === 'mcp_list_tools' && data['server_label'] === label && data['error'] == null,
  )
}

/** An item as it is kept: with an id of its own, whatever the client called it. */
export function inputItem(data: JsonObject): UncoveredItem {
  const type = typeof data['type'] === 'string' ? data['type'] : 'message'
  const id = newId(type)
  const content = data['content']
  const shown = typeof content === 'string' ? { content: [{ type: 'input_text', text: content }] } : {}
  return { id, direction: 'input', data: { ...data, ...shown, type, id, status: data['status'] ?? 'completed' } }
}

const efforts: Readonly<Record<string, 'none' | 'low' | 'medium' | 'high'>> = {
  none: 'none',
  minimal: 'low',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'high',
}

interface LoopContext {
  readonly tools: ToolSet
  readonly named: GatewayTools['named']
  readonly defaults: LoopDefaults
  readonly limits: Limits
}

function loopOptions(request: CreateRequest, { tools, named, defaults, limits }: LoopContext): RunOptions {
  const { instructions, temperature, top_p, max_output_tokens: most, parallel_tool_calls, max_tool_calls } = request
  const effort = request.reasoning?.effort
  const reasoning = effort == null || !Object.hasOwn(efforts, effort) ? undefined : efforts[effort]
  if (effort != null && reasoning === undefined) {
    throw badRequest(`'${effort}' is no effort. Give one of ${Object.keys(efforts).join(', ')}.`, {
      param: 'reasoning.effort',
    })
  }
  const { toolChoice, activeTools } = readToolChoice(request.tool_choice, tools, named)
  const timeout = request.background === true ? limits.backgroundTime : limits.responseTime
  return {
    ...defaults,
    policies: [limitToolOutput({ maxCharacters: limits.toolOutput }), ...(defaults.policies ?? [])],
    continuation: 'off',
    timeout,
    maxSteps: limits.steps,
    tools,
    ...(instructions != null && { instructions }),
    ...(toolChoice !== undefined && Object.keys(tools).length > 0 && { toolChoice }),
    ...(activeTools !== undefined && { activeTools }),
    ...(temperature != null && { temperature }),
    ...(top_p != null && { topP: top_p }),
    ...(parallel_tool_calls === false && { parallelToolCalls: false }),
    ...(max_tool_calls != null && { maxToolCalls: max_tool_calls }),
    ...(reasoning !== undefined && { reasoning }),
    ...(most != null && { ...outputBudget(most) }),
    ...outputFormat(request),
  }
}

/** The budget is that of all turns of the response. */
function outputBudget(most: number): RunOptions {
  const used = (
    steps: readonly { readonly usage?: { readonly outputTokens?: number | undefined } | undefined }[],
  ): number => steps.reduce((sum, { usage }) => sum + (usage?.outputTokens ?? 0), 0)
  return {
    maxOutputTokens: most,
    prepareStep: ({ steps }) => ({ maxOutputTokens: Math.max(1, most - used(steps)) }),
    stopWhen: (steps) => used(steps) >= most,
  }
}

function outputFormat({ text }: CreateRequest): RunOptions {
  const format = text?.format
  if (format?.type !== 'json_schema') return {}
  const { schema, name, description } = format
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) {
    throw badRequest('A JSON schema is an object.', { param: 'text.format.schema' })
  }
  const named = { ...(typeof name === 'string' && { name }), ...(typeof description === 'string' && { description }) }
  return { output: { schema: schema as Readonly<Record<string, unknown>>, ...named } }
}

/** The row that the store gets before the model is asked. */
export function newResponse(
  plan: RunPlan,
  result: JsonObject,
  request: JsonObject,
): Omit<NewResponse, 'lease' | 'idempotency'> {
  const { id, conversationId, revision, createdAt, transcriptId, uncertainMessages: messages, inputItems } = plan
  return {
    id,
    answers: plan.approvals,
    previousId: plan.request.previous_response_id ?? undefined,
    conversationId,
    revision,
    status: plan.request.background === true ? 'queued' : 'in_progress',
    background: plan.request.background === true,
    request,
    result,
    transcriptId,
    messages,
    items: coverItems(messages, inputItems),
    createdAt,
  }
}
