import { arrayOf, objectOf, textOf } from '@steploop/core/adapter'
import { simulatedWire } from '@steploop/conformance/simulator'
import type { WireDocument } from './documents.ts'
import { brokenBy, isDescribed, type Violation } from './judge.ts'
import { plant, type FaultSort, type Planted } from './plant-fault.ts'
import type { Sources } from './sources.ts'

export interface PlantedReport {
  readonly sorts: Readonly<Record<FaultSort, { readonly planted: number; readonly noticed: number }>>
  /** Faults that no specification noticed, each once: family, document, sort and field. */
  readonly missed: readonly string[]
  /** Requests with a fault that a specification noticed, and how many of them the simulator refused. */
  readonly simulator: { readonly requests: number; readonly refused: number }
  /** Faults that the simulator takes although a specification does not. */
  readonly taken: readonly Violation[]
}

const sorts: readonly FaultSort[] = ['unknown field', 'wrong type', 'missing field']
/** Documents of each family and kind, and faults of each sort in each of them. */
const documentsEach = 30
const faultsEach = 3

/**
 * Puts small faults into documents and counts who notices: the specifications all of them, and the simulator those in requests that a
 * specification noticed. The faults are the same in every run.
 *
 * @param exempted rules that count for nothing
 */
export function plantFaults(
  documents: readonly WireDocument[],
  sources: Sources,
  exempted: ReadonlySet<string>,
): PlantedReport {
  const counts = { 'unknown field': zero(), 'wrong type': zero(), 'missing field': zero() }
  const missed = new Set<string>()
  const taken = new Map<string, Violation>()
  const simulator = { requests: 0, refused: 0 }
  for (const [document, fault] of faultsIn(documents, sources)) {
    const { family, kind } = document
    const known = new Set(brokenBy(document, sources))
    const fresh = brokenBy({ family, kind, json: fault.json }, sources).filter(
      (rule) => !known.has(rule) && !exempted.has(rule),
    )
    const isNoticed = fresh.length > 0
    const count = counts[fault.sort]
    count.planted += 1
    if (isNoticed) count.noticed += 1
    const label = `${family.name} · ${kind} · ${fault.sort} · ${fault.path.replaceAll(/\b\d+\b/g, '*')}`
    if (!isNoticed) missed.add(label)
    if (!isNoticed || kind !== 'request' || isHosted(document, fault.path) || refuses(document, document.json)) continue
    simulator.requests += 1
    if (refuses(document, fault.json)) simulator.refused += 1
    else taken.set(label, { rule: `simulator takes · ${label}`, count: 1, location: document.location })
  }
  return { sorts: counts, missed: [...missed].toSorted(), simulator, taken: [...taken.values()] }
}

function zero(): { planted: number; noticed: number } {
  return { planted: 0, noticed: 0 }
}

function* faultsIn(documents: readonly WireDocument[], sources: Sources): Generator<readonly [WireDocument, Planted]> {
  const groups = Map.groupBy(documents, ({ family, kind }) => `${family.name} ${kind}`)
  const pick = createPick()
  for (const group of groups.values()) {
    const [first] = group
    if (first === undefined || !isDescribed(first.family, first.kind, sources)) continue
    const step = Math.max(1, Math.floor(group.length / documentsEach))
    const chosen = group.filter((_, index) => index % step === 0)
    const due = chosen.flatMap((document) => sorts.map((sort) => ({ document, sort })))
    for (const { document, sort } of due.flatMap((one) => Array<typeof one>(faultsEach).fill(one))) {
      const fault = plant(document, sort, pick)
      if (fault !== undefined) yield [document, fault]
    }
  }
}

/** Numbers that look random and are the same in every run. */
function createPick(): (count: number) => number {
  let state = 20_261_122
  return (count) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * count)
  }
}

/** Members of the items and tools that are not the provider's own business to run. */
const plainTypes = new Set([
  undefined,
  'message',
  'reasoning',
  'function',
  'function_call',
  'function_call_output',
  'custom',
  'custom_tool_call',
  'custom_tool_call_output',
])

/** Items of hosted tools come back as they were given, and their declarations are the provider's: the simulator does not look inside. */
function isHosted({ json }: WireDocument, path: string): boolean {
  const [list = '', index = ''] = path.split('.')
  if (list !== 'input' && list !== 'tools') return false
  return !plainTypes.has(textOf(objectOf(arrayOf(json[list])[Number(index)])['type']))
}

function refuses({ family, url }: WireDocument, json: unknown): boolean {
  const simulation = simulatedWire(family.wire, url)
  const { pathname, search } = new URL(url)
  return simulation.check(json, undefined, simulation.readPath?.(pathname + search) ?? {}) !== undefined
}
