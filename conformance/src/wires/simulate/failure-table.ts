import type { AnswerContext, FailureKind, Refusal } from './wire-simulation.ts'

/** A fault in a provider's words; `{model}` in the message stands for the model that was asked for. */
export type FailureRow = readonly [status: number, type: string, message: string, code?: string] | Refusal

/** The faults of a provider, a row each. */
export function failureTable(
  rows: Readonly<Record<FailureKind, FailureRow>>,
): (kind: FailureKind, context: AnswerContext) => Refusal {
  return (kind, { request }) => {
    const refusal = refusalOf(rows[kind])
    return { ...refusal, message: refusal.message.replaceAll('{model}', () => String(request['model'])) }
  }
}

function refusalOf(row: FailureRow): Refusal {
  if ('status' in row) return row
  const [status, type, message, code] = row
  return { status, type, message, code }
}
