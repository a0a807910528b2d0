import { tool, type ToolOutput } from '@steploop/core'
import { isObject, textOf, type JsonObject } from '../json.ts'
import type { Executor } from '../executor.ts'

export interface WebSearchResult {
  readonly url: string
  readonly title?: string | undefined
  /** What the model reads of it. */
  readonly text: string
}

export interface WebSearchContext {
  readonly tenant: string
  readonly signal: AbortSignal
  /** The tool as the client declared it: `filters`, `user_location`, `search_context_size`. */
  readonly declared: JsonObject
}

export interface WebSearchOptions {
  readonly search: (query: string, context: WebSearchContext) => Promise<readonly WebSearchResult[]>
}

/** Web search through a function of yours; it may have 30 s, or what the loop's `toolTimeout` says. */
export function webSearch({ search }: WebSearchOptions): Executor {
  return {
    types: ['web_search', 'web_search_2025_08_26', 'web_search_preview', 'web_search_preview_2025_03_11'],
    open: async (declared, { tenant }) => ({
      tools: {
        web_search: tool({
          description: 'Searches the web. Cite the addresses of what you use.',
          inputSchema: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
          effect: 'read',
          execute: async (input, { signal }) => search(textOf(input['query']) ?? '', { tenant, signal, declared }),
        }),
      },
      view: () => ({
        type: 'web_search_call',
        asks: false,
        show: ({ inputText, output }) => ({
          action: { type: 'search', query: queryIn(inputText), ...(output && { sources: sourcesIn(output) }) },
        }),
      }),
    }),
  }
}

function queryIn(inputText: string): string {
  try {
    const input: unknown = JSON.parse(inputText)
    return (isObject(input) ? textOf(input['query']) : undefined) ?? ''
  } catch {
    return ''
  }
}

function sourcesIn(output: ToolOutput): readonly JsonObject[] {
  if (output.type !== 'json' || !Array.isArray(output.value)) return []
  return output.value.filter(isObject).map(({ url }) => ({ type: 'url', url }))
}
