import type { TurnEvent } from '@steploop/core/adapter'
import { replayTurn, type RecordedAnswer, type DecodedAnswer } from './replay.ts'
import type { TrafficFindingType, WireReport } from './report.ts'
import {
  cutAt,
  delicateOffsets,
  piecesOf,
  scanStream,
  scanUnknown,
  seededSizes,
  type Bytes,
  type ScannedStream,
} from '@steploop/conformance/cli'

type Note = (finding: { readonly type: TrafficFindingType; readonly message: string }) => void

export interface StreamCheck {
  readonly exchange: RecordedAnswer
  readonly bytes: Uint8Array<ArrayBuffer>
  /** The recorded stream decoded in one piece. */
  readonly whole: DecodedAnswer
  readonly counts: Pick<
    WireReport,
    'rechunked' | 'rechunkedDiffering' | 'cuts' | 'cutsAccepted' | 'cutsMisreported' | 'unprovenEnds'
  >
  readonly note: Note
}

/** Decodes the stream again in other chunks: events and error have to stay the same. Gives the first crash. */
export async function checkRechunked({
  exchange,
  bytes,
  whole,
  counts,
  note,
}: StreamCheck): Promise<string | undefined> {
  counts.rechunked++
  const expected = fingerprint(whole)
  let differs = false
  let crash: string | undefined
  for (const { name, chunks } of chunkings(bytes)) {
    const replay = await replayTurn(exchange, chunks)
    if (replay.crash !== undefined) crash ??= `in chunks (${name}): ${replay.crash}`
    const same = fingerprint(replay) === expected
    if (!same && !differs) note({ type: 'rechunk', message: `${name}: ${firstDifference(whole, replay)}` })
    differs ||= !same
  }
  if (differs) counts.rechunkedDiffering++
  return crash
}

/** Ways to cut a stream that must all give the same events: the network cuts where it likes. */
function chunkings(bytes: Bytes): readonly { readonly name: string; readonly chunks: readonly Bytes[] }[] {
  const random = [1, 2, 3].map((seed) => {
    return { name: `random cuts, seed ${seed}`, chunks: piecesOf(bytes, seededSizes(bytes.length, seed)) }
  })
  return [
    {
      name: 'one byte each',
      chunks: piecesOf(
        bytes,
        Array.from(bytes, () => 1),
      ),
    },
    { name: 'inside characters and line ends', chunks: cutAt(bytes, delicateOffsets(bytes)) },
    ...random,
  ]
}

/** Events and error, in one text. Stacks and causes are no part of it. */
function fingerprint({ events, error, crash }: DecodedAnswer): string {
  return JSON.stringify([events, error?.code, error?.message, crash])
}

function firstDifference(whole: DecodedAnswer, replay: DecodedAnswer): string {
  const at = whole.events.findIndex((event, index) => JSON.stringify(event) !== JSON.stringify(replay.events[index]))
  const index = at < 0 ? whole.events.length : at
  const [one, other] = [whole.events[index], replay.events[index]].map((event) => JSON.stringify(event) ?? 'no event')
  if (one === other)
    return `the error is ${replay.error?.message ?? 'gone'}, in one piece ${whole.error?.message ?? 'none'}`
  return `event ${index} is ${other}, in one piece ${one}`
}

/** Cuts between events, and as many inside events. */
const cutsPerStream = 12

/**
 * Ends the stream early, after events and inside of them, always before its terminal evidence. Each cut has to fail as
 * `incomplete-stream` and must not hand over a call as valid whose arguments are not the whole ones. Gives the first crash.
 */
export async function checkCuts(check: StreamCheck): Promise<string | undefined> {
  const { exchange, bytes, counts } = check
  const known = scanStream(bytes, exchange.subject.wire)
  // In an unknown format a cut that leaves the same message may well come after its end.
  const events = known?.events ?? scanUnknown(bytes).filter(({ end }) => end < bytes.length)
  const offsets = cutOffsets(known ?? { events, terminal: events.length }, bytes.length)
  let crash: string | undefined
  for (const offset of offsets) {
    const replay = await replayTurn(exchange, [bytes.subarray(0, offset)])
    counts.cuts++
    if (replay.crash !== undefined) crash ??= `cut at byte ${offset} of ${bytes.length}: ${replay.crash}`
    if (known === undefined && said(replay) === said(check.whole)) continue
    const hasEvent = known === undefined ? replay.events.length > 0 : events.some(({ end }) => end <= offset)
    judgeCut(check, { replay, offset, hasEvent })
  }
  return crash
}

function said({ completed, turn }: DecodedAnswer): string {
  return JSON.stringify([completed, turn.finishReason, turn.message.content])
}

/** Before the terminal evidence; a stream without any is itself cut short. */
function cutOffsets({ events, terminal }: ScannedStream, length: number): readonly number[] {
  const before = events.slice(0, terminal)
  const inside = terminal === undefined ? before : events.slice(0, terminal + 1)
  const offsets = [
    ...spread(before.map(({ end }) => end)),
    ...spread(inside.map(({ middle }) => middle)),
    ...(terminal === undefined ? [length] : []),
  ]
  return [...new Set(offsets)]
}

/** At most `cutsPerStream` of the offsets, evenly spread, first and last among them. */
function spread(offsets: readonly number[]): readonly number[] {
  if (offsets.length <= cutsPerStream) return offsets
  const step = (offsets.length - 1) / (cutsPerStream - 1)
  return Array.from({ length: cutsPerStream }, (_, index) => offsets[Math.round(index * step)] ?? 0)
}

interface Cut {
  readonly replay: DecodedAnswer
  readonly offset: number
  /** A whole event came before the cut. */
  readonly hasEvent: boolean
}

function judgeCut({ bytes, whole, counts, note }: StreamCheck, { replay, offset, hasEvent }: Cut): void {
  const location = `cut at byte ${offset} of ${bytes.length}`
  const unfinished = unfinishedCall(whole, replay)
  if (unfinished !== undefined) {
    counts.cutsAccepted++
    note({ type: 'cut-accepted', message: `${location}: an unfinished call is handed over as valid: ${unfinished}` })
    return
  }
  if (replay.completed) {
    if (replay.turn.warnings.some(({ type }) => type === 'unproven-end')) {
      counts.unprovenEnds++
      return
    }
    counts.cutsAccepted++
    const { finishReason } = replay.turn
    note({ type: 'cut-accepted', message: `${location}: taken for a finished turn (finish reason ${finishReason})` })
    return
  }
  // What is no AdapterError is a crash, and counted as one.
  if (replay.error === undefined) return
  const { code } = replay.error
  // An error inside the stream may have come before the cut; and a stream of nothing is rather empty than incomplete.
  if (code === 'incomplete-stream' || code === whole.error?.code || (code === 'empty-response' && !hasEvent)) return
  counts.cutsMisreported++
  note({ type: 'cut-misreported', message: `${location}: fails as '${code}' instead of 'incomplete-stream'` })
}

type CallEvent = Extract<TurnEvent, { type: 'tool-call' }>

/** A call that the cut stream gives as valid, although the whole stream gives another input for it. */
function unfinishedCall(whole: DecodedAnswer, cut: DecodedAnswer): string | undefined {
  const calls = new Map(whole.events.filter(isCall).map((call) => [call.part, call]))
  const wrong = cut.events.filter(isCall).find((call) => {
    const full = calls.get(call.part)
    return call.invalid === undefined && JSON.stringify(call.input) !== JSON.stringify(full?.input)
  })
  return wrong === undefined ? undefined : `${wrong.toolName}(${JSON.stringify(wrong.input)})`
}

function isCall(event: TurnEvent): event is CallEvent {
  return event.type === 'tool-call'
}
