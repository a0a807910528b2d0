import { join } from 'node:path'
import { build, type OutputChunk, type BuildOptions } from 'rolldown'

const here = import.meta.dirname

export interface Bundles {
  /** For runtimes with a command line: takes the task as JSON, prints the answer; imports the packages from node_modules. */
  readonly processEntry: string
  /** For workerd and browsers: one module that imports nothing and exports `drive`. */
  readonly module: string
}

/**
 * Writes both drivers to `dist/`, from the packages as they are built: run `pnpm build` first.
 * Throws when a package is taken from its sources, or when something is left to import that only Node has.
 */
export async function bundleDrivers(): Promise<Bundles> {
  const processEntry = join(here, 'dist/process-entry.js')
  const module = join(here, 'dist/drive.js')
  const packages = /^(?!@steploop\/conformance$)[@\w]/
  await bundle({ input: join(here, 'process-entry.ts'), external: packages, output: { file: processEntry } })
  const { imports, moduleIds } = await bundle({
    input: join(here, 'drive.ts'),
    platform: 'browser',
    output: { file: module },
  })
  if (imports.length > 0) throw new Error(`The bundle imports ${imports.join(', ')}: no browser has that.`)
  const sources = moduleIds.filter((id) => /packages\/.*\/src\//.test(id))
  if (sources.length > 0) throw new Error(`The bundle takes sources, not what is published: ${sources.join(', ')}`)
  return { processEntry, module }
}

async function bundle(options: BuildOptions): Promise<OutputChunk> {
  const { output } = await build({
    logLevel: 'warn',
    // The suite itself needs Node; steploop.config.ts takes one function from it.
    resolve: { alias: { '@steploop/conformance': join(here, 'define-subject.ts') } },
    // Only steploop.config.ts uses it, for cassettes that are not read here; workerd has none.
    transform: { define: { 'import.meta.url': '"file:///steploop.config.ts"' } },
    ...options,
  })
  return output[0]
}
