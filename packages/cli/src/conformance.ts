import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  frontEndNames,
  HarnessError,
  pageTemplate,
  parseKnownFailures,
  printHtml,
  printJunit,
  printMarkdown,
  printMatrix,
  runConformance,
  type FrontEndName,
  type KnownFailure,
  type Progress,
  type Report,
  withoutDetails,
} from '@steploop/conformance'
import type { Command } from 'commander'
import { exitCodes } from './exit-codes.ts'
import { loadConfig } from './load-config.ts'
import { modeOf, repeated } from './options.ts'
import { writeReport } from './write-report.ts'

interface ConformanceFlags {
  readonly only: readonly string[]
  readonly scenario: readonly string[]
  readonly mode?: string | undefined
  readonly frontEnd?: string | undefined
  readonly json?: string | undefined
  readonly junit?: string | undefined
  readonly markdown?: string | undefined
  readonly html?: string | undefined
  readonly details?: boolean | undefined
  readonly full?: boolean | undefined
  readonly stress: readonly string[]
  readonly shard?: string | undefined
}

/** `steploop conformance [CONFIG]`: every subject of the config against every scenario. */
export function registerConformance(program: Command): void {
  program
    .command('conformance')
    .description('replay the cassettes of each adapter, judge what the loop does behind it, and stress what passed')
    .argument('[CONFIG]', 'config file; default: the nearest steploop.config.ts')
    .option('--only <SUBJECT>', 'only this subject; may be given again', repeated, [])
    .option('--scenario <ID>', 'only this scenario; may be given again', repeated, [])
    .option('--mode <MODE>', 'generate or stream; default: both')
    .option('--front-end <NAME>', `${frontEndNames.join(', ')}; default: fetch and msw, which have to agree`)
    .option('--json <FILE>', 'write the report as JSON; - is stdout')
    .option('--junit <FILE>', 'write the report as JUnit XML; - is stdout')
    .option('--markdown <FILE>', 'write the report as Markdown, for a job summary; - is stdout')
    .option('--html <FILE>', 'write the report as one page with every request, frame and event; - is stdout')
    .option('--details', 'the JSON holds every request, frame and event too')
    .option('--full', 'all front-ends, the loopback server too, and all that stressors can try')
    .option(
      '--stress <ID>',
      'only this stressor, or one variant of it, as in rechunk@2/120; may be given again',
      repeated,
      [],
    )
    .option('--shard <I/N>', 'part I of N of all cases')
    .action(async (config: string | undefined, flags: ConformanceFlags) => {
      process.exitCode = await conformance(config, flags)
    })
}

async function conformance(given: string | undefined, flags: ConformanceFlags): Promise<number> {
  const config = await loadConfig(given)
  // Before the run, which takes its time: without the page there is nothing to write at its end.
  const template = flags.html === undefined ? undefined : await pageTemplate()
  const report = await runConformance(config.subjects, {
    only: flags.only.length === 0 ? undefined : flags.only,
    scenario: flags.scenario.length === 0 ? undefined : flags.scenario,
    mode: modeOf(flags.mode),
    frontEnds: frontEndsOf(flags),
    full: flags.full,
    stress: flags.stress.length === 0 ? undefined : flags.stress,
    shard: shardOf(flags.shard),
    knownFailures: knownFailuresOf(config.root),
    command: commandFor(given, flags),
    details: flags.html !== undefined || flags.details === true,
    onProgress: progressSince(performance.now()),
  })
  endProgress()
  await writeReports(report, flags, template)
  return exitCode(report)
}

async function writeReports(report: Report, flags: ConformanceFlags, template: string | undefined): Promise<void> {
  const { json, junit, markdown, html } = flags
  if (![json, junit, markdown, html].includes('-'))
    process.stdout.write(`${printMatrix(report, { colours: hasColours() })}\n`)
  const told = flags.details ? report : { ...report, cases: report.cases.map(withoutDetails) }
  if (json !== undefined) await writeReport(json, `${JSON.stringify(told, undefined, 2)}\n`)
  if (junit !== undefined) await writeReport(junit, printJunit(report))
  if (markdown !== undefined) await writeReport(markdown, printMarkdown(report))
  if (html !== undefined && template !== undefined) await writeReport(html, printHtml(report, template))
}

/** A harness that fails proves nothing, so its errors win over findings. */
function exitCode(report: Report): number {
  if (report.counts['harness-error'] > 0 || report.problems.some(({ harness }) => harness)) return exitCodes.harness
  return report.ok ? exitCodes.expected : exitCodes.finding
}

function frontEndsOf({ frontEnd, full }: ConformanceFlags): readonly FrontEndName[] {
  if (frontEnd === undefined) return full ? frontEndNames : ['fetch', 'msw']
  const known = frontEndNames.find((name) => name === frontEnd)
  if (known !== undefined) return [known]
  throw new HarnessError('usage', `There is no front-end '${frontEnd}'. There are: ${frontEndNames.join(', ')}.`)
}

function shardOf(shard: string | undefined): { readonly index: number; readonly count: number } | undefined {
  if (shard === undefined) return undefined
  const [index = 0, count = 0] = shard.split('/').map(Number)
  if (/^\d+\/\d+$/.test(shard) && index >= 1 && index <= count) return { index, count }
  throw new HarnessError('usage', `--shard '${shard}' is not I/N with I from 1 to N, for example 2/4.`)
}

const knownFailuresFile = 'known-failures.yaml'

/** The list beside the config; none when there is no file. */
export function knownFailuresOf(root: string): readonly KnownFailure[] {
  const file = join(root, knownFailuresFile)
  return existsSync(file) ? parseKnownFailures(readFileSync(file, 'utf8'), file) : []
}

/** What to type, so that a case can be repeated by copying the line. */
function commandFor(config: string | undefined, { frontEnd }: ConformanceFlags): string {
  const start = process.env['npm_lifecycle_event'] === 'conformance' ? 'pnpm conformance' : 'steploop conformance'
  const words = [start, config, frontEnd === undefined ? undefined : `--front-end ${frontEnd}`]
  return words.filter((word) => word !== undefined).join(' ')
}

function hasColours(): boolean {
  return process.stdout.isTTY && !process.env['NO_COLOR']
}

/** On a terminal one line that is written over; elsewhere a line now and then. */
function progressSince(started: number): (progress: Progress) => void {
  return ({ done, total, address }) => {
    const elapsed = `${Math.round((performance.now() - started) / 1000)} s`
    const line = `${done} of ${total}, ${elapsed}: ${address}`
    if (process.stderr.isTTY) process.stderr.write(`\r\u001B[K${line}`)
    else if (done % 25 === 0) process.stderr.write(`${line}\n`)
  }
}

function endProgress(): void {
  if (process.stderr.isTTY) process.stderr.write('\r\u001B[K')
}
