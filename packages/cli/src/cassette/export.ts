import { assertNoSecrets, readCassette } from '@steploop/cassette'
import { toHar } from '@steploop/cassette/export'
import { HarnessError } from '@steploop/conformance'
import type { Command } from 'commander'
import { exitCodes } from '../command/exit-codes.ts'
import { writeReport } from '../command/write-report.ts'
import { action, jsonOption, output } from './run-action.ts'

interface ExportFlags {
  readonly to: string
  readonly out: string
  readonly json?: string | undefined
}

export function registerExport(program: Command): void {
  program
    .command('export')
    .description('turn a cassette into an HTTP archive (HAR 1.2), which browsers and proxies open')
    .argument('<FILE>', 'cassette')
    .option('--to <FORMAT>', 'har', 'har')
    .option('--out <FILE>', '- is stdout', '-')
    .option(...jsonOption)
    .action(action(exportFile))
}

async function exportFile(file: string, { to, out, json }: ExportFlags): Promise<number> {
  if (to !== 'har') throw new HarnessError('usage', `There is no format '${to}' to export to. There is: har.`)
  if (out === '-' && json === '-') throw new HarnessError('usage', 'Give - to --out or to --json, not to both.')
  const cassette = readCassette(file)
  // Cassettes are scanned when they are written, but one that came by mail may be anything.
  assertNoSecrets(cassette)
  await writeReport(out, toHar(cassette))
  const { length } = cassette.exchanges
  await output(out === '-' ? '' : `${out}: ${length} entries\n`, { file, out, format: to, entries: length }, json)
  return exitCodes.expected
}
