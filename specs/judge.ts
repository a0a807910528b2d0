import type { DocumentKind, WireDocument } from './documents.ts'
import type { Family, Roots } from './families.ts'
import type { Sources } from './sources.ts'

/** A rule that documents break, with the first location. */
export interface Violation {
  /** Family, specification and rule: `groq · sdk/groq · Choice.finish_reason: 'x' is none of its words`. */
  readonly rule: string
  readonly count: number
  readonly location: string
}

/** The rules that a document breaks, in all specifications that speak of it. */
export function brokenBy(
  { family, kind, json }: Pick<WireDocument, 'family' | 'kind' | 'json'>,
  sources: Sources,
): readonly string[] {
  return family.specifications.flatMap((roots) => {
    const specification = sources.specifications.get(roots.specification)
    if (specification === undefined) return []
    return partsOf(roots, kind, json).flatMap(({ schema, part }) =>
      specification.broken(schema, part).map((rule) => `${family.name} · ${roots.specification} · ${rule}`),
    )
  })
}

/** A specification without events still describes the response that some of them carry. */
function partsOf(
  roots: Roots,
  kind: DocumentKind,
  json: WireDocument['json'],
): readonly { schema: string; part: unknown }[] {
  const schema = roots[kind]
  if (schema !== undefined) return [{ schema, part: json }]
  return json['response'] === undefined ? [] : [{ schema: roots.body, part: json['response'] }]
}

/** Whether any specification that lies here speaks of such documents. */
export function isDescribed(family: Family, kind: DocumentKind, { specifications }: Sources): boolean {
  return family.specifications.some((roots) => specifications.has(roots.specification) && roots[kind] !== undefined)
}

export function violationsOf(documents: readonly WireDocument[], sources: Sources): readonly Violation[] {
  const found = new Map<string, { count: number; location: string }>()
  for (const document of documents) {
    for (const rule of brokenBy(document, sources)) {
      const known = found.get(rule)
      if (known === undefined) found.set(rule, { count: 1, location: document.location })
      else known.count += 1
    }
  }
  return [...found]
    .map(([rule, facts]) => ({ rule, ...facts }))
    .toSorted((left, right) => (left.rule < right.rule ? -1 : 1))
}
