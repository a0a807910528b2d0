import type { AnswerContext, FailureKind, Rejection } from './wire-simulation.ts'

/** A fault in a provider's words; `{model}` in the message stands for the model that was asked for. */
export type FailureRow = readonly [status: number, type: string, message: string, code?: string] | Rejection

/** The faults of a provider, a row each. */
export function failureTable(
  rows: Readonly<Record<FailureKind, FailureRow>>,
): (kind: FailureKind, context: AnswerContext) => Rejection {
  return (kind, { request }) => {
    const rejection = rejectionOf(rows[kind])
    return { ...rejection, message: rejection.message.replaceAll('{model}', () => String(request['model'])) }
  }
}

function rejectionOf(row: FailureRow): Rejection {
  if ('status' in row) return row
  const [status, type, message, code] = row
  return { status, type, message, code }
}
