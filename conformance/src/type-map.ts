/** JSON types; numbers are not told apart. */
export type JsonType = 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null'

/**
 * Which JSON types were seen at which path. A path names members and, after an object that has a `type`, that type:
 * `stream<response.output_item.added>.item<function_call>.call_id`. Entries of a list share one path that ends in `[]`.
 */
export type TypeMap = ReadonlyMap<string, ReadonlySet<JsonType>>

export interface TypeMapOptions {
  /** First word of every path, for example `json` or `stream`. */
  readonly root: string
  /**
   * Ends of paths below which anything goes, because the content belongs to the application: schemas, tool inputs, metadata.
   * The value itself is still noted.
   */
  readonly open?: readonly string[] | undefined
  /** Ends of paths of objects whose `type` is a value like any other and makes no kind of its own, for example `.error`. */
  readonly plain?: readonly string[] | undefined
}

/** A path, or a type at a path, that the other side does not have. */
export interface TypeDifference {
  readonly path: string
  readonly type: JsonType
  /** What the other side has there; empty when it does not know the path. */
  readonly known: readonly JsonType[]
}

/** Notes every path of the given values. The result of several calls may be joined by `mergeTypeMaps`. */
export function typeMapOf(values: Iterable<unknown>, options: TypeMapOptions): TypeMap {
  const map = new Map<string, Set<JsonType>>()
  for (const value of values) note(map, value, options.root, options)
  return map
}

export function mergeTypeMaps(...maps: readonly TypeMap[]): TypeMap {
  const merged = new Map<string, ReadonlySet<JsonType>>()
  for (const map of maps) {
    for (const [path, types] of map) merged.set(path, new Set([...(merged.get(path) ?? []), ...types]))
  }
  return merged
}

/** What `actual` has and `known` has not, in order of paths. Below a path that is not known nothing more is listed. */
export function typesBeyond(actual: TypeMap, known: TypeMap): readonly TypeDifference[] {
  const differences: TypeDifference[] = []
  for (const path of [...actual.keys()].toSorted()) {
    const knownTypes = known.get(path) ?? new Set()
    const news = [...(actual.get(path) ?? [])].filter((type) => !knownTypes.has(type))
    if (differences.some((difference) => difference.known.length === 0 && isBelow(path, difference.path))) continue
    differences.push(...news.map((type) => ({ path, type, known: [...knownTypes] })))
  }
  return differences
}

function jsonType(value: unknown): JsonType {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  const type = typeof value
  if (type === 'string' || type === 'number' || type === 'boolean') return type
  return 'object'
}

function note(map: Map<string, Set<JsonType>>, value: unknown, path: string, options: TypeMapOptions): void {
  if (value === undefined) return
  const open = endsWithOne(path, options.open)
  const name = open || endsWithOne(path, options.plain) ? path : path + variantOf(value)
  const types = map.get(name) ?? new Set()
  map.set(name, types.add(jsonType(value)))
  if (open) return
  if (Array.isArray(value)) {
    for (const entry of value) note(map, entry, `${name}[]`, options)
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, member] of Object.entries(value)) note(map, member, `${name}.${key}`, options)
  }
}

function variantOf(value: unknown): string {
  if (typeof value !== 'object' || value === null || !('type' in value)) return ''
  return typeof value.type === 'string' ? `<${value.type}>` : ''
}

function endsWithOne(path: string, ends: readonly string[] | undefined): boolean {
  return ends?.some((end) => path.endsWith(end)) ?? false
}

function isBelow(path: string, ancestor: string): boolean {
  return path.length > ancestor.length && path.startsWith(ancestor) && /^[.[]/.test(path.slice(ancestor.length))
}
