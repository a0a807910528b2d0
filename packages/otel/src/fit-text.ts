/** Deeper data is told of, not shown. */
const deepest = 50

interface Budget {
  left: number
}

/**
 * Any value as JSON of at most `maxLength` characters: texts are cut and lists end early when there is no room left, so that it stays JSON that
 * can be read. It looks at no more of the value than it can show.
 */
export function fitText(value: unknown, maxLength: number): string {
  for (let room = maxLength; room >= 1; room = Math.floor(room / 2)) {
    const text = JSON.stringify(shorten(value, { left: room }, 0)) ?? 'null'
    if (text.length <= maxLength) return text
  }
  return '""'
}

function shorten(value: unknown, budget: Budget, depth: number): unknown {
  switch (typeof value) {
    case 'string':
      return shortenText(value, budget)
    case 'number':
    case 'boolean':
      budget.left -= 5
      return value
    case 'bigint':
      return shortenText(String(value), budget)
    case 'object':
      if (value === null) {
        budget.left -= 5
        return null
      }
      if (ArrayBuffer.isView(value)) return shortenText(`[${value.byteLength} bytes]`, budget)
      if (depth >= deepest) return shortenText('[nested too deep]', budget)
      return Array.isArray(value) ? shortenList(value, budget, depth) : shortenObject(value, budget, depth)
    case 'function':
    case 'symbol':
    case 'undefined':
    default:
      budget.left -= 5
      return undefined
  }
}

/** Whole code points only: what is no text for a protobuf is none for a backend. */
function shortenText(text: string, budget: Budget): string {
  const room = Math.max(0, budget.left - 2)
  const head = text.length <= room ? text : text.slice(0, Math.max(0, room - 32))
  const fitted = head.toWellFormed()
  budget.left -= JSON.stringify(fitted).length + 1
  if (head.length === text.length) return fitted
  budget.left -= 32
  return `${fitted}… [${text.length - head.length} more characters]`
}

function shortenList(list: readonly unknown[], budget: Budget, depth: number): unknown[] {
  budget.left -= 2
  const items: unknown[] = []
  for (const [index, item] of list.entries()) {
    if (budget.left <= 0) return [...items, `… [${list.length - index} more]`]
    items.push(shorten(item, budget, depth + 1) ?? null)
  }
  return items
}

function shortenObject(value: object, budget: Budget, depth: number): unknown {
  if (value instanceof Date && !Number.isNaN(value.getTime())) return shortenText(value.toJSON(), budget)
  budget.left -= 2
  const members: [string, unknown][] = []
  for (const name of Object.keys(value)) {
    if (budget.left <= 0) {
      members.push(['…', 'more members'])
      break
    }
    const key = shortenText(name, budget)
    members.push([key, shorten(Reflect.get(value, name), budget, depth + 1)])
  }
  return Object.fromEntries(members)
}
