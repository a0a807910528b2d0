import type { ProviderTool, ToolOutput } from '@steploop/core'
import type { GatewayView } from '../gateway-items.ts'
import { isObject, textOf, type JsonObject } from '../json.ts'
import type { Executor } from '../executor.ts'

/** Types of tools that clients may declare for the model's provider to run. */
export type ProviderToolType = 'web_search' | 'code_interpreter'

export interface ProviderToolsOptions {
  /** Default: `web_search`, its dated forms with it, and `code_interpreter`. */
  readonly types?: readonly ProviderToolType[] | undefined
  /**
   * The tool as the model's provider knows it, made with `providerTool`. `declared` is what the client sent, `provider` is `Adapter.provider`
   * of the model. `undefined`: this provider has no such tool, so the next executor of the type is asked.
   */
  readonly tool: (
    declared: JsonObject & { readonly type: ProviderToolType },
    provider: string,
  ) => ProviderTool | undefined
}

/** Tools that the provider of the model runs itself: nothing of them runs here, and their calls are shown as the API shows its own. */
export function providerTools({ types = ['web_search', 'code_interpreter'], tool }: ProviderToolsOptions): Executor {
  return {
    types: types.flatMap((type) => forms[type]),
    async open(declared, { provider }) {
      const type = types.find((each) => forms[each].includes(String(declared['type'])))
      const made = type === undefined ? undefined : tool({ ...declared, type }, provider)
      if (type === undefined || made === undefined) return undefined
      return { tools: { [made.name]: made }, view: () => views[type] }
    },
  }
}

const forms: Readonly<Record<ProviderToolType, readonly string[]>> = {
  web_search: ['web_search', 'web_search_2025_08_26', 'web_search_preview', 'web_search_preview_2025_03_11'],
  code_interpreter: ['code_interpreter'],
}

const views: Readonly<Record<ProviderToolType, GatewayView>> = {
  web_search: {
    type: 'web_search_call',
    asks: false,
    isFailure,
    show: ({ inputText, output }) => ({
      action: { type: 'search', query: wordsIn(inputText, ['query', 'queries']), sources: sourcesIn(output) },
    }),
  },
  code_interpreter: {
    type: 'code_interpreter_call',
    asks: false,
    isFailure,
    show: ({ inputText, output }) => ({
      code: wordsIn(inputText, ['code', 'command']),
      container_id: '',
      outputs: output === undefined ? null : [{ type: 'logs', logs: logsIn(output) }],
    }),
  },
}

/** A status, an error or an outcome says so, by the provider. */
function isFailure(output: ToolOutput): boolean {
  if (output.type === 'error') return true
  const { status, error, outcome } = output.type === 'json' && isObject(output.value) ? output.value : {}
  return status === 'failed' || error != null || textOf(outcome)?.includes('FAILED') === true
}

/** Each provider has its own member for it. */
function wordsIn(inputText: string, members: readonly string[]): string {
  const input = parsed(inputText)
  const given = members.map((name) => input[name]).find((value) => value !== undefined)
  return textOf(Array.isArray(given) ? given[0] : given) ?? ''
}

function parsed(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : {}
  } catch {
    return {}
  }
}

/** The pages that a provider names, wherever it does. */
function sourcesIn(output: ToolOutput | undefined): readonly JsonObject[] {
  const value: unknown = output?.type === 'json' ? output.value : undefined
  const list = isObject(value) ? (value['sources'] ?? value['content'] ?? value['results']) : value
  const pages = Array.isArray(list) ? list.filter(isObject) : []
  return pages.flatMap(({ url }) => (typeof url === 'string' ? [{ type: 'url', url }] : []))
}

function logsIn(output: ToolOutput): string {
  if (output.type === 'text') return output.value
  if (output.type !== 'json') return ''
  const { value } = output
  const said = isObject(value) ? (value['stdout'] ?? value['output'] ?? value['logs']) : value
  return typeof said === 'string' ? said : JSON.stringify(value)
}
