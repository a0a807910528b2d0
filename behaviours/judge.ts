import type { Behaviour } from './behaviour.ts'
import type { NamedTest } from './named-tests.ts'

/** One behaviour with what holds it. */
export interface Entry {
  readonly id: string
  readonly behaviour: string
  readonly tests: readonly Pick<NamedTest, 'file' | 'title'>[]
  /** Why there is no test. */
  readonly reason?: string | undefined
}

export interface Judgement {
  readonly entries: readonly Entry[]
  /** What is wrong, a line each. */
  readonly problems: readonly string[]
}

/** Every id needs a test that names it or a reason, not both, and every id that a test names has to be known. */
export function judge(catalogue: readonly Behaviour[], tests: readonly NamedTest[]): Judgement {
  const entries = catalogue.map((behaviour) => entryOf(behaviour, tests))
  const ids = catalogue.map(({ id }) => id)
  const known = new Set(ids)
  const twice = ids.filter((id, index) => ids.indexOf(id) < index)
  const strange = tests.flatMap(({ file, title, ids: named }) =>
    named
      .filter((id) => !known.has(id))
      .map((id) => `${id}: '${title}' in ${file} names an id that the catalogue does not have`),
  )
  const unheld = catalogue.flatMap((behaviour, index) => problemOf(behaviour, entries[index]?.tests ?? []))
  return { entries, problems: [...twice.map((id) => `${id}: stands twice in the catalogue`), ...unheld, ...strange] }
}

/** The tests of a selection: what else they name, and what others name, is nobody's business. */
export function testsOf(selection: readonly Behaviour[], tests: readonly NamedTest[]): readonly NamedTest[] {
  const chosen = new Set(selection.map(({ id }) => id))
  return tests.flatMap((test) => {
    const ids = test.ids.filter((id) => chosen.has(id))
    return ids.length === 0 ? [] : [{ ...test, ids }]
  })
}

function entryOf(behaviour: Behaviour, tests: readonly NamedTest[]): Entry {
  const { id } = behaviour
  const own = tests.filter(({ ids }) => ids.includes(id)).map(({ file, title }) => ({ file, title }))
  const reason = behaviour.type === 'listed' ? { reason: behaviour.reason } : {}
  return { id, behaviour: behaviour.behaviour, tests: own, ...reason }
}

function problemOf(behaviour: Behaviour, tests: Entry['tests']): readonly string[] {
  switch (behaviour.type) {
    case 'held':
      return tests.length > 0 ? [] : [`${behaviour.id}: no test names it`]
    case 'listed':
      return tests.length === 0 ? [] : [`${behaviour.id}: is listed with a reason, but '${tests[0]?.title}' tests it`]
    default:
      return behaviour satisfies never
  }
}
