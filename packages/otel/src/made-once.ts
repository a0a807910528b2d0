import type { Adapter, ToolCallInfo } from '@steploop/core'
import type { Attributes } from '@opentelemetry/api'
import { operations, providerName, type Names } from './names.ts'
import type { AgentOptions } from './options.ts'
import { plainName } from './safely.ts'

/** A model in the words of the conventions. */
export interface ModelName {
  readonly provider: string
  readonly model: string
  readonly spanName: string
  /** Of the metrics of its requests while they go on; their spans have them as well. */
  readonly labels: Attributes
  /** Of those of its answers, by the model that answered. */
  readonly labelsOf: (responseModel: string | undefined) => AnswerLabels
}

export interface AnswerLabels {
  readonly plain: Attributes
  /** Providers do not say which of the tokens were text. */
  readonly withModality: Attributes
  readonly ofTokens: Readonly<Record<'input' | 'output', Attributes>>
}

/** A tool in the words of the conventions. */
export interface ToolName {
  readonly name: string
  readonly spanName: string
  /** What its spans have in common. */
  readonly attributes: Attributes
  /** Of its metrics. */
  readonly labels: Attributes
}

/** Each model is asked many times. */
export function modelNames(names: Names): (model: Adapter) => ModelName {
  const made = new WeakMap<Adapter, ModelName>()
  return (adapter) => {
    const before = made.get(adapter)
    if (before !== undefined) return before
    const provider = plainName(providerName(adapter.provider))
    const model = plainName(adapter.model)
    const labels = { [names.operation]: operations.chat, [names.provider]: provider, [names.requestModel]: model }
    const spanName = `${operations.chat} ${model}`
    const name = { provider, model, spanName, labels, labelsOf: answerLabels(names, labels) }
    made.set(adapter, name)
    return name
  }
}

/** Those of the last model that answered: it is nearly always the same. */
function answerLabels(names: Names, labels: Attributes): ModelName['labelsOf'] {
  let last: { readonly model: string | undefined; readonly made: AnswerLabels } | undefined
  return (model) => {
    if (last !== undefined && last.model === model) return last.made
    const plain = model === undefined ? labels : { ...labels, [names.responseModel]: model }
    const ofTokens = {
      input: { ...plain, [names.tokenType]: 'input' },
      output: { ...plain, [names.tokenType]: 'output' },
    }
    last = { model, made: { plain, withModality: { ...plain, [names.tokenModality]: 'unknown' }, ofTokens } }
    return last.made
  }
}

/** Each tool is called many times; it may be there under several names. */
export function toolNames(names: Names, agent: AgentOptions): (call: ToolCallInfo) => ToolName {
  const made = new WeakMap<object, Map<string, ToolName>>()
  return ({ tool, toolCall: { toolName } }) => {
    const ofTool = made.get(tool) ?? new Map<string, ToolName>()
    made.set(tool, ofTool)
    const known = ofTool.get(toolName) ?? toolNameOf({ names, agent }, toolName, tool.description)
    ofTool.set(toolName, known)
    return known
  }
}

function toolNameOf(
  { names, agent }: { readonly names: Names; readonly agent: AgentOptions },
  toolName: string,
  description: string | undefined,
): ToolName {
  const name = plainName(toolName)
  const ofAgent = agent.name === undefined ? {} : { [names.agentName]: agent.name }
  const labels = { [names.toolName]: name, [names.toolType]: 'function', ...ofAgent }
  const attributes = {
    [names.operation]: operations.tool,
    [names.toolName]: name,
    [names.toolType]: 'function',
    ...(typeof description === 'string' && { [names.toolDescription]: plainName(description) }),
    ...(names.toolKnowsAgent && ofAgent),
  }
  return { name, spanName: `${operations.tool} ${name}`, attributes, labels }
}
