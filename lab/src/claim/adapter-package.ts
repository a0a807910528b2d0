import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { HarnessError, type Subject } from '@steploop/conformance'

/** The package in which an adapter is published. */
export interface AdapterPackage {
  readonly name: string
  readonly version: string
}

const manifestSchema = z.object({ name: z.string().min(1), version: z.string().min(1) })

/**
 * From the nearest `package.json` with a name and a version, upward of the subject's `package` or, without one, of the config's folder.
 *
 * @throws HarnessError `config` when there is none
 */
export function adapterPackage(subject: Pick<Subject, 'name' | 'package'>, configFolder: string): AdapterPackage {
  const start = resolve(configFolder, pathOf(subject.package) ?? '.')
  for (let folder = start; ; folder = dirname(folder)) {
    const found = manifestIn(folder)
    if (found !== undefined) return found
    if (folder === dirname(folder)) break
  }
  throw new HarnessError(
    'config',
    `No package.json with a name and a version in ${start} or above, so a claim cannot say which adapter '${subject.name}' is. Give it both, or name the adapter's folder in the subject's \`package\`.`,
  )
}

function pathOf(given: string | URL | undefined): string | undefined {
  const isUrl = given instanceof URL || given?.startsWith('file:') === true
  return isUrl ? fileURLToPath(given) : given
}

function manifestIn(folder: string): AdapterPackage | undefined {
  const file = join(folder, 'package.json')
  if (!existsSync(file)) return undefined
  try {
    return manifestSchema.safeParse(JSON.parse(readFileSync(file, 'utf8'))).data
  } catch (cause) {
    throw new HarnessError('config', `${file} is no JSON: ${String(cause)}. Fix it.`, { file, cause })
  }
}
