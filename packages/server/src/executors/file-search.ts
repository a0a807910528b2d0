import { DatabaseSync } from 'node:sqlite'
import { tool, type ToolOutput } from '@steploop/core'
import { badRequest } from '../api-error.ts'
import { isObject, type JsonObject } from '../json.ts'
import type { Executor } from '../executor.ts'
import { matches } from './file-filter.ts'

export interface SearchableFile {
  readonly id: string
  readonly filename: string
  readonly text: string
  /** What filters compare. */
  readonly attributes?: Readonly<Record<string, string | number | boolean>> | undefined
}

/** Where a file is: the tenant and one of its stores (`vector_store_ids` of the tool). */
export interface FileScope {
  readonly tenant: string
  readonly storeId: string
}

export interface FileSearch extends Executor {
  /** Adds a file, or replaces the one with its id. */
  add(scope: FileScope, file: SearchableFile): void
  remove(scope: FileScope, fileId: string): void
  close(): void
}

export interface FileSearchOptions {
  /** Path of the SQLite database of the index; `:memory:` for one that ends with the process. */
  readonly path: string
}

interface Row {
  readonly id: string
  readonly filename: string
  readonly text: string
  readonly attributes: string
  readonly rank: number
}

/** File search over SQLite's full-text index: words, ranked by BM25. Each tenant has stores of its own. */
export function fileSearch({ path }: FileSearchOptions): FileSearch {
  const database = new DatabaseSync(path)
  database.exec('pragma busy_timeout = 10000')
  database.exec(`create virtual table if not exists steploop_file using fts5(
    tenant unindexed, store unindexed, id unindexed, filename, text, attributes unindexed)`)
  const removeFile = database.prepare('delete from steploop_file where tenant = ? and store = ? and id = ?')
  const addFile = database.prepare(
    'insert into steploop_file (tenant, store, id, filename, text, attributes) values (?, ?, ?, ?, ?, ?)',
  )
  const find = database.prepare(
    'select id, filename, text, attributes, rank from steploop_file where steploop_file match ? and tenant = ? and store = ? order by rank limit 200',
  )
  const search = (tenant: string, declared: JsonObject, queries: readonly string[]): readonly JsonObject[] => {
    const found = new Map<string, JsonObject & { readonly score: number }>()
    for (const store of storesIn(declared)) {
      for (const words of queries.map(quoted).filter((query) => query !== '')) {
        for (const row of find.all(words, tenant, store) as unknown as readonly Row[]) keep(found, row, declared)
      }
    }
    const { max_num_results: most } = declared
    return [...found.values()].toSorted((a, b) => b.score - a.score).slice(0, typeof most === 'number' ? most : 10)
  }
  return {
    types: ['file_search'],
    add({ tenant, storeId }, { id, filename, text, attributes = {} }) {
      removeFile.run(tenant, storeId, id)
      addFile.run(tenant, storeId, id, filename, text, JSON.stringify(attributes))
    },
    remove: ({ tenant, storeId }, id) => void removeFile.run(tenant, storeId, id),
    close: () => database.close(),
    async open(declared, { tenant, param }) {
      if (storesIn(declared).length === 0) {
        throw badRequest('File search needs `vector_store_ids`.', { param: `${param}.vector_store_ids` })
      }
      return {
        tools: {
          file_search: tool({
            description: 'Searches the files for words. Give several queries with other words for the same.',
            inputSchema: {
              type: 'object',
              properties: { queries: { type: 'array', items: { type: 'string' } } },
              required: ['queries'],
            },
            effect: 'read',
            execute: (input) => search(tenant, declared, queriesIn(input)),
          }),
        },
        view: () => ({ type: 'file_search_call', asks: false, show }),
      }
    },
  }
}

function storesIn({ vector_store_ids: ids }: JsonObject): readonly string[] {
  return Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : []
}

function queriesIn({ queries }: JsonObject): readonly string[] {
  return Array.isArray(queries) ? queries.filter((query) => typeof query === 'string').slice(0, 20) : []
}

/** Words, each in quotes: nothing in a query is an operator. */
function quoted(query: string): string {
  return (query.match(/[\p{L}\p{N}]+/gu) ?? []).map((word) => `"${word}"`).join(' OR ')
}

function keep(found: Map<string, JsonObject & { readonly score: number }>, row: Row, declared: JsonObject): void {
  const attributes = JSON.parse(row.attributes) as JsonObject
  // BM25 is below 0, and the lower the better; scores of the API are from 0 to 1.
  const score = -row.rank / (1 - row.rank)
  const { ranking_options: ranking, filters } = declared
  const least = isObject(ranking) ? Number(ranking['score_threshold'] ?? 0) : 0
  if (score < least || !matches(filters, attributes) || (found.get(row.id)?.score ?? -1) >= score) return
  found.set(row.id, { file_id: row.id, filename: row.filename, score, attributes, text: row.text.slice(0, 4_000) })
}

function show({
  inputText,
  output,
}: {
  readonly inputText: string
  readonly output: ToolOutput | undefined
}): JsonObject {
  let queries: readonly string[] = []
  try {
    const input: unknown = JSON.parse(inputText)
    if (isObject(input)) queries = queriesIn(input)
  } catch {
    queries = []
  }
  return { queries, results: output?.type === 'json' ? output.value : null }
}
