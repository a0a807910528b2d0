/**
 * The last part of building a published package, in its folder: modules and declarations in `dist/`, from its sources and from the
 * declarations that the compiler wrote into `.types/`. Each entry has a declaration, and a module of its own or together with others: its
 * manifest says so. What two modules share is a file of its own, so that they have it in common.
 */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { rolldown, type CodeSplittingGroup, type OutputOptions, type Plugin, type RolldownOptions } from 'rolldown'
import { dts } from 'rolldown-plugin-dts'
import { minify } from './minify.ts'

interface Manifest {
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>
}

const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest
/** Sources of entries by the module that they become. */
const modules = new Map<string, string[]>()
const declarations: Record<string, string> = {}
for (const target of Object.values(manifest.exports)) {
  if (typeof target === 'string') continue
  const name = /^\.\/src\/(.*)\.ts$/.exec(target['@steploop/source'] ?? '')?.[1]
  const file = /^\.\/dist\/(.*)\.js$/.exec(target['default'] ?? '')?.[1]
  if (name === undefined || file === undefined) throw new Error(`An entry has no source: ${JSON.stringify(target)}`)
  modules.set(file, [...(modules.get(file) ?? []), resolve(`src/${name}.ts`)])
  declarations[name] = `./.types/${name}.d.ts`
}

/** What is alike stands together: with HTTP first, which is the later entry of core, a program is 0.4 kB smaller, compressed. */
const entries: Plugin = {
  name: 'entries',
  resolveId: (id) => (modules.has(id) ? id : null),
  load: (id) =>
    modules
      .get(id)
      ?.toReversed()
      .map((source) => `export * from ${JSON.stringify(source)}`)
      .join('\n'),
}
const groups: CodeSplittingGroup[] = [{ name: 'shared', minShareCount: 2 }]
for (const [name, { length }] of modules) {
  if (length === 1) continue
  // All that it loads is in it: two files more cost a cold start a sixth.
  const whole = await modulesOf(name)
  groups.push({ name, priority: 1, test: (id) => whole.has(id) })
}
await write(
  {
    input: Object.fromEntries([...modules.keys()].map((name) => [name, name])),
    plugins: [entries],
    preserveEntrySignatures: 'allow-extension',
  },
  // Names of one letter would meet those of who exports all of a module and more (`export *`).
  { comments: false, minify, minifyInternalExports: false, chunkFileNames: '[name].js' },
)
// Nothing is generated from sources: the declarations are there, and the generator that needs least stays idle.
const types = dts({ dtsInput: true, generator: 'oxc' })
await write({ input: declarations, plugins: [types] }, { chunkFileNames: '[name].d.ts' })

function external(id: string): boolean {
  return !/^[./]/.test(id) && !modules.has(id)
}

async function modulesOf(name: string): Promise<ReadonlySet<string>> {
  await using bundle = await rolldown({ input: name, external, platform: 'neutral', plugins: [entries] })
  const { output } = await bundle.generate()
  return new Set(output[0].moduleIds)
}

async function write(options: RolldownOptions, output: OutputOptions): Promise<void> {
  await using bundle = await rolldown({ external, platform: 'neutral', ...options })
  await bundle.write({ dir: 'dist', codeSplitting: { groups }, ...output })
}
