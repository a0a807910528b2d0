import type { RecordedResponse } from '@steploop/cassette'
import type { JsonObject } from '@steploop/core/adapter'
import { payloadsOf } from '../cassette-tools/exchange-view.ts'
import {
  type TypeMap,
  eventLabels,
  freedomOf,
  isEventStream,
  typesOfPayloads,
  wireKit,
} from '@steploop/conformance/cli'

/** What answers over a wire format look like, without what they say. */
export interface WireShape {
  /** Fields and their types, at paths that begin with `json`, `stream` or `error`. */
  readonly types: TypeMap
  /** The words of members that are enumerations, by path. */
  readonly words: ReadonlyMap<string, ReadonlySet<string>>
  /** Kinds of events in streams. */
  readonly events: ReadonlySet<string>
  readonly orders: readonly EventOrder[]
  /** How streams are framed, in words. */
  readonly framing: ReadonlySet<string>
}

/** The kinds of events of one stream, in order; repetitions of one kind count once. */
export interface EventOrder {
  readonly events: readonly string[]
  /** The last event is the last one that the provider had. */
  readonly isWhole: boolean
}

/** A response as far as its shape goes. Without an ending it is taken for whole. */
export type ShapedResponse = Pick<RecordedResponse, 'status' | 'headers' | 'body'> & {
  readonly ending?: RecordedResponse['ending'] | undefined
}

/** The shape of responses to one wire format. Nothing is kept of texts, ids and numbers. */
export function wireShape(responses: readonly ShapedResponse[], wire: string): WireShape {
  const read = responses.filter(({ status }) => status > 0).map((response) => readResponse(response, wire))
  const of = (root: Root): readonly JsonObject[] => read.flatMap((one) => (one.root === root ? one.payloads : []))
  const streams = read.filter(({ root }) => root === 'stream')
  const orders = streams.map(({ payloads, isWhole }) => ({ events: orderOf(payloads, wire), isWhole }))
  const words = new Map<string, Set<string>>()
  for (const { root, payloads } of read) for (const payload of payloads) noteWords(words, payload, root, wire)
  return {
    types: typesOfPayloads({ json: of('json'), stream: of('stream'), errors: of('error') }, freedomOf(wire)),
    words,
    events: new Set(orders.flatMap(({ events }) => events)),
    orders,
    framing: new Set(streams.flatMap(({ framing }) => framing)),
  }
}

type Root = 'json' | 'stream' | 'error'

interface ReadResponse {
  readonly root: Root
  readonly payloads: readonly JsonObject[]
  readonly framing: readonly string[]
  readonly isWhole: boolean
}

function readResponse({ status, headers, body, ending = 'eof' }: ShapedResponse, wire: string): ReadResponse {
  const type = headers['content-type'] ?? ''
  const isWhole = ending === 'eof'
  const said = { payloads: payloadsOf(body, type), framing: [], isWhole }
  if (status >= 400) return { ...said, root: 'error' }
  const mime = type.split(';')[0]?.trim() ?? ''
  if (isEventStream(body)) return { ...said, root: 'stream', framing: [`content type ${mime}`] }
  const isLines = /ndjson|jsonl/.test(mime) && wireKit(wire)?.framing?.lines === true
  if (mime !== 'text/event-stream' && !isLines) return { ...said, root: 'json' }
  return { ...said, root: 'stream', framing: framingOf(new TextDecoder().decode(body), mime) }
}

function framingOf(text: string, mime: string): readonly string[] {
  return [
    `content type ${mime}`,
    ...(text.includes('\r\n') ? ['lines end with CR LF'] : []),
    ...(/^event:/m.test(text) ? ['events have names'] : []),
    ...(/^:/m.test(text) ? ['comments between events'] : []),
    ...(/^data: ?\[DONE\]/m.test(text) ? ['ends with [DONE]'] : []),
  ]
}

function orderOf(payloads: readonly JsonObject[], wire: string): readonly string[] {
  const labels = payloads.flatMap((payload) => eventLabels(payload, wire))
  return labels.filter((label, index) => label !== labels[index - 1])
}

/** Members that hold one of a few words, in any of the wire formats. `type` is none: it is part of the paths. */
const enumerations: ReadonlySet<string> = new Set([
  'object',
  'role',
  'status',
  'finish_reason',
  'native_finish_reason',
  'stop_reason',
  'stopReason',
  'done_reason',
  'finishReason',
  'blockReason',
  'reason',
  'service_tier',
  'phase',
  'modality',
])

function noteWords(words: Map<string, Set<string>>, value: unknown, path: string, wire: string): void {
  if (Array.isArray(value)) {
    for (const entry of value) noteWords(words, entry, `${path}[]`, wire)
    return
  }
  if (typeof value !== 'object' || value === null) return
  const { open } = freedomOf(wire)
  for (const [name, member] of Object.entries(value)) {
    const at = `${path}.${name}`
    if (open.some((end) => at.endsWith(end))) continue
    if (typeof member === 'string' && enumerations.has(name)) words.set(at, (words.get(at) ?? new Set()).add(member))
    else noteWords(words, member, at, wire)
  }
}
