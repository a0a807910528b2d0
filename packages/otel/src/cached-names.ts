import type { Adapter, ToolCallInfo } from '@steploop/core'
import type { Attributes } from '@opentelemetry/api'
import { operations, providerName, type Names } from './names.ts'
import { plainText } from './safely.ts'

/** A model in the words of the conventions. What is kept is frozen: SDKs hand it on to exporters as it is. */
export interface ModelName {
  readonly provider: string
  readonly model: string
  readonly spanName: string
  /** What its spans have in common, to be copied: faster than from what is frozen. */
  readonly attributes: Attributes
  /** Labels of the metrics of its requests while they go on. */
  readonly labels: Attributes
  /** Labels of the metrics of its answers, by the model that answered. */
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
  /** Labels of its metrics. */
  readonly labels: Attributes
}

const { freeze } = Object

/** Each model is asked many times. */
export function modelNames(names: Names): (model: Adapter) => ModelName {
  const cache = new WeakMap<Adapter, ModelName>()
  return (adapter) => {
    const cached = cache.get(adapter)
    if (cached !== undefined) return cached
    const provider = providerName(adapter.provider)
    const model = plainText(adapter.model) ?? '_OTHER'
    const attributes = {
      [names.operation]: operations.chat,
      [names.provider]: provider,
      [names.requestModel]: model,
    }
    const labels = freeze({ ...attributes })
    const spanName = `${operations.chat} ${model}`
    const name = { provider, model, spanName, attributes, labels, labelsOf: answerLabels(names, labels) }
    cache.set(adapter, name)
    return name
  }
}

/** Keeps the labels of the last model that answered: it is nearly always the same. */
function answerLabels(names: Names, labels: Attributes): ModelName['labelsOf'] {
  let last: { readonly model: string | undefined; readonly labels: AnswerLabels } | undefined
  return (model) => {
    if (last !== undefined && last.model === model) return last.labels
    const plain = model === undefined ? labels : freeze({ ...labels, [names.responseModel]: model })
    const withModality = freeze({ ...plain, [names.tokenModality]: 'unknown' })
    const input = freeze({ ...plain, [names.tokenType]: 'input' })
    const output = freeze({ ...plain, [names.tokenType]: 'output' })
    last = { model, labels: { plain, withModality, ofTokens: { input, output } } }
    return last.labels
  }
}

/** Each tool is called many times; one that is there under several names is nearly always called by the last of them again. */
export function toolNames(names: Names, ofAgent: Attributes): (call: ToolCallInfo) => ToolName {
  const cache = new WeakMap<object, { readonly toolName: string; readonly name: ToolName }>()
  return ({ tool, toolCall: { toolName } }) => {
    const cached = cache.get(tool)
    if (cached !== undefined && cached.toolName === toolName) return cached.name
    const name = toolNameOf({ names, ofAgent }, toolName, tool.description)
    cache.set(tool, { toolName, name })
    return name
  }
}

function toolNameOf(
  { names, ofAgent }: { readonly names: Names; readonly ofAgent: Attributes },
  toolName: string,
  description: string | undefined,
): ToolName {
  const name = plainText(toolName) ?? '_OTHER'
  const labels = freeze({ [names.toolName]: name, [names.toolType]: 'function', ...ofAgent })
  const attributes = {
    [names.operation]: operations.tool,
    [names.toolName]: name,
    [names.toolType]: 'function',
    ...(typeof description === 'string' && { [names.toolDescription]: plainText(description) }),
    ...(names.toolKnowsAgent && ofAgent),
  }
  return { name, spanName: `${operations.tool} ${name}`, attributes, labels }
}
