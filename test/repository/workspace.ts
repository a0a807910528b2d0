import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { z } from 'zod'
import { findFiles, repository } from './source-files.ts'

const Names = z.record(z.string(), z.string()).default({})

const Manifest = z.object({
  name: z.string(),
  private: z.boolean().default(false),
  dependencies: Names,
  peerDependencies: Names,
  devDependencies: Names,
})

export interface WorkspacePackage extends z.infer<typeof Manifest> {
  /** From the repository's root: `packages/adapters/openai`. */
  readonly folder: string
}

/** The packages that pnpm-workspace.yaml names. */
export function readWorkspace(): WorkspacePackage[] {
  const yaml = readFileSync(resolve(repository, 'pnpm-workspace.yaml'), 'utf8')
  const list = /^packages:\n((?: {2}- .*\n)+)/m.exec(yaml)?.[1] ?? ''
  const patterns = list.split(/\s*- |\s+$/).filter((pattern) => pattern !== '')
  return patterns.flatMap((pattern) => findFiles(`${pattern}/package.json`)).map(readPackage)
}

/** One manifest, by its path from the repository's root. */
export function readPackage(path: string): WorkspacePackage {
  const manifest = Manifest.parse(JSON.parse(readFileSync(resolve(repository, path), 'utf8')))
  return { folder: path.replace('/package.json', ''), ...manifest }
}

/** The package's own name in an import: `@steploop/cassette` of `@steploop/cassette/fetch`. */
export function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}
