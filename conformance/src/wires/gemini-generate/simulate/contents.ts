import type { JsonObject } from '../../simulate/wire-simulation.ts'

/** One entry of `contents`, in camelCase. */
export interface Content {
  readonly role: string
  readonly parts: readonly JsonObject[]
}
