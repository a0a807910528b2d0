import { isObject, type JsonObject } from '@steploop/core/adapter'
import type { WireDocument } from './documents.ts'

/** A small fault in a document that was right. */
export interface Planted {
  readonly sort: FaultSort
  /** Dotted path of the field. */
  readonly path: string
  readonly json: JsonObject
}

export type FaultSort = 'unknown field' | 'wrong type' | 'missing field'

/** Members whose content is the caller's or the model's own: no specification says what is in them. */
const free = new Set(
  'parameters input_schema inputSchema parametersJsonSchema schema responseSchema responseJsonSchema args arguments input response metadata logit_bias partMetadata format'.split(
    ' ',
  ),
)

/** Members without which a document says nothing, in any wire format. */
const essential = new Set(
  'messages contents role type tool_call_id call_id name function choices index delta message content_block output'.split(
    ' ',
  ),
)

/** Where a specification says, by a default or by not requiring them, that they may be left out: family and path. */
const optional = [
  /delta\.(role|tool_calls\.\d+\.(type|function|function\.name))$/,
  /tool_calls\.\d+\.(index|type)$/,
  /responses input\.\d+\.(type|call_id)$/,
  /^gemini .*\.role$/,
  /^gemini candidates\.\d+\.(index|content\.parts\.\d+\.codeExecutionResult\.output)$/,
  /reasoning_details\.\d+\.index$/,
  /^mistral .*(role|type|tool_call_id|message)$/,
  /^(xai chat|ollama) messages\.\d+\.tool_call_id$/,
  // Cohere's package requires little of calls and of events, and nothing inside a schema.
  /^cohere (.*function(\.name)?|index|delta(\.message)?|.*citations\.\d+\.type|response_format\.json_schema\..*)$/,
  // Groq's and xAI's forms of these are open.
  /^groq tools\.\d+\.function$/,
  /^xai chat response_format\.json_schema\.name$/,
]

/**
 * Puts a fault somewhere into a document; `undefined` where it has no place for one of this sort.
 *
 * @param family whose document it is
 * @param pick gives a number from 0 to below its argument
 */
export function plant(
  { json, family }: Pick<WireDocument, 'json' | 'family'>,
  sort: FaultSort,
  pick: (count: number) => number,
): Planted | undefined {
  const spots = spotsOf(json, []).filter((spot) => fits(sort, spot, family.name))
  const spot = spots[pick(spots.length)]
  if (spot === undefined) return undefined
  const path = [...spot.path, sort === 'unknown field' ? 'planted' : spot.key]
  return { sort, path: path.join('.'), json: replaced(json, spot.path, (parent) => broken(parent, spot.key, sort)) }
}

interface Spot {
  readonly path: readonly string[]
  readonly parent: JsonObject
  readonly key: string
}

function spotsOf(value: unknown, path: readonly string[]): readonly Spot[] {
  if (Array.isArray(value)) return value.flatMap((item: unknown, index) => spotsOf(item, [...path, String(index)]))
  if (!isObject(value)) return []
  const own = Object.keys(value).map((key) => ({ path, parent: value, key }))
  const inner = Object.entries(value).filter(([key, member]) => !free.has(key) || Array.isArray(member))
  return [...own, ...inner.flatMap(([key, member]) => spotsOf(member, [...path, key]))]
}

function fits(sort: FaultSort, { parent, key, path }: Spot, family: string): boolean {
  switch (sort) {
    case 'unknown field':
      return true
    case 'wrong type':
      return parent[key] !== null && !free.has(key)
    case 'missing field':
      return essential.has(key) && !optional.some((pattern) => pattern.test(`${family} ${[...path, key].join('.')}`))
    default:
      return sort satisfies never
  }
}

function broken(parent: unknown, key: string, sort: FaultSort): unknown {
  const { [key]: value, ...rest } = parent as Record<string, unknown>
  switch (sort) {
    case 'unknown field':
      return { ...(parent as object), planted: 1 }
    case 'wrong type':
      return { ...rest, [key]: typeof value === 'object' ? 7 : { planted: 1 } }
    case 'missing field':
      return rest
    default:
      return sort satisfies never
  }
}

function replaced(
  value: unknown,
  [step, ...rest]: readonly string[],
  change: (parent: unknown) => unknown,
): JsonObject {
  if (step === undefined) return change(value) as JsonObject
  if (Array.isArray(value)) {
    return value.map((item: unknown, index) =>
      String(index) === step ? replaced(item, rest, change) : item,
    ) as unknown as JsonObject
  }
  const record = value as Record<string, unknown>
  return { ...record, [step]: replaced(record[step], rest, change) }
}
