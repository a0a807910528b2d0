import { valueAt, type Path, type ShapeFault } from '../../simulate/shape-fault.ts'
import type { Rejection } from '../../simulate/wire-simulation.ts'
import { invalidRequest } from './failures.ts'

/** Gives a fault of shape the words of Anthropic: the path with dots, a colon, and what is wrong. */
export function shapeRejection(fault: ShapeFault, body: unknown): Rejection {
  const path = dotted(fault.path, body)
  switch (fault.type) {
    case 'unknown-field':
      return invalidRequest(`${path}: Extra inputs are not permitted`)
    case 'missing-field':
      return invalidRequest(`${path}: Field required`)
    case 'wrong-type':
      return invalidRequest(`${path}: Input should be ${fault.expected.map(described).join(' or ')}`)
    case 'wrong-value':
      return wrongValue(fault, body)
    case 'pattern':
      return invalidRequest(`${path}: String should match pattern '${fault.pattern}'`)
    case 'limit':
      return invalidRequest(`${path}: ${limited(fault)}`)
    default:
      return fault satisfies never
  }
}

function wrongValue(fault: Extract<ShapeFault, { type: 'wrong-value' }>, body: unknown): Rejection {
  const allowed = fault.allowed.map((value) => `'${value}'`)
  if (fault.path.at(-1) === 'type' && allowed.length > 1) {
    const path = dotted(fault.path.slice(0, -1), undefined)
    return invalidRequest(
      `${path}: Input tag '${String(fault.value)}' found using 'type' does not match any of the expected tags: ${allowed.join(', ')}`,
    )
  }
  const last = allowed.at(-1) ?? ''
  const list = allowed.length > 1 ? `${allowed.slice(0, -1).join(', ')} or ${last}` : last
  return invalidRequest(`${dotted(fault.path, body)}: Input should be ${list}`)
}

const descriptions: Readonly<Record<string, string>> = {
  array: 'a valid array',
  boolean: 'a valid boolean',
  int: 'a valid integer',
  null: 'None',
  number: 'a valid number',
  object: 'an object',
  record: 'a valid dictionary',
  string: 'a valid string',
}

function described(type: string): string {
  return descriptions[type] ?? type
}

function limited(fault: Extract<ShapeFault, { type: 'limit' }>): string {
  const below = fault.bound === 'minimum'
  const unit = { number: '', string: ' characters', array: ' items' }[fault.of]
  if (fault.of === 'number') return `Input should be ${below ? 'greater' : 'less'} than or equal to ${fault.limit}`
  return `${fault.of === 'string' ? 'String' : 'List'} should have at ${below ? 'least' : 'most'} ${fault.limit}${unit}`
}

/**
 * `messages.1.content.0.tool_use.id`: a member of a content block or a tool comes after the kind of the block, as the provider's
 * validation names the branch of its union.
 */
function dotted(path: Path, body: unknown): string {
  const keys: string[] = []
  for (const [index, key] of path.entries()) {
    keys.push(String(key))
    const list = path[index - 1]
    if (typeof key !== 'number' || index === path.length - 1) continue
    if (list === 'content' || list === 'tools') keys.push(...tagAt(body, path.slice(0, index + 1), list))
  }
  return keys.join('.')
}

function tagAt(body: unknown, path: Path, list: string): readonly string[] {
  const type = valueAt(body, [...path, 'type'])
  if (typeof type === 'string') return [type]
  return list === 'tools' && body !== undefined ? ['custom'] : []
}
