import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Report } from '@steploop/conformance'
import { reportSchema } from '@steploop/conformance/cli'
import type { PrivateRegistry } from './private-registry.ts'
import { documentedAdapter } from './reference.ts'
import { runProgram, type ProgramResult } from './run-program.ts'

export interface Expectation {
  readonly kind: string
  /** Ids of the checks that fail as long as nothing is filled in, each once. Empty: it passes at once. */
  readonly fails: readonly string[]
  /** What an author writes into src/my-llm.ts; absent: nothing has to be filled in. */
  readonly reference?: (() => string) | undefined
  /** It comes with example cassettes of some scenarios, and the others can be recorded from the simulator. */
  readonly records: boolean
  /** Its known failures are those of the example cassettes, so all scenarios are not tried. */
  readonly onlyExamples?: boolean | undefined
  /** It comes with a simulator and no cassettes. */
  readonly recordsFirst?: boolean | undefined
}

/** What each kind has to do. The list of `http` is what the author sees who has not begun yet. */
export const expectations: readonly Expectation[] = [
  {
    kind: 'http',
    fails: [
      'as-recorded',
      'golden',
      'sibling-kept',
      'step-counts',
      'text-arrives-whole',
      'throw-carries-transcript',
      'tools-as-declared',
      'triples',
      'whole-history',
    ],
    reference: documentedAdapter,
    records: true,
  },
  { kind: 'chat-dialect', fails: [], records: true },
  { kind: 'own-format', fails: [], records: true, onlyExamples: true, recordsFirst: true },
  { kind: 'transport', fails: [], records: false },
  { kind: 'ai-sdk', fails: [], records: true, onlyExamples: true },
]

/**
 * What a stranger does: makes the package, installs, compiles, runs the suite, fills in, records the rest, runs all. Gives what is wrong,
 * a line each.
 */
export async function tryScaffold(
  folder: string,
  expectation: Expectation,
  { env }: PrivateRegistry,
  tell: (step: string) => void,
): Promise<readonly string[]> {
  const { kind, fails, reference, records, onlyExamples, recordsFirst } = expectation
  const findings: string[] = []
  const npm = (words: readonly string[], codes?: readonly number[]): Promise<ProgramResult> =>
    runProgram('npm', words, { cwd: join(folder, 'my-llm'), env, codes })
  await runProgram('npm', ['create', 'steploop-adapter', 'my-llm', '--', '--kind', kind], { cwd: folder, env })
  await npm(['install'])
  tell('installed')
  // With our declarations, as they are published; those of the AI SDK are not ours.
  await npm(['run', 'types', '--', '--skipLibCheck', String(kind === 'ai-sdk')])
  await npm(['run', 'build'])
  if (recordsFirst) await npm(['run', 'record', '--', '--simulator'])

  const before = await suite(join(folder, 'my-llm'), env)
  const red = failing(before)
  if (red.join() !== fails.toSorted().join())
    findings.push(`before: fails ${red.join(', ')}; expected: ${fails.join(', ')}`)
  tell(`compiled; ${red.length} checks fail before anything is filled in`)
  if (before.ok !== (fails.length === 0)) findings.push(`before: the report says ok: ${before.ok}`)
  if (reference !== undefined) {
    await npm(['test'], [1])
    writeFileSync(join(folder, 'my-llm/src/my-llm.ts'), reference())
    await npm(['run', 'types'])
  }
  await npm(['test'])
  tell('its tests pass')
  if (onlyExamples) return findings

  if (records) {
    withAllScenarios(join(folder, 'my-llm/steploop.config.ts'))
    await npm(['run', 'record', '--', '--simulator'])
  }
  const whole = await suite(join(folder, 'my-llm'), env)
  tell(`all scenarios: ${whole.counts.pass} of ${whole.cases.length} cases pass`)
  if (!whole.ok) findings.push(`with all scenarios: fails ${failing(whole).join(', ')}`)
  if (whole.cases.length < 100) findings.push(`with all scenarios: only ${whole.cases.length} cases`)
  return findings
}

/** Runs the command as a stranger does, with a path, and reads its report. */
async function suite(cwd: string, env: PrivateRegistry['env']): Promise<Report> {
  const words = ['steploop', 'conformance', './steploop.config.ts', '--json', 'report.json']
  await runProgram('npx', ['--no', '--', ...words], { cwd, env, codes: [0, 1] })
  return reportSchema.parse(JSON.parse(readFileSync(join(cwd, 'report.json'), 'utf8')))
}

function failing({ cases }: Report): readonly string[] {
  const ids = cases.flatMap(({ checks }) => checks.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id))
  return [...new Set(ids)].toSorted()
}

/** The last step of the scaffold's to-do list. */
function withAllScenarios(config: string): void {
  const text = readFileSync(config, 'utf8')
  const all = text.replace(/^ *scenarios: \[.*\],\n/m, '')
  if (all === text) throw new Error(`${config} does not say which scenarios to begin with`)
  writeFileSync(config, all)
}
