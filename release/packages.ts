import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'

const ranges = z.record(z.string(), z.string()).default({})
const manifestSchema = z.looseObject({
  name: z.string(),
  version: z.string().default('0.0.0'),
  private: z.boolean().default(false),
  dependencies: ranges,
  peerDependencies: ranges,
  repository: z.union([z.string(), z.looseObject({ url: z.string() })]).optional(),
})

export interface PublicPackage extends z.infer<typeof manifestSchema> {
  /** From the root of the repository. */
  readonly folder: string
}

/** The packages of a checkout that are published, each behind those of ours that it names in a range. */
export function publicPackages(root: string): readonly PublicPackage[] {
  const paths = globSync(
    ['packages/*/package.json', 'packages/adapters/*/package.json', '{conformance,lab}/package.json'],
    {
      cwd: root,
    },
  )
  const found = paths.toSorted().map((path) => ({
    ...manifestSchema.parse(JSON.parse(readFileSync(join(root, path), 'utf8'))),
    folder: path.slice(0, -'/package.json'.length),
  }))
  return inOrder(found.filter((manifest) => !manifest.private))
}

/** @throws Error when some depend on each other in a circle */
function inOrder(packages: readonly PublicPackage[]): readonly PublicPackage[] {
  const left = [...packages]
  const ordered: PublicPackage[] = []
  while (left.length > 0) {
    const names = new Set(left.map(({ name }) => name))
    const next = left.findIndex(({ dependencies, peerDependencies }) =>
      [...Object.keys(dependencies), ...Object.keys(peerDependencies)].every((name) => !names.has(name)),
    )
    const [ready] = next < 0 ? [] : left.splice(next, 1)
    if (ready === undefined) throw new Error(`These depend on each other: ${[...names].join(', ')}.`)
    ordered.push(ready)
  }
  return ordered
}
