import type { Cassette, Exchange } from '../cassette.ts'
import { CassetteError } from '../errors.ts'
import { type ComparableBody, comparableBody } from '../rules/comparable-body.ts'
import { redacted, storedRequestHeaders, storedUrl } from '../rules/stored-headers.ts'
import { absent, type Difference, printDifferences, structuralDiff } from './structural-diff.ts'

/** A request as it reached a front-end. */
export interface IncomingRequest {
  readonly method: string
  /** Absolute, with the public host. */
  readonly url: string
  readonly headers: Iterable<readonly [name: string, value: string]>
  readonly body: Uint8Array
}

export interface MatchOptions {
  /** Fields of JSON bodies that differ from run to run, as dotted paths with `*`; besides those that the cassette declares. Default: none. */
  readonly mask?: readonly string[] | undefined
  /** Names of request headers to compare besides the allow-list and those that the cassette holds. Default: none. */
  readonly headers?: readonly string[] | undefined
  /** True: nothing is compared, requests are answered in file order; for judging what is sent elsewhere. Default false. */
  readonly inOrder?: boolean | undefined
}

export interface ReplayOptions {
  readonly match?: MatchOptions | undefined
  /** `instant` (default): no waiting between chunks. `recorded`: as long as it took. A number: so many times faster than recorded. */
  readonly timing?: 'instant' | 'recorded' | number | undefined
  /** Waits; given by tests. Default: a timer. */
  readonly sleep?: ((ms: number) => Promise<void>) | undefined
  /** Named in messages. Default: the path when one was given. */
  readonly fileName?: string | undefined
}

/** One replay of one cassette: which exchanges are still to come. */
export interface Replay {
  readonly cassette: Cassette
  /**
   * The first unconsumed exchange that fits the request, which is thereby consumed.
   *
   * @throws {CassetteError} `no-match`, with what differs from the nearest exchange.
   */
  readonly take: (request: IncomingRequest) => Exchange
  /** Exchanges that no request has asked for, in file order. */
  readonly unconsumed: () => readonly Exchange[]
  /** Every miss so far: a client may have swallowed what `take` threw. */
  readonly misses: () => readonly CassetteError[]
  /**
   * Call it when the program is done.
   *
   * @throws {CassetteError} the first miss, or `unconsumed` when exchanges are left.
   */
  readonly assertConsumed: () => void
  /** Takes down a request that a front-end refused for another reason, so that `assertConsumed` throws it. */
  readonly refuse: (error: CassetteError) => CassetteError
}

interface Comparable {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: ComparableBody
}

interface Slot {
  readonly number: number
  readonly exchange: Exchange
  readonly request: Comparable
  readonly recorded: RecordedBody
  consumed: boolean
}

/**
 * Starts a replay. Matching is strict: method, URL, allow-listed headers and canonical body; ties go in file order; no exchange answers twice.
 *
 * @throws {CassetteError} `schema` for a timing that is neither a word nor a number above 0.
 */
export function createReplay(cassette: Cassette, options: ReplayOptions = {}): Replay {
  checkTiming(options.timing)
  const mask = [...(cassette.header.mask ?? []), ...(options.match?.mask ?? [])]
  const slots = cassette.exchanges.map((exchange, index): Slot => {
    const { method, url, headers } = exchange.request
    const recorded = recordedBody(exchange, mask)
    const request = { method, url: storedUrl(url), headers, body: recorded.body }
    return { number: index + 1, exchange, request, recorded, consumed: false }
  })
  const recordedNames = cassette.exchanges.flatMap(({ request }) => Object.keys(request.headers))
  const names = [...new Set([...recordedNames, ...(options.match?.headers ?? [])])]
  const inOrder = options.match?.inOrder === true
  // Other recorders keep few headers: of those that are not there nothing is known.
  const isPartial = cassette.header.origin.kind === 'imported'
  const known = new Set(names.map((name) => name.toLowerCase()))
  const headersOf = (given: IncomingRequest['headers']): Readonly<Record<string, string>> => {
    const headers = storedRequestHeaders(given, names)
    return isPartial ? only(known, headers) : headers
  }
  const misses: CassetteError[] = []
  const refuse = (error: CassetteError): CassetteError => {
    misses.push(error)
    return error
  }
  const unconsumed = (): readonly Slot[] => slots.filter((slot) => !slot.consumed)
  return {
    cassette,
    take: (incoming) => {
      const same = slots.find(({ recorded }) => isSame(recorded.fitting, incoming.body))
      const request: Comparable = {
        method: incoming.method.toUpperCase(),
        url: storedUrl(incoming.url),
        headers: headersOf(incoming.headers),
        body: same?.request.body ?? comparableBody(incoming.body, mask),
      }
      const slot = slots.find((candidate) => !candidate.consumed && (inOrder || fits(candidate.request, request)))
      if (slot === undefined) throw refuse(miss(request, slots, options.fileName))
      slot.consumed = true
      if (same === undefined && !inOrder) slot.recorded.fitting = incoming.body.slice()
      return slot.exchange
    },
    unconsumed: () => unconsumed().map((slot) => slot.exchange),
    misses: () => [...misses],
    assertConsumed: () => {
      const [first] = misses
      if (first !== undefined) throw first
      const left = unconsumed()
      if (left.length > 0) throw leftOver(left, slots.length, options.fileName)
    },
    refuse,
  }
}

function only(names: ReadonlySet<string>, headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => names.has(name)))
}

interface RecordedBody {
  readonly mask: string
  readonly body: ComparableBody
  /** The bytes of the last request that had this body: most that follow are equal to them, and need not be parsed. */
  fitting?: Uint8Array
}

/** Parsed bodies of a cassette that is replayed again and again, as in a suite: most bodies are long, and none changes. */
const recordedBodies = new WeakMap<Exchange, RecordedBody>()

function recordedBody(exchange: Exchange, mask: readonly string[]): RecordedBody {
  const key = mask.join(' ')
  const known = recordedBodies.get(exchange)
  if (known?.mask === key) return known
  const recorded: RecordedBody = { mask: key, body: comparableBody(exchange.request.body, mask) }
  recordedBodies.set(exchange, recorded)
  return recorded
}

function isSame(known: Uint8Array | undefined, bytes: Uint8Array): boolean {
  return known?.length === bytes.length && known.every((byte, index) => byte === bytes[index])
}

function checkTiming(timing: ReplayOptions['timing']): void {
  if (typeof timing !== 'number' || timing > 0) return
  const what = `The timing ${timing} is no speed.`
  throw new CassetteError('schema', {
    what,
    fix: 'Give "instant", "recorded", or a number above 0: 2 is twice as fast as recorded.',
  })
}

function fits(expected: Comparable, got: Comparable): boolean {
  return (
    expected.method === got.method &&
    expected.url === got.url &&
    expected.body.text === got.body.text &&
    structuralDiff(expected.headers, got.headers, 'headers').length === 0
  )
}

function differences(expected: Comparable, got: Comparable): Difference[] {
  const sameBody = expected.body.text === got.body.text
  const bodies =
    expected.body.json === undefined || got.body.json === undefined
      ? [{ path: 'body', expected: bodyValue(expected.body), got: bodyValue(got.body) }]
      : structuralDiff(expected.body.json, got.body.json, 'body')
  return [
    ...structuralDiff(expected.method, got.method, 'method'),
    ...structuralDiff(expected.url, got.url, 'url'),
    ...structuralDiff(expected.headers, got.headers, 'headers'),
    ...(sameBody ? [] : bodies),
  ]
}

const bodyValue = (body: ComparableBody): unknown => {
  if (body.json !== undefined) return body.json
  return body.text === '' ? absent : body.text
}

function miss(got: Comparable, slots: readonly Slot[], file: string | undefined): CassetteError {
  const request = `${got.method} ${got.url.replace(/\/\/[^/?#]*@/, `//${redacted}@`)}`
  const candidates = slots
    .filter((slot) => !slot.consumed)
    .map((slot) => ({ slot, differences: differences(slot.request, got) }))
    .toSorted((left, right) => weight(left.differences) - weight(right.differences))
  const [nearest] = candidates
  const fix =
    'Record the cassette anew, or rebase it if the request changed on purpose; a field that differs from run to run belongs in match.mask.'
  if (nearest === undefined) {
    const again = slots.find((slot) => fits(slot.request, got))
    const why = again === undefined ? '' : ` It repeats exchange ${again.number}, and an exchange answers once.`
    const what = `${request} was asked, but all ${slots.length} exchanges are consumed.${why}${held(slots)}`
    return new CassetteError('no-match', { file, what, fix })
  }
  const location = `exchange ${nearest.slot.number} of ${slots.length}`
  const elsewhere = weight(nearest.differences) >= otherRequest ? held(slots) : '\n'
  const what = `${request} fits no unconsumed exchange. The nearest is ${location}:\n${printDifferences(nearest.differences)}${elsewhere}`
  return new CassetteError('no-match', { file, location, what, fix })
}

const shownExchanges = 12

/** What the cassette holds, as lines. */
function held(slots: readonly Slot[]): string {
  if (slots.length === 0) return ' The cassette holds none.'
  const lines = slots.slice(0, shownExchanges).map(({ number, request, consumed }) => {
    return `  exchange ${number}: ${request.method} ${request.url}${consumed ? ' (consumed)' : ''}`
  })
  const left = slots.length - lines.length
  return `\nThe cassette holds:\n${lines.join('\n')}${left > 0 ? `\n  and ${left} more` : ''}\n`
}

/** A wrong method or URL is further away than any body: it is another request, not a changed one. */
const otherRequest = 1000

function weight(found: readonly Difference[]): number {
  return found.reduce((sum, { path }) => sum + (path === 'method' || path === 'url' ? otherRequest : 1), 0)
}

function leftOver(left: readonly Slot[], total: number, file: string | undefined): CassetteError {
  const list = left.map(({ number, request }) => `  exchange ${number}: ${request.method} ${request.url}`).join('\n')
  return new CassetteError('unconsumed', {
    file,
    location: `exchange ${left.map(({ number }) => number).join(', ')} of ${total}`,
    what: `${left.length} of ${total} exchanges were never asked for:\n${list}\n`,
    fix: 'The program stopped early, or the cassette holds too much: fix the program or record anew.',
  })
}
