import type { Command } from 'commander'
import { registerCheck } from './check.ts'
import { registerDiff } from './diff.ts'
import { registerExport } from './export.ts'
import { registerImport } from './import.ts'
import { registerRebase } from './rebase.ts'
import { registerScan } from './scan.ts'
import { registerServe } from './serve.ts'
import { registerShow } from './show.ts'
import { registerStats } from './stats.ts'

const exits = `
Exit codes: 0 done, and nothing found; 1 something found: a problem, a difference, a secret, an exchange that nobody asked for; 2 wrong options,
or input that cannot be read; 70 the command itself failed; 130 interrupted.`

/** `steploop cassette <command>`: everything that is done with cassette files beside recording them. */
export function registerCassette(program: Command): void {
  const cassette = program
    .command('cassette')
    .description('look into cassettes, check, compare, convert and serve them')
    .addHelpText('afterAll', exits)
  for (const register of [
    registerShow,
    registerDiff,
    registerStats,
    registerCheck,
    registerScan,
    registerRebase,
    registerImport,
    registerExport,
    registerServe,
  ])
    register(cassette)
}
