import { readFileSync } from 'node:fs'

/** Version of this package, from its manifest. */
export const suiteVersion: string = readVersion()

function readVersion(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8')
  // The manifest of this very package.
  return String((JSON.parse(text) as { readonly version?: unknown }).version)
}
