import { hasCapability } from '../../wire/capability.ts'
import type { Writable } from '../../wire/json.ts'
import type { Settings, ToolChoice, ToolDefinition, TurnRequest } from '../../contract/adapter.ts'
import { AdapterError } from '../../contract/errors.ts'
import type { StepEdit } from '../../options/loop-options.ts'
import { activeNames, toolDefinitions } from '../../options/run-config.ts'
import { stepNumber, type RunState } from '../state/run-state.ts'
import { settingsOf } from '../../options/settings.ts'
import { shapeRequest, type ShapedRequest, type ShapeOptions } from '../../output/structured.ts'

export interface BuiltRequest {
  readonly request: TurnRequest
  /** Names of the tools that the model sees in this step. */
  readonly activeTools: readonly string[]
  /** What was wanted; the request may carry it in other words. */
  readonly toolChoice: ToolChoice | undefined
}

/**
 * The one builder of every request of a run: tools, settings, provider options and headers are the same in each; only the conversation
 * grows, a forced tool choice holds for the first step, and an edit changes what it names.
 */
export function buildRequest(run: RunState, edit: StepEdit, finalizing: boolean): BuiltRequest {
  const { config } = run
  const activeTools = edit.activeTools === undefined ? config.activeTools : activeNames(config.tools, edit.activeTools)
  const tools = offeredTools(run, activeTools)
  const choice = finalizing ? 'none' : (edit.toolChoice ?? choiceOf(config.toolChoice, stepNumber(run)))
  const settings = mergeSettings(config.settings, settingsOf(edit))
  const shaped = shape(run, { tools, toolChoice: tools && choice, finalizing, reasoning: reasons(settings) })
  const request: Writable<TurnRequest> = {
    messages: run.messages,
    instructions: edit.instructions ?? config.instructions,
    tools: shaped.tools,
    toolChoice: shaped.toolChoice,
    responseFormat: shaped.responseFormat,
    settings,
    providerOptions: config.providerOptions,
    headers: config.headers,
    continuation: continuationOf(run),
    turn: run.turns,
  }
  if (config.continuation === 'off') request.stateless = true
  return { request, activeTools, toolChoice: choice }
}

/** Looked up, and checked, once for each model and list: most turns of a run offer the same. */
function offeredTools(run: RunState, activeTools: readonly string[]): readonly ToolDefinition[] | undefined {
  const { model, mode, offered } = run
  if (offered?.activeTools === activeTools && offered.model === model && offered.mode === mode) return offered.tools
  const tools = toolDefinitions(run.config.tools, activeTools, model.provider)
  refuseUnsupported(run, tools)
  run.offered = { activeTools, model, mode, tools }
  return tools
}

/** A model that cannot call tools would ignore them, or answer with an error that says less. */
function refuseUnsupported(
  { model, mode }: Pick<RunState, 'model' | 'mode'>,
  tools: readonly ToolDefinition[] | undefined,
): void {
  if (tools === undefined) return
  const { capabilities, provider } = model
  for (const { type } of tools) {
    const isFunction = type === 'function'
    if (hasCapability(isFunction ? capabilities.tools : capabilities.providerTools, mode)) continue
    const what = isFunction ? 'function tools' : 'tools of the provider'
    const message = `this model has no ${what}; leave them out (\`activeTools\`) or use another model`
    throw new AdapterError({ provider, model: model.model, code: 'unsupported', message })
  }
}

type Shape = Pick<ShapeOptions, 'tools' | 'toolChoice' | 'finalizing' | 'reasoning'>

function shape(
  { structured, model, mode }: Pick<RunState, 'structured' | 'model' | 'mode'>,
  given: Shape,
): ShapedRequest {
  const { tools, toolChoice } = given
  if (structured === undefined) return { tools, toolChoice }
  return shapeRequest(structured, { ...given, model, mode })
}

function reasons(settings: Settings | undefined): boolean {
  return settings?.reasoning !== undefined && settings.reasoning !== 'none'
}

/** Only the model that gave the last answer, asked with the conversation that it knows, can go on from its response id. */
function continuationOf({
  config,
  continuable,
  model,
  mode,
}: Pick<RunState, 'config' | 'continuable' | 'model' | 'mode'>): TurnRequest['continuation'] {
  if (continuable === undefined || config.continuation === 'off') return undefined
  if (continuable.provider !== model.provider || continuable.model !== model.model) return undefined
  if (!hasCapability(model.capabilities.continuation, mode)) return undefined
  return { responseId: continuable.responseId, from: continuable.from }
}

/** A forced choice in every turn would never let the model answer. */
function choiceOf(choice: ToolChoice | undefined, step: number): ToolChoice | undefined {
  const forced = choice === 'required' || typeof choice === 'object'
  return forced && step > 0 ? undefined : choice
}

function mergeSettings(settings: Settings | undefined, edit: Settings | undefined): Settings | undefined {
  return edit === undefined ? settings : { ...settings, ...edit }
}
