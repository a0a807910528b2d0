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

/** `steploop cassette <command>`: everything that is done with cassette files beside recording them. */
export function registerCassette(program: Command): void {
  const cassette = program
    .command('cassette')
    .description('look into cassettes, check, compare, convert and serve them')
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
