import { arrayOf, isObject } from '@steploop/core/adapter'
import type { JsonObject } from './wire-simulation.ts'

const nothing: JsonObject = Object.freeze({})

/** The object that a member holds; an empty one when it holds anything else. */
export function objectAt(object: JsonObject, key: string): JsonObject {
  const value = object[key]
  return isObject(value) ? value : nothing
}

/** The objects in the list that a member holds; none when it holds anything else. */
export function objectsAt(object: JsonObject, key: string): readonly JsonObject[] {
  return arrayOf(object[key]).filter(isObject)
}

/** The text that a member holds; an empty one when it holds anything else. */
export function textAt(object: JsonObject, key: string): string {
  const value = object[key]
  return typeof value === 'string' ? value : ''
}
