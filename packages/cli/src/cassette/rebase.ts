import { scenarios } from '@steploop/conformance'
import { rebaseScenario, type RebaseOutcome } from '@steploop/lab'
import type { Command } from 'commander'
import { exitCodes } from '../command/exit-codes.ts'
import { loadConfig } from '../config/load-config.ts'
import { modeOf, pickNamed, repeated } from '../command/options.ts'
import { startProgress } from '../command/progress.ts'
import { shownPath } from './find-files.ts'
import { action, count, jsonOption, output } from './run-action.ts'

interface RebaseFlags {
  readonly only: readonly string[]
  readonly scenario: readonly string[]
  readonly mode?: string | undefined
  readonly config?: string | undefined
  readonly json?: string | undefined
}

export function registerRebase(program: Command): void {
  program
    .command('rebase')
    .description('rewrite the requests of cassettes after an encoding was changed on purpose')
    .addHelpText(
      'after',
      '\nThe recorded answers stay. Rewritten requests are marked with the day, and `cassette check` warns of them, until they are\n' +
        'recorded anew. A cassette whose answers no longer belong to the requests is refused and stays as it is.',
    )
    .option('--only <SUBJECT>', 'only this subject; may be given again', repeated, [])
    .option('--scenario <ID>', 'only this scenario; may be given again', repeated, [])
    .option('--mode <MODE>', 'generate or stream; default: both')
    .option('--config <FILE>', 'default: the nearest steploop.config.ts')
    .option(...jsonOption)
    .action(action(rebase))
}

async function rebase(flags: RebaseFlags): Promise<number> {
  const { subjects } = await loadConfig(flags.config)
  const chosen = pickNamed(subjects, flags.only, ({ name }) => name, 'subject')
  const played = pickNamed(scenarios, flags.scenario, ({ id }) => id, 'scenario')
  const mode = modeOf(flags.mode)
  const modes = mode === undefined ? (['generate', 'stream'] as const) : [mode]
  const cases = chosen.flatMap((subject) =>
    played.flatMap((scenario) => modes.map((one) => ({ subject, scenario, mode: one }))),
  )
  const outcomes: RebaseOutcome[] = []
  const progress = startProgress()
  for (const [index, one] of cases.entries()) {
    progress.begin(index + 1, cases.length, `${one.subject.name}/${one.scenario.id}/${one.mode}`)
    outcomes.push(await rebaseScenario(one))
  }
  progress.end()
  const shown = outcomes.map((one) => ({ ...one, path: shownPath(one.path) }))
  await output(printOutcomes(shown), { cassettes: shown }, flags.json)
  return shown.some(({ status }) => status === 'refused') ? exitCodes.finding : exitCodes.expected
}

function printOutcomes(outcomes: readonly RebaseOutcome[]): string {
  const lines = outcomes.flatMap(({ path, status, rewritten, problems }) => {
    if (status === 'rebased') return [`rebased ${path} (${count(rewritten, 'request')})`]
    if (status !== 'refused') return []
    return [`refused ${path}`, ...problems.map((problem) => `  ${problem.trimEnd().replaceAll('\n', '\n  ')}`)]
  })
  const number = (wanted: RebaseOutcome['status']): number => outcomes.filter(({ status }) => status === wanted).length
  const summary = (['rebased', 'unchanged', 'refused', 'missing'] as const).map(
    (status) => `${number(status)} ${status}`,
  )
  return `${[...lines, summary.join(', ')].join('\n')}\n`
}
