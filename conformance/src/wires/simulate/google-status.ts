import { objectOf } from '@steploop/core/adapter'
import type { JsonObject, Refusal } from './wire-simulation.ts'

/** A refusal with the machine-readable rest of a `google.rpc.Status`. */
export interface StatusRefusal extends Refusal {
  readonly details?: readonly JsonObject[] | undefined
}

/** A 400 in Google's words. */
export function invalidArgument(message: string): StatusRefusal {
  return { status: 400, type: 'INVALID_ARGUMENT', message }
}

/** `{ error: { code, message, status, details? } }` (docs/wire.md#error-bodies). */
export function errorBody(refusal: Refusal): JsonObject {
  const { details } = objectOf(refusal)
  const { status: code, message, type: status } = refusal
  return { error: { code, message, status, ...(details === undefined ? {} : { details }) } }
}
