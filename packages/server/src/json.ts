import type { JsonObject } from '@steploop/store'

export type { JsonObject } from '@steploop/store'

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** How many objects and lists deep the data is, counted up to `most + 1`. */
export function depthOf(value: unknown, most: number): number {
  if (typeof value !== 'object' || value === null) return 0
  if (most < 0) return 1
  let deepest = 0
  for (const member of Object.values(value)) deepest = Math.max(deepest, depthOf(member, most - 1))
  return deepest + 1
}
