import { objectOf } from '@steploop/core/adapter'
import type { JsonObject, Rejection } from './wire-simulation.ts'

/** A refusal with the machine-readable rest of a `google.rpc.Status`. */
export interface StatusRejection extends Rejection {
  readonly details?: readonly JsonObject[] | undefined
}

/** A 400 in Google's words. */
export function invalidArgument(message: string): StatusRejection {
  return { status: 400, type: 'INVALID_ARGUMENT', message }
}

/** `{ error: { code, message, status, details? } }` (docs/wire.md#error-bodies). */
export function errorBody(rejection: Rejection): JsonObject {
  const { details } = objectOf(rejection)
  const { status: code, message, type: status } = rejection
  return { error: { code, message, status, ...(details === undefined ? {} : { details }) } }
}
