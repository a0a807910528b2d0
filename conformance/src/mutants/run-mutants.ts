import type { Baseline } from './baseline.ts'
import type { Mutant } from './mutant.ts'
import { tryFully, tryQuickly, type MutantOutcome } from './try-mutant.ts'

export interface RunMutantsOptions {
  /** Default `quick`: each mutant until the first case notices it. */
  readonly level?: 'quick' | 'full' | undefined
  /** Told of each mutant before it is tried. */
  readonly onProgress?: ((progress: MutantProgress) => void) | undefined
}

export interface MutantProgress {
  readonly done: number
  readonly total: number
  readonly id: string
}

/** Tries mutants, one after the other. */
export async function runMutants(
  mutants: readonly Mutant[],
  baseline: Baseline,
  { level = 'quick', onProgress }: RunMutantsOptions = {},
): Promise<readonly MutantOutcome[]> {
  const outcomes: MutantOutcome[] = []
  for (const mutant of mutants) {
    onProgress?.({ done: outcomes.length, total: mutants.length, id: mutant.id })
    outcomes.push(await (level === 'full' ? tryFully(mutant, baseline) : tryQuickly(mutant, baseline)))
  }
  return outcomes
}
