/** `info`: nothing breaks. `warning`: somebody should look. `error`: decoders that were right may be wrong now. */
export type DriftGrade = 'info' | 'warning' | 'error'

/**
 * - `new-field` info · `missing-field` warning · `nullable-field` (null where there was none, or a value where there was only null) warning
 * - `retyped-field` error
 * - `new-event`, `missing-event`, `new-kind` (an object of a `type` not seen there), `new-value` (of an enumeration) warning
 * - `order` (of events in a stream), `framing`, `skeleton` (the run does something else) error
 * - `not-recorded` error: there is nothing to compare
 */
export type DriftKind =
  | 'new-field'
  | 'missing-field'
  | 'nullable-field'
  | 'retyped-field'
  | 'new-event'
  | 'missing-event'
  | 'new-kind'
  | 'new-value'
  | 'order'
  | 'framing'
  | 'skeleton'
  | 'not-recorded'

export interface DriftFinding {
  readonly grade: DriftGrade
  readonly kind: DriftKind
  /** A path in responses, a pair of events, or a case. */
  readonly where: string
  readonly message: string
}

/** What changed at one provider, in one wire format. */
export interface WireDrift {
  readonly wire: string
  readonly subject: string
  /** Cases that were compared. */
  readonly cases: number
  readonly findings: readonly DriftFinding[]
}

export interface DriftReport {
  readonly version: 1
  /** What was held against what, for people. */
  readonly compared: string
  readonly wires: readonly WireDrift[]
  readonly counts: Readonly<Record<DriftGrade, number>>
}

const grades: Readonly<Record<DriftKind, DriftGrade>> = {
  'new-field': 'info',
  'missing-field': 'warning',
  'nullable-field': 'warning',
  'retyped-field': 'error',
  'new-event': 'warning',
  'missing-event': 'warning',
  'new-kind': 'warning',
  'new-value': 'warning',
  order: 'error',
  framing: 'error',
  skeleton: 'error',
  'not-recorded': 'error',
}

export function finding(kind: DriftKind, where: string, message: string): DriftFinding {
  return { grade: grades[kind], kind, where, message }
}

export function driftReport(compared: string, wires: readonly WireDrift[]): DriftReport {
  const sorted = wires.toSorted((one, other) => compare(one.wire, other.wire) || compare(one.subject, other.subject))
  const counts = { info: 0, warning: 0, error: 0 }
  for (const { findings } of wires) for (const { grade } of findings) counts[grade]++
  return { version: 1, compared, wires: sorted, counts }
}

function compare(one: string, other: string): number {
  if (one === other) return 0
  return one < other ? -1 : 1
}
