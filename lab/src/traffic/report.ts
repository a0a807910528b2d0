/** What `steploop traffic` found. `wires` is keyed by the folders of the traffic, which usually are wire formats. */
export interface TrafficReport {
  readonly directory: string
  /** False: the folder has no answer key, so nothing was compared. */
  readonly key: boolean
  readonly wires: Readonly<Record<string, WireReport>>
  readonly findings: readonly TrafficFinding[]
}

export interface WireReport {
  files: number
  /** Responses decoded, those with a hand-made part and those that the key leaves out aside. */
  turns: number
  /** Members of the key that were compared. */
  fields: number
  disagreeing: number
  /** Turns in which the adapter threw something else than an `AdapterError`, or broke its contract. */
  crashed: number
  /** Turns that ended in an `AdapterError`, as they should or not. */
  errors: number
  /** Streams that were decoded again in other chunks. */
  rechunked: number
  /** Streams whose events or error changed with the chunks. */
  rechunkedDiffering: number
  /** Streams that were ended before their terminal evidence, once per cut. */
  cuts: number
  /** Cuts that were taken for a finished turn, or that handed over an unfinished call as valid. */
  cutsAccepted: number
  /** Cuts that failed, but not as `incomplete-stream`. */
  cutsMisreported: number
  /** Cuts that a format without terminal evidence accepted with the warning `unproven-end`. */
  unprovenEnds: number
  /** Members in which the project disputes the key. */
  disputed: number
  /** Turns that the key does not cover. */
  unkeyed: number
  /** Exchanges in a wire format that no subject speaks. */
  noAdapter: number
  /** Polling, compaction and other exchanges that are no turns, and answers that were recorded without their bytes. */
  notTurns: number
  readonly read: ReadReport
  readonly handEdited: HandEditedReport
  readonly survival: SurvivalReport
}

/** Answers that no key covers, compared with what the suite's own reader of the wire format makes of them. */
export interface ReadReport {
  turns: number
  /** Members that were compared. */
  fields: number
  disagreeing: number
}

export interface HandEditedReport {
  turns: number
  crashed: number
}

/** Opaque strings that the recorded client sent back, and whether our next request has them in the same order. */
export interface SurvivalReport {
  /** Pairs of a response and the request that followed it. */
  sessions: number
  strings: number
  lost: number
  /** Pairs apart, because the recorded client changed its history. */
  edited: number
}

export type TrafficFindingType =
  | 'disagreement'
  | 'crash'
  | 'error'
  | 'rechunk'
  | 'cut-accepted'
  | 'cut-misreported'
  | 'survival'
  | 'stale-dispute'

/** One thing that is not as it should be, with what is needed to look at it. */
export interface TrafficFinding {
  readonly type: TrafficFindingType
  readonly wire: string
  readonly file: string
  readonly interaction: number
  readonly field?: string | undefined
  readonly expected?: unknown
  readonly observed?: unknown
  readonly message?: string | undefined
}

export function emptyWireReport(): WireReport {
  return {
    files: 0,
    turns: 0,
    fields: 0,
    disagreeing: 0,
    crashed: 0,
    errors: 0,
    rechunked: 0,
    rechunkedDiffering: 0,
    cuts: 0,
    cutsAccepted: 0,
    cutsMisreported: 0,
    unprovenEnds: 0,
    disputed: 0,
    unkeyed: 0,
    noAdapter: 0,
    notTurns: 0,
    read: { turns: 0, fields: 0, disagreeing: 0 },
    handEdited: { turns: 0, crashed: 0 },
    survival: { sessions: 0, strings: 0, lost: 0, edited: 0 },
  }
}
