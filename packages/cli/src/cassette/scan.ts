import { basename } from 'node:path'
import { scanText } from '@steploop/cassette/inspect'
import type { Command } from 'commander'
import { exitCodes } from '../command/exit-codes.ts'
import { findFiles, mapFiles, readBytes } from './find-files.ts'
import { action, count, jsonOption, output } from './run-action.ts'

export function registerScan(program: Command): void {
  program
    .command('scan')
    .description('search text files for secrets; exit 1 when something looks like one')
    .addHelpText(
      'after',
      '\nLooks for keys of known shapes, tokens, private keys, passwords in URLs, e-mail addresses, home folders and more, also\n' +
        'encoded, and for the values of *_KEY, *_TOKEN and *_SECRET variables. Rules and locations are printed, values never.',
    )
    .argument('<FILES...>', 'files or folders')
    .option(...jsonOption)
    .action(action(scan))
}

async function scan(paths: readonly string[], flags: { readonly json?: string | undefined }): Promise<number> {
  const files = findFiles(paths)
  const findings = mapFiles(files, ({ path, shown }) =>
    scanText(readBytes(path), { fileName: basename(path) }).map((finding) => ({ file: shown, ...finding })),
  ).flat()
  // A name that gives a secret away is not printed either.
  const lines = findings.map(
    ({ file, rule, location }) => `${location === 'file name' ? '(a file)' : file}: ${rule} in ${location}\n`,
  )
  const result = findings.length === 0 ? 'nothing found' : count(findings.length, 'finding')
  const safe = findings.map((one) => (one.location === 'file name' ? { ...one, file: undefined } : one))
  await output(
    `${lines.join('')}${count(files.length, 'file')}: ${result}\n`,
    { files: files.length, findings: safe },
    flags.json,
  )
  return findings.length === 0 ? exitCodes.expected : exitCodes.finding
}
