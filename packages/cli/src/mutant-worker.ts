import { HarnessError } from '@steploop/conformance'
import { mutants, prepareGround, runMutants, type Ground, type MutantOutcome } from '@steploop/conformance/cli'
import { knownFailuresOf } from './conformance.ts'
import { loadConfig } from './load-config.ts'
import { answerJobs } from './processes/answer-jobs.ts'

export interface MutantJob {
  readonly config: string
  /** Id of the mutant. */
  readonly subject: string
}

/** One of the processes of a full run. What it plays without a mutant, it plays once. */
export function answerMutantJobs(): void {
  const rejection = '`mutant-worker` is started by `steploop mutants --full`, not by hand.'
  let ground: Promise<Ground> | undefined
  answerJobs<MutantJob, MutantOutcome>(rejection, async ({ config, subject }, onProgress) => {
    onProgress({ done: 0, total: 1, address: subject })
    ground ??= groundOf(config)
    const [outcome] = await runMutants(
      mutants.filter(({ id }) => id === subject),
      await ground,
      { level: 'full' },
    )
    if (outcome === undefined) throw new HarnessError('usage', `There is no mutant '${subject}'.`)
    return outcome
  })
}

async function groundOf(config: string): Promise<Ground> {
  const { subjects, root } = await loadConfig(config)
  return prepareGround(subjects, { knownFailures: knownFailuresOf(root) })
}
