import { existsSync, readdirSync } from 'node:fs'
import { cassetteDocuments, type DocumentKind } from './documents.ts'
import { exempt, findMistakes, readExemptions, writeMistakes, type Exempted } from './exemptions.ts'
import { families } from './families.ts'
import { violationsOf } from './judge.ts'
import { probed, tryMade } from './made-instances.ts'
import { plantFaults, type PlantedReport } from './planted-faults.ts'
import { readSources, type RootNames } from './sources.ts'

export interface SpecsOptions {
  readonly cassettes: string
  /** Folder with specifications. */
  readonly specifications: string
  /** Folders with recorded traffic. */
  readonly traffic: readonly string[]
  readonly mistakesFile: string
  readonly exceptionsFile: string
  /** Looks for mistakes of specifications anew, and keeps them in `mistakesFile`. */
  readonly calibrates: boolean
  /** Called before each part of the work, of which some take many seconds. */
  readonly onPart?: ((part: string) => void) | undefined
}

export interface SpecsReport {
  readonly specifications: {
    readonly read: readonly string[]
    readonly missing: readonly string[]
    readonly unreadable: readonly string[]
  }
  readonly documents: Readonly<Record<DocumentKind, number>>
  readonly rules: Exempted
  readonly planted: PlantedReport
  readonly made: { readonly instances: number }
}

/** Share of planted faults that has to be noticed. */
const floor = 0.98

/** Holds everything that goes over the wire against the providers' specifications. */
export async function runSpecs(options: SpecsOptions): Promise<SpecsReport> {
  const { onPart } = options
  onPart?.('reading specifications and cassettes')
  const sources = await readSources(rootNames(), options.specifications)
  const documents = cassetteDocuments(options.cassettes)
  onPart?.(`checking ${documents.length} documents`)
  const broken = violationsOf(documents, sources)
  const rules = new Set(broken.map(({ rule }) => rule))
  const exemptions = await readExemptions(options.mistakesFile, options.exceptionsFile)
  if (options.calibrates) {
    onPart?.('looking through recorded traffic')
    const found = findMistakes(rules, sources, options.traffic)
    // What cannot be judged here stays.
    const kept = Object.entries(exemptions.mistakes).filter(([rule]) =>
      sources.unread.some((name) => rule.includes(` · ${name} `)),
    )
    await writeMistakes(options.mistakesFile, { ...Object.fromEntries(kept), ...found })
    return runSpecs({ ...options, calibrates: false })
  }
  onPart?.('planting faults')
  const planted = plantFaults(documents, sources, rules)
  onPart?.('reading instances that are made')
  const made = tryMade(sources, rules)
  onPart?.('looking for exemptions in recorded traffic')
  const violations = [...broken, ...planted.taken, ...made.faults]
  return {
    specifications: {
      read: [...sources.specifications.keys()],
      missing: sources.missing,
      unreadable: sources.unreadable,
    },
    documents: countsOf(documents),
    rules: exempt(violations, exemptions, { sources, folders: options.traffic }),
    planted,
    made: { instances: made.instances },
  }
}

function rootNames(): RootNames {
  const roots = families.flatMap(({ specifications }) =>
    specifications.map(({ specification, request, body, event }) => [specification, [request, body, event]] as const),
  )
  const wanted = new Map<string, Set<string>>()
  for (const [name, schemas] of [...roots, ...probed]) {
    const known = wanted.get(name) ?? new Set()
    wanted.set(name, known)
    for (const schema of schemas) if (schema !== undefined) known.add(schema)
  }
  return wanted
}

function countsOf(documents: readonly { readonly kind: DocumentKind }[]): Readonly<Record<DocumentKind, number>> {
  const counts = { request: 0, body: 0, event: 0 }
  for (const { kind } of documents) counts[kind] += 1
  return counts
}

/** What is wrong, a line each; empty: everything is as it should be. */
export function problemsOf({ specifications, rules, planted }: SpecsReport): readonly string[] {
  const shares = Object.entries(planted.sorts).filter(([, { planted: all, noticed }]) => noticed < all * floor)
  return [
    ...specifications.unreadable.map((what) => `unreadable specification: ${what}`),
    ...rules.unexplained.map(({ rule, count, location }) => `broken ${count} times: ${rule}\n    first in ${location}`),
    ...rules.stale,
    ...shares.map(
      ([sort, { planted: all, noticed }]) =>
        `blind: of ${all} faults of the sort '${sort}' only ${noticed} were noticed`,
    ),
  ]
}

/** Folders with recorded traffic beside the repository. */
export function trafficBeside(folder: string): readonly string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((name) => name.startsWith('real-traffic'))
    .map((name) => `${folder}/${name}`)
}
