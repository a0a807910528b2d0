import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import type { OriginKind } from '@steploop/cassette'
import { inspectCassette, type CassetteRule } from '@steploop/cassette/inspect'
import { HarnessError, type Subject } from '@steploop/conformance'
import { parseCassetteExceptions, printable, type CassetteException } from '@steploop/lab'
import type { Command } from 'commander'
import { exitCodes } from '../command/exit-codes.ts'
import { loadConfig, type LoadedConfig } from '../config/load-config.ts'
import { cassetteFolder, pathProblems, unexpectedFile, type PathProblem } from './check-path.ts'
import { findFiles, isCassetteName, mapFiles, readBytes, type FoundFile } from './find-files.ts'
import { action, count, jsonOption, output } from './run-action.ts'

interface CheckFlags {
  readonly maxAge?: string | undefined
  readonly maxSize: string
  readonly config?: string | undefined
  readonly json?: string | undefined
}

interface FileFinding {
  readonly file: string
  readonly rule: CassetteRule | PathProblem['rule'] | 'exception'
  readonly message: string
  /** `warning`: shown, but the check passes. */
  readonly grade: 'error' | 'warning'
}

/** Listed exceptions, at the root beside the config. */
const exceptionsFile = 'cassette-exceptions.yaml'

export function registerCheck(program: Command): void {
  program
    .command('check')
    .description('validate cassettes: format, hashes, origins, age, secrets, size, and that each belongs to a scenario')
    .addHelpText(
      'after',
      `\nExceptions from size, age and orphan stand in ${exceptionsFile} beside the config, each with its reason.`,
    )
    .argument('[PATHS...]', "cassettes or folders; default: the folders of the config's subjects, or cassettes")
    .option('--max-age <DAYS>', 'oldest recording of a real server; default: no limit')
    .option('--max-size <BYTES>', 'largest file, imports aside', '65536')
    .option('--config <FILE>', 'default: the nearest steploop.config.ts; without one nothing counts as an orphan')
    .option(...jsonOption)
    .action(action(check))
}

async function check(paths: readonly string[], flags: CheckFlags): Promise<number> {
  const config = await configIfAny(flags.config)
  const searched = paths.length === 0 ? defaultPaths(config) : paths
  const files = findFiles(searched)
  if (searched.length > 0 && !files.some(({ shown }) => isCassetteName(shown))) {
    throw new HarnessError(
      'unreadable-input',
      'There are no cassettes (*.yaml) to check. Give the folder that holds them.',
    )
  }
  const budget = { maxBytes: numberOf('--max-size', flags.maxSize), maxAge: numberOf('--max-age', flags.maxAge) }
  const origins: Partial<Record<OriginKind, number>> = {}
  const found = mapFiles(files, (file) => checkFile(file, budget, config?.subjects, origins)).flat()
  const findings = excused(found, files, exceptionsOf(config), config?.root ?? '.')
  const errors = findings.filter(({ grade }) => grade === 'error').length
  const report = { files: files.length, origins, errors, warnings: findings.length - errors, findings }
  await output(printFindings(findings, files.length, origins), report, flags.json)
  return errors === 0 ? exitCodes.expected : exitCodes.finding
}

/** Without a config cassettes can still be checked, only not for orphans. */
async function configIfAny(file: string | undefined): Promise<LoadedConfig | undefined> {
  try {
    return await loadConfig(file)
  } catch (error) {
    const isMissing = file === undefined && HarnessError.isInstance(error) && error.file === undefined
    if (isMissing) return undefined
    throw error
  }
}

/** Empty where no subject of the config speaks HTTP, so that there is nothing to look for. */
function defaultPaths(config: LoadedConfig | undefined): readonly string[] {
  const common = join(config?.root ?? '.', 'cassettes')
  // The common folder first: it shows folders that belong to no subject.
  const folders = [common, ...(config?.subjects ?? []).flatMap((subject) => cassetteFolder(subject) ?? [])]
  const existing = [...new Set(folders.map((folder) => resolve(folder)))].filter((folder) => existsSync(folder))
  const outer = existing.filter((folder) => !existing.some((other) => folder.startsWith(other + sep)))
  if (outer.length > 0 || (folders.length === 1 && config !== undefined)) return outer
  return [common]
}

function numberOf(flag: string, given: string | undefined): number | undefined {
  if (given === undefined) return undefined
  const number = Number(given)
  if (given !== '' && Number.isInteger(number) && number >= 0) return number
  throw new HarnessError('usage', `${flag} '${given}' is no whole number.`)
}

function checkFile(
  { path, shown, inside }: FoundFile,
  budget: { readonly maxBytes: number | undefined; readonly maxAge: number | undefined },
  subjects: readonly Subject[] | undefined,
  origins: Partial<Record<OriginKind, number>>,
): readonly FileFinding[] {
  const error = (problem: { readonly rule: FileFinding['rule']; readonly message: string }): FileFinding => ({
    file: shown,
    ...problem,
    grade: problem.rule === 'rebased' ? 'warning' : 'error',
  })
  if (inside !== undefined && !isCassetteName(inside)) return unexpectedFile(inside).map(error)
  const { cassette, problems } = inspectCassette(readBytes(path), shown, budget)
  if (cassette === undefined) return problems.map(error)
  const { kind } = cassette.header.origin
  origins[kind] = (origins[kind] ?? 0) + 1
  const misplaced = subjects === undefined ? [] : pathProblems(path, cassette, subjects)
  return [...problems, ...misplaced].map(error)
}

function exceptionsOf(config: LoadedConfig | undefined): readonly CassetteException[] {
  const file = join(config?.root ?? '.', exceptionsFile)
  return existsSync(file) ? parseCassetteExceptions(readFileSync(file, 'utf8'), exceptionsFile) : []
}

/** Findings without the excused ones; an exception that excuses nothing among the checked files is a finding itself. */
function excused(
  findings: readonly FileFinding[],
  files: readonly FoundFile[],
  exceptions: readonly CassetteException[],
  root: string,
): readonly FileFinding[] {
  const pathOf = (path: string): string => relative(root, path).split(sep).join('/')
  const pathByShown = new Map(files.map(({ shown, path }) => [shown, pathOf(path)]))
  const applies = (exception: CassetteException, { file, rule }: FileFinding): boolean =>
    exception.rule === rule && isNamed(pathByShown.get(file) ?? '', exception.file)
  const relatives = [...pathByShown.values()]
  const isJudged = ({ file }: CassetteException): boolean =>
    relatives.some((path) => isNamed(path, file)) || !existsSync(join(root, file.replace(/\/\*$/, '')))
  const stale = exceptions.filter(
    (exception) => isJudged(exception) && !findings.some((finding) => applies(exception, finding)),
  )
  return [
    ...findings.filter((finding) => !exceptions.some((exception) => applies(exception, finding))),
    ...stale.map(({ file, rule }) => ({
      file,
      rule: 'exception' as const,
      message: `${exceptionsFile} excuses its ${rule}, which is not wrong. Remove the entry.`,
      grade: 'error' as const,
    })),
  ]
}

/** `folder/*` names every file of the folder. */
function isNamed(path: string, file: string): boolean {
  return file.endsWith('/*') ? dirname(path) === file.slice(0, -2) : path === file
}

function printFindings(
  findings: readonly FileFinding[],
  files: number,
  origins: Partial<Record<OriginKind, number>>,
): string {
  const lines = findings.map(({ file, rule, message, grade }) => {
    const word = grade === 'warning' ? `${rule} (warning)` : rule
    return `${file}\n  ${word}: ${printable(message).trimEnd().replaceAll('\n', '\n    ')}\n`
  })
  const kinds = Object.entries(origins).map(([kind, number]) => `${number} ${kind}`)
  const result = findings.length === 0 ? 'nothing found' : count(findings.length, 'finding')
  return `${lines.join('')}${count(files, 'file')}${kinds.length === 0 ? '' : ` (${kinds.join(', ')})`}: ${result}\n`
}
