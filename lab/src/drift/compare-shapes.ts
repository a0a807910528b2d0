import type { Cassette } from '@steploop/cassette'
import { typesBeyond, type TypeDifference } from '@steploop/conformance/cli'
import { finding, type DriftFinding } from './drift-report.ts'
import { wireShape, type WireShape } from './wire-shape.ts'

export interface CompareOptions {
  /** Only what the actual side has beyond the known one: what it lacks is no finding. Default false. */
  readonly onlyBeyond?: boolean | undefined
}

/** The differences between what the responses of two lists of cassettes consist of. */
export function compareCassettes(
  known: readonly Cassette[],
  fresh: readonly Cassette[],
  wire: string,
): readonly DriftFinding[] {
  const shapeOf = (cassettes: readonly Cassette[]) =>
    wireShape(
      cassettes.flatMap(({ exchanges }) => exchanges.map(({ response }) => response)),
      wire,
    )
  return compareShapes(shapeOf(known), shapeOf(fresh))
}

/** What changed from the known shape to the actual one, worst first. */
export function compareShapes(
  known: WireShape,
  actual: WireShape,
  options: CompareOptions = {},
): readonly DriftFinding[] {
  const found = [
    ...typesBeyond(actual.types, known.types).map((difference) => beyond(difference)),
    ...newWords(known, actual),
    ...newEvents(known, actual),
    ...newOrders(known, actual),
    ...newFraming(known, actual),
    ...(options.onlyBeyond === true ? [] : missing(known, actual)),
  ]
  const rank = { error: 0, warning: 1, info: 2 } as const
  return found.toSorted((one, other) => rank[one.grade] - rank[other.grade])
}

function beyond({ path, type, known }: TypeDifference): DriftFinding {
  if (known.length > 0) {
    const [only, ...others] = known
    const isNullable = type === 'null' || (only === 'null' && others.length === 0)
    const message = `\`${path}\` is ${type}, it was ${known.join(' or ')}`
    return finding(isNullable ? 'nullable-field' : 'retyped-field', path, message)
  }
  if (/^stream<[^>]*>$/.test(path)) return finding('new-event', path, `the event \`${path.slice(7, -1)}\` is new`)
  if (path.endsWith('>')) return finding('new-kind', path, `objects of this type are new: \`${path}\``)
  return finding('new-field', path, `\`${path}\` is new, ${type}`)
}

function missing(known: WireShape, actual: WireShape): readonly DriftFinding[] {
  const gone = typesBeyond(known.types, actual.types).filter(({ known: left }) => left.length === 0)
  const fields = [...new Set(gone.map(({ path }) => path))].flatMap((path) => {
    // Said as an event that is missing.
    if (/^stream<[^>]*>$/.test(path)) return []
    return [finding('missing-field', path, `\`${path}\` is missing`)]
  })
  const events = [...known.events].filter((event) => !actual.events.has(event))
  return [...fields, ...events.map((event) => finding('missing-event', event, `the event \`${event}\` is missing`))]
}

function newWords(known: WireShape, actual: WireShape): readonly DriftFinding[] {
  return [...actual.words].flatMap(([path, words]) => {
    const before = known.words.get(path)
    // A member that is new, or was null, has been said already.
    if (before === undefined) return []
    const news = [...words].filter((word) => !before.has(word))
    return news.map((word) => finding('new-value', path, `\`${path}\` has a new value, \`${word}\``))
  })
}

/** Events that have a `type` are told by their paths already. */
function newEvents(known: WireShape, actual: WireShape): readonly DriftFinding[] {
  const news = [...actual.events].filter((event) => !known.events.has(event))
  const unreported = news.filter((event) => !actual.types.has(`stream<${event}>`))
  return unreported.map((event) => finding('new-event', event, `the event \`${event}\` is new`))
}

/** Neighbours that were never seen together. Kinds of events that only one side has are said elsewhere, and left out here. */
function newOrders(known: WireShape, actual: WireShape): readonly DriftFinding[] {
  const shared = new Set([...actual.events].filter((event) => known.events.has(event)))
  const before = pairsOf(known, shared)
  const news = [...pairsOf(actual, shared)].filter((pair) => !before.has(pair))
  return news.map((pair) => finding('order', pair, `\`${pair}\` is a new order of events`))
}

function pairsOf({ orders }: WireShape, shared: ReadonlySet<string>): ReadonlySet<string> {
  const pairs = new Set<string>()
  for (const { events, isWhole } of orders) {
    const kept = events.filter((event) => shared.has(event))
    const path = ['start', ...kept.filter((event, index) => event !== kept[index - 1]), ...(isWhole ? ['end'] : [])]
    for (const [index, event] of path.entries()) if (index > 0) pairs.add(`${path[index - 1]} → ${event}`)
  }
  return pairs
}

function newFraming(known: WireShape, actual: WireShape): readonly DriftFinding[] {
  if (known.framing.size === 0) return []
  const news = [...actual.framing].filter((fact) => !known.framing.has(fact))
  return news.map((fact) => finding('framing', fact, `streams are framed in another way: ${fact}`))
}
