import { wireKits } from '../wires/index.ts'

/** The scenario with which each group begins, in the order of the suite's list: a new one falls into the group that it stands in. */
const beginnings: Readonly<Record<string, string>> = {
  'text-only': 'plain turns',
  'single-call': 'tool calls',
  'client-tool': 'ownership',
  'max-steps-finalize': 'limits',
  structured: 'structured output',
  'reasoning-text': 'reasoning',
  continuation: 'state and switching',
  'bad-key': 'errors',
  'abort-before': 'aborts',
  'image-input': 'content',
}

/** Each format's are in its kit. */
const quirks = new Set(wireKits.flatMap((kit) => (kit.quirks ?? []).map(({ id }) => id)))

/** The group of each scenario by id; `ids`: all scenarios in their order. What stands before the first beginning has none. */
export function scenarioGroups(ids: readonly string[]): ReadonlyMap<string, string> {
  const groups = new Map<string, string>()
  let group: string | undefined
  for (const id of ids) {
    group = quirks.has(id) ? 'quirks' : (beginnings[id] ?? group)
    if (group !== undefined) groups.set(id, group)
  }
  return groups
}
