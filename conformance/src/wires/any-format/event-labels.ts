import { isObject, textOf, type JsonObject } from '@steploop/core/adapter'
import { wireKit } from '../index.ts'

/**
 * The kinds of event that one payload of a stream stands for, in the order in which a reader meets them. Wire formats whose payloads have
 * a `type` say it; for the others it is what a payload carries. Empty members say nothing, so a payload may stand for no event at all.
 */
export function eventLabels(payload: JsonObject, wire: string): readonly string[] {
  const type = textOf(payload['type'])
  if (type !== undefined && type !== '') return [type]
  if (isObject(payload['error']) || typeof payload['error'] === 'string') return ['error']
  return wireKit(wire)?.eventLabels?.(payload) ?? ['message']
}
