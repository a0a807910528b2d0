import { HarnessError } from '@steploop/conformance'
import { mutants, prepareBaseline, runMutants, type Baseline, type MutantOutcome } from '@steploop/conformance/cli'
import { knownFailuresOf } from '../conformance/conformance.ts'
import { loadConfig } from '../config/load-config.ts'
import { answerJobs } from '../processes/answer-jobs.ts'

export interface MutantJob {
  readonly config: string
  /** Id of the mutant. */
  readonly subject: string
}

/** One of the processes of a full run. What it plays without a mutant, it plays once. */
export function answerMutantJobs(): void {
  const rejection = '`mutant-worker` is started by `steploop mutants --full`, not by hand.'
  let baseline: Promise<Baseline> | undefined
  answerJobs<MutantJob, MutantOutcome>(rejection, async ({ config, subject }, onProgress) => {
    onProgress({ done: 0, total: 1, address: subject })
    baseline ??= baselineOf(config)
    const [outcome] = await runMutants(
      mutants.filter(({ id }) => id === subject),
      await baseline,
      { level: 'full' },
    )
    if (outcome === undefined) throw new HarnessError('usage', `There is no mutant '${subject}'.`)
    return outcome
  })
}

async function baselineOf(config: string): Promise<Baseline> {
  const { subjects, root } = await loadConfig(config)
  return prepareBaseline(subjects, { knownFailures: knownFailuresOf(root) })
}
