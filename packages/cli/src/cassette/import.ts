import { basename, dirname, join } from 'node:path'
import { assertNoSecrets, CassetteError, printCassette, writeCassette, type Cassette } from '@steploop/cassette'
import { HarnessError } from '@steploop/conformance'
import { formatOf, importRecording, maskPaths, recordingFormats } from '@steploop/lab'
import type { Command } from 'commander'
import { exitCodes } from '../command/exit-codes.ts'
import { modeOf, repeated } from '../command/options.ts'
import { findFiles, mapFiles, readBytes, shownPath, type FoundFile } from './find-files.ts'
import { action, count, jsonOption, output } from './run-action.ts'

interface ImportFlags {
  readonly out: string
  readonly from?: string | undefined
  readonly mask: readonly string[]
  readonly requestHeader: readonly string[]
  readonly url?: string | undefined
  readonly wire?: string | undefined
  readonly provider?: string | undefined
  readonly model?: string | undefined
  readonly scenario?: string | undefined
  readonly mode?: string | undefined
  readonly json?: string | undefined
}

type ImportStatus = 'written' | 'refused' | 'unreadable' | 'left out'

interface ImportOutcome {
  readonly file: string
  readonly status: ImportStatus
  readonly path?: string | undefined
  readonly exchanges?: number | undefined
  readonly guessed: readonly string[]
  readonly left: readonly string[]
  /** Why nothing was written. */
  readonly reason?: string | undefined
}

export function registerImport(program: Command): void {
  program
    .command('import')
    .description("turn others' recordings into cassettes with origin imported")
    .addHelpText(
      'after',
      '\nFormats: vcr (VCR.py), har (HTTP archive 1.2), sessions (JSON with interactions), chunks (one payload per line),\n' +
        'body (one JSON response), aimock (fixtures). What the recording does not say is guessed, and said so, here and in\n' +
        'the header. A recording in which something looks secret is refused unless its field is given to --mask.',
    )
    .argument('<FILES...>', 'recordings, or folders of them')
    .requiredOption('--out <PATH>', 'folder, or for one recording a *.yaml; - is stdout')
    .option('--from <FORMAT>', `${recordingFormats.join(', ')}; default: by content`)
    .option('--mask <PATH>', 'mask this field of bodies (messages.*.content); may be given again', repeated, [])
    .option('--request-header <LINE>', '"name: value" that the recorder removed and a client sends', repeated, [])
    .option('--url <TEXT>', 'only exchanges whose URL holds this text')
    .option('--wire <NAME>', 'wire format; default: detected')
    .option('--provider <NAME>', 'default: detected')
    .option('--model <NAME>', 'default: detected')
    .option('--scenario <NAME>', "scenario of the header; default: the recording's name")
    .option('--mode <MODE>', 'for aimock: generate or stream', 'stream')
    .option(...jsonOption)
    .action(action(importFiles))
}

async function importFiles(paths: readonly string[], flags: ImportFlags): Promise<number> {
  const files = findFiles(paths)
  if (files.length === 0) throw new HarnessError('unreadable-input', `${paths.join(', ')}: there are no files.`)
  if (flags.out === '-' && flags.json === '-')
    throw new HarnessError('usage', 'Give - to --out or to --json, not to both.')
  if ((flags.out === '-' || isFileName(flags.out)) && files.length > 1) {
    throw new HarnessError('usage', `${files.length} recordings do not fit into ${flags.out}. Give a folder to --out.`)
  }
  const taken = new Set<string>()
  const outcomes = mapFiles(files, (file) => importOne(file, flags, taken))
  const text = report(outcomes)
  if (flags.out === '-') process.stderr.write(text)
  await output(flags.out === '-' ? '' : text, { files: outcomes }, flags.json)
  if (outcomes.some(({ status }) => status === 'unreadable')) return exitCodes.usage
  return outcomes.some(({ status }) => status === 'refused') ? exitCodes.finding : exitCodes.expected
}

const isFileName = (path: string): boolean => /\.ya?ml$/.test(path)

function importOne(file: FoundFile, flags: ImportFlags, taken: Set<string>): ImportOutcome {
  const name = basename(file.path).replace(knownEnding, '')
  const facts = { file: file.shown, guessed: [], left: [] }
  try {
    const { cassette, guessed, left } = importRecording({
      ...flags,
      text: decode(readBytes(file.path), file.shown),
      file: file.shown,
      format: flags.from === undefined ? undefined : formatOf(flags.from),
      scenario: flags.scenario ?? name,
      mode: modeOf(flags.mode),
      requestHeaders: flags.requestHeader.map((line) => headerOf(line)),
    })
    const path = targetOf(file, name, flags.out, taken)
    write(path, cassette)
    return { file: file.shown, status: 'written', path, exchanges: cassette.exchanges.length, guessed, left }
  } catch (error) {
    if (CassetteError.isInstance(error)) {
      return { ...facts, status: error.code === 'secret-found' ? 'refused' : 'unreadable', reason: error.message }
    }
    const isUnknown = HarnessError.isInstance(error) && error.code === 'unreadable-input'
    // A file that was not named may be anything.
    if (isUnknown)
      return { ...facts, status: file.inside === undefined ? 'unreadable' : 'left out', reason: error.message }
    throw error
  }
}

const knownEnding = /(?:\.chunks)?\.(?:txt|json|ya?ml|har)$/

function decode(bytes: Uint8Array, file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    const message = `${file} is not valid UTF-8, so it is no recording of a known format.`
    throw new HarnessError('unreadable-input', message, { file, cause })
  }
}

function headerOf(line: string): readonly [string, string] {
  const colon = line.indexOf(':')
  const name = line.slice(0, Math.max(colon, 0)).trim().toLowerCase()
  if (!/^[a-z0-9!#$%&'*+.^_|~-]+$/.test(name)) {
    throw new HarnessError('usage', '--request-header takes "name: value", for example "authorization: Bearer any".')
  }
  return [name, line.slice(colon + 1).trim()]
}

/** Where the cassette goes; recordings with one name in several formats get numbers. */
function targetOf(file: FoundFile, name: string, out: string, taken: Set<string>): string {
  if (out === '-' || isFileName(out)) return out
  const folder = join(out, file.inside === undefined ? '.' : dirname(file.inside))
  for (let number = 1; ; number += 1) {
    const path = join(folder, `${name}${number === 1 ? '' : `-${number}`}.yaml`)
    if (taken.has(path)) continue
    taken.add(path)
    return path
  }
}

/** @throws {CassetteError} `secret-found`, with the paths that `--mask` would take */
function write(path: string, cassette: Cassette): void {
  try {
    if (path === '-') {
      assertNoSecrets(cassette)
      process.stdout.write(printCassette(cassette))
    } else writeCassette(path, cassette)
  } catch (error) {
    if (!CassetteError.isInstance(error) || error.code !== 'secret-found') throw error
    throw new CassetteError('secret-found', {
      what: error.message.slice(error.message.indexOf('The cassette holds'), -error.fix.length).trimEnd(),
      fix: `\n${maskAdvice(cassette)}`,
    })
  }
}

function maskAdvice(cassette: Cassette): string {
  const paths = maskPaths(cassette)
  if (paths === undefined) return 'Not all of these locations can be masked: remove it from the recording.'
  return `If these fields may be masked: ${paths.map((path) => `--mask ${path}`).join(' ')}`
}

function report(outcomes: readonly ImportOutcome[]): string {
  const isLong = outcomes.length > 20
  const shown = outcomes.filter(({ status }) => !isLong || status !== 'written')
  const counts = Object.entries(Object.groupBy(outcomes, ({ status }) => status))
  const summary = counts.map(([status, group]) => `${group?.length ?? 0} ${status}`).join(', ')
  return `${shown.map((outcome) => outcomeText(outcome)).join('')}${count(outcomes.length, 'file')}: ${summary}\n${commonGuesses(outcomes, isLong)}`
}

function outcomeText({ file, status, path, exchanges, guessed, left, reason }: ImportOutcome): string {
  if (status !== 'written')
    return `${status} ${reason?.startsWith(file) === true ? reason : `${file}: ${reason ?? ''}`}\n`
  const where = path === undefined || path === '-' ? '' : ` ${shownPath(path)}`
  const notes = [...guessed.map((note) => `  guessed  ${note}\n`), ...left.map((note) => `  left out ${note}\n`)]
  return `written${where} (${count(exchanges ?? 0, 'exchange')})\n${notes.join('')}`
}

/** For many files: how many of them needed each guess. */
function commonGuesses(outcomes: readonly ImportOutcome[], isLong: boolean): string {
  if (!isLong) return ''
  const counts = new Map<string, number>()
  for (const { guessed } of outcomes) for (const note of guessed) counts.set(note, (counts.get(note) ?? 0) + 1)
  const sorted = [...counts].toSorted(([, one], [, other]) => other - one)
  return sorted.map(([note, files]) => `  guessed in ${count(files, 'file')}: ${note}\n`).join('')
}
