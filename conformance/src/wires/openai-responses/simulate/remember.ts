import { arrayOf, isObject } from '@steploop/core/adapter'
import { objectsAt } from '../../simulate/fields.ts'
import type { JsonObject, Memory } from '../../simulate/wire-simulation.ts'

/** Keeps the answer for `previous_response_id`, unless the request said `store: false`; item ids are kept in any case. */
export function remember(request: JsonObject, answer: JsonObject, memory: Memory): void {
  const stored = request['store'] !== false
  const output = objectsAt(answer, 'output')
  let reasoning: string | undefined
  for (const item of output) {
    const id = String(item['id'])
    memory.items.set(id, { stored, ...(reasoning === undefined ? {} : { reasoning }) })
    reasoning = item['type'] === 'reasoning' ? id : undefined
  }
  if (!stored) return
  const earlier = memory.responses.get(String(request['previous_response_id']))?.items ?? []
  memory.responses.set(String(answer['id']), { items: [...earlier, ...inputItems(request['input']), ...output] })
}

/** The input as a list: a plain string is one user message. */
export function inputItems(input: unknown): readonly JsonObject[] {
  return typeof input === 'string' ? [{ role: 'user', content: input }] : arrayOf(input).filter(isObject)
}
