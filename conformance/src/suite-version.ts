import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

/** Version of this package, from its manifest. */
export const suiteVersion: string = readVersion(new URL('../package.json', import.meta.url))

/** Version of the core that drives the loop: the copy that this package finds. */
export const coreVersion: string = readVersion(createRequire(import.meta.url).resolve('@steploop/core/package.json'))

function readVersion(manifest: string | URL): string {
  const text = readFileSync(manifest, 'utf8')
  // The manifest of a package of ours.
  return String((JSON.parse(text) as { readonly version?: unknown }).version)
}
