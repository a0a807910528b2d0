import { existsSync } from 'node:fs'
import { dirname, join, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { HarnessError, type Subject } from '@steploop/conformance'
import { onePerWire } from '@steploop/conformance/cli'
import type { LoadedConfig } from '../config/load-config.ts'

/** A package whose source is mutated. */
export interface PackageToMutate {
  /** Name of the first subject that is published in it, or `core`. Ids of its mutants begin with it. */
  readonly name: string
  /** Absolute path. */
  readonly folder: string
  /** Names of the subjects that judge it, the first of them stressed too. */
  readonly subjects: readonly [string, ...string[]]
  /** File of core's: the one that runs the suite's tests of any loop for it. */
  readonly loopTests?: string | undefined
}

const core = 'core'

/**
 * The packages of the config's subjects, each judged by those that are published in it, and core, where its source is at hand, judged
 * by one subject per wire format.
 *
 * @param only names of packages, or beginnings of ids; none: all
 * @throws HarnessError `usage` for one that names none
 */
export function packagesToMutate(
  { subjects, root }: LoadedConfig,
  only: readonly string[],
): readonly PackageToMutate[] {
  const byFolder = new Map<string, PackageToMutate>()
  for (const subject of subjects) {
    const folder = folderOf(subject, root)
    const known = byFolder.get(folder)
    const names = [...(known?.subjects ?? []), subject.name] as [string, ...string[]]
    byFolder.set(folder, { name: known?.name ?? subject.name, folder, subjects: names })
  }
  const all = [...byFolder.values(), ...corePackage(subjects)]
  const unknown = only.find((name) => !all.some((one) => isOf(one, name)))
  if (unknown !== undefined) {
    const known = all.map(({ name }) => name).join(', ')
    throw new HarnessError('usage', `There is no package '${unknown}' to mutate. There are: ${known}.`)
  }
  return all.filter((one) => only.length === 0 || only.some((name) => isOf(one, name)))
}

function isOf({ name }: PackageToMutate, asked: string): boolean {
  return asked === name || asked.startsWith(`${name}/`)
}

function folderOf({ package: folder = '.' }: Subject, root: string): string {
  return resolve(folder instanceof URL ? fileURLToPath(folder) : join(root, folder))
}

/** What is installed is not ours to test. */
function corePackage(subjects: readonly Subject[]): readonly PackageToMutate[] {
  const entry = fileURLToPath(import.meta.resolve('@steploop/core'))
  const [first, ...others] = onePerWire(subjects).map(({ name }) => name)
  if (entry.split(sep).includes('node_modules') || first === undefined) return []
  let folder = dirname(entry)
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder)
  const loopTests = fileURLToPath(new URL('../test/step-loop.test.ts', import.meta.resolve('@steploop/conformance')))
  return [{ name: core, folder, subjects: [first, ...others], ...(existsSync(loopTests) && { loopTests }) }]
}
