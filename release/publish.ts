import { runProgram } from '../test/registry/run-program.ts'
import type { PackedPackage } from './pack.ts'

export interface PublishOptions {
  /** Ends in `/`. */
  readonly registry: string
  /** Has npm prove where the tarball was built (https://docs.npmjs.com/generating-provenance-statements): in CI with OpenID Connect only. */
  readonly provenance: boolean
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
}

export interface Published {
  readonly published: readonly string[]
  /** Were there already: a release that broke off is gone on with. */
  readonly skipped: readonly string[]
}

/** Publishes one after the other; a package comes after those that it asks for, so that half a release is never installed. */
export async function publishPackages(packed: readonly PackedPackage[], options: PublishOptions): Promise<Published> {
  const missing = options.provenance ? withoutRepository(packed) : []
  if (missing.length > 0) {
    const fix = 'npm proves provenance only for a package that names its `repository`: add it to the manifests.'
    throw new Error(`No repository: ${missing.join(', ')}. ${fix}`)
  }
  const published: string[] = []
  const skipped: string[] = []
  for (const { manifest, tarball } of packed) {
    const label = `${manifest.name}@${manifest.version}`
    if (await isPublished(manifest, options.registry)) {
      skipped.push(label)
      continue
    }
    const words = ['publish', tarball, '--access', 'public', '--registry', options.registry]
    await runProgram('npm', options.provenance ? [...words, '--provenance'] : words, { cwd: '.', env: options.env })
    published.push(label)
  }
  return { published, skipped }
}

function withoutRepository(packed: readonly PackedPackage[]): readonly string[] {
  return packed.filter(({ manifest }) => manifest.repository === undefined).map(({ manifest }) => manifest.name)
}

/** @throws Error when the registry gives no answer to the question */
async function isPublished({ name, version }: PackedPackage['manifest'], registry: string): Promise<boolean> {
  const response = await fetch(`${registry}${name.replace('/', '%2f')}/${version}`)
  await response.body?.cancel()
  if (response.ok) return true
  if (response.status === 404) return false
  throw new Error(`${registry} answers ${response.status} to the question for ${name}@${version}. Try again later.`)
}
