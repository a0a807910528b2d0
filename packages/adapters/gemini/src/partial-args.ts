import { isObject, type JsonObject } from '@steploop/core/adapter'

/** How far an index may lie beyond the end of a list: items without a leaf (`{}`, `[]`) are never mentioned. */
const longestGap = 1000

/**
 * Puts one leaf of streamed arguments (docs/wire.md#gemini-partial-arguments) where its `jsonPath` says; text for a path that holds text
 * already continues it.
 *
 * @returns false when the path cannot be followed
 */
export function addPartialArgument(root: Record<string, unknown>, argument: JsonObject): boolean {
  const leaf = leafOf(argument)
  if (leaf === undefined) return true
  const path = typeof argument['jsonPath'] === 'string' ? parseJsonPath(argument['jsonPath']) : undefined
  const last = path?.at(-1)
  if (path === undefined || last === undefined) return false
  let node: object = root
  for (let depth = 0; depth < path.length - 1; depth++) {
    const child = childOf(node, path[depth] ?? '', typeof path[depth + 1] === 'number')
    if (child === undefined) return false
    node = child
  }
  const before = read(node, last)
  const value = typeof before === 'string' && typeof leaf.value === 'string' ? before + leaf.value : leaf.value
  return write(node, last, value)
}

function leafOf(argument: JsonObject): { readonly value: unknown } | undefined {
  for (const name of ['stringValue', 'numberValue', 'boolValue']) {
    const value = argument[name] ?? undefined
    if (value !== undefined) return { value }
  }
  return 'nullValue' in argument ? { value: null } : undefined
}

/** Steps of a normalised path: `$.recipe.steps[0]`, `$['a.b']`; `undefined` when it is none. */
function parseJsonPath(path: string): readonly (string | number)[] | undefined {
  if (!path.startsWith('$')) return undefined
  const steps: (string | number)[] = []
  for (let at = 1; at < path.length;) {
    const end = path[at] === '.' ? endOfName(path, at + 1) : path[at] === '[' ? endOfBracket(path, at) : -1
    if (end < 0) return undefined
    const step = path[at] === '.' ? path.slice(at + 1, end) : bracketStep(path.slice(at + 1, end - 1))
    if (step === undefined || step === '') return undefined
    steps.push(step)
    at = end
  }
  return steps
}

function endOfName(path: string, from: number): number {
  let end = from
  while (end < path.length && path[end] !== '.' && path[end] !== '[') end++
  return end
}

/** The index behind the closing bracket; inside quotes a bracket is text, and a backslash escapes. */
function endOfBracket(path: string, from: number): number {
  const quote = path[from + 1]
  if (quote !== "'" && quote !== '"') return path.indexOf(']', from) + 1 || -1
  for (let end = from + 2; end < path.length; end++) {
    if (path[end] === '\\') end++
    else if (path[end] === quote) return path[end + 1] === ']' ? end + 2 : -1
  }
  return -1
}

function bracketStep(inside: string): string | number | undefined {
  const quote = inside[0]
  if (quote === "'" || quote === '"') return inside.slice(1, -1).replaceAll(/\\(.)/g, '$1')
  const index = Number(inside)
  return inside !== '' && Number.isInteger(index) && index >= 0 ? index : undefined
}

function childOf(node: object, step: string | number, isList: boolean): object | undefined {
  const child = read(node, step)
  if (isObject(child) || Array.isArray(child)) return child
  const fresh = isList ? [] : {}
  return write(node, step, fresh) ? fresh : undefined
}

/** Own members only: a path may name `__proto__`. */
function read(node: object, step: string | number): unknown {
  return Object.hasOwn(node, step) ? Reflect.get(node, step) : undefined
}

function write(node: object, step: string | number, value: unknown): boolean {
  if (Array.isArray(node)) {
    if (typeof step !== 'number' || step > node.length + longestGap) return false
    while (node.length < step) node.push(null)
  }
  Object.defineProperty(node, step, { value, enumerable: true, configurable: true })
  return true
}
