import { execFileSync } from 'node:child_process'
import { parseArgs } from 'node:util'
import { repository } from '../test/repository/source-files.ts'
import { dryRun } from './dry-run.ts'
import { packPackages } from './pack.ts'
import { publishPackages } from './publish.ts'
import { versionPackages } from './version.ts'

const help = `pnpm release version
    Writes versions and changelogs from the changesets; look at them, and commit.
pnpm release pack [--out DIR]
    Builds all packages, packs those that are published, and prints size and hash of each.
pnpm release publish [--out DIR] [--registry URL] [--no-provenance]
    Packs, and publishes what the registry does not have yet, in the order of dependencies. Run it again when it broke off.
pnpm release dry-run [--built]
    All of it in a copy, to a registry on this machine, and what the release after it would do.

    --out DIR        folder for the tarballs; default reports/release
    --registry URL   default: the one that npm is set up for
    --built          takes what \`pnpm build\` has built, and builds nothing again
    --no-provenance  publishes without a proof of where it was built, which only CI with OpenID Connect can give
    --help           prints this

Exit codes: 0 done, 1 something is wrong, 2 wrong words.
`

const commands = ['version', 'pack', 'publish', 'dry-run'] as const
type Command = (typeof commands)[number]

process.exitCode = await main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error))
  return 1
})

async function main(): Promise<number> {
  const words = parsed()
  if (words === undefined) return 2
  const { values: flags, positionals } = words
  if (flags.help) {
    console.log(help.trimEnd())
    return 0
  }
  const [word] = positionals
  const command = commands.find((known) => known === word)
  if (command === undefined || positionals.length > 1) {
    console.error(`Give one of ${commands.join(', ')}. See pnpm release --help.`)
    return 2
  }
  const given = flags.registry ?? execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim()
  const registry = given.endsWith('/') ? given : `${given}/`
  const problems = await run(command, { out: flags.out, registry, provenance: flags.provenance, built: flags.built })
  for (const problem of problems) console.error(problem)
  return problems.length === 0 ? 0 : 1
}

function parsed() {
  try {
    return parseArgs({
      allowPositionals: true,
      allowNegative: true,
      options: {
        out: { type: 'string', default: 'reports/release' },
        registry: { type: 'string' },
        built: { type: 'boolean', default: false },
        provenance: { type: 'boolean', default: true },
        help: { type: 'boolean', default: false },
      },
    })
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)} See pnpm release --help.`)
    return undefined
  }
}

interface RunOptions {
  readonly out: string
  readonly registry: string
  readonly provenance: boolean
  readonly built: boolean
}

async function run(command: Command, { out, registry, provenance, built }: RunOptions): Promise<readonly string[]> {
  switch (command) {
    case 'version':
      await versionPackages(repository)
      return []
    case 'pack':
      for (const { manifest, bytes, sha256 } of await packPackages(repository, out))
        console.log(`${manifest.name}@${manifest.version} ${bytes} bytes sha256 ${sha256}`)
      return []
    case 'publish': {
      const { published, skipped } = await publishPackages(await packPackages(repository, out), {
        registry,
        provenance,
      })
      for (const label of published) console.log(`published ${label}`)
      for (const label of skipped) console.log(`was there already: ${label}`)
      return []
    }
    case 'dry-run':
      return dryRun(repository, built, (what) => console.log(what))
    default:
      return command satisfies never
  }
}
