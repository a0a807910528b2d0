import { textHash } from '@steploop/core/adapter'
import { z } from 'zod'
import { HarnessError } from '../harness-error.ts'
import type { Baseline } from './baseline.ts'
import type { Mutant } from './mutant.ts'
import type { MutantOutcome } from './try-mutant.ts'

/** Which check kills which mutant, as the last full run found it. Kept with the suite; lists are sorted, so that it can be compared. */
export const killMatrixSchema = z.object({
  version: z.literal(1),
  /** Hash of the ids of all mutants and checks: another one means that the matrix is stale. */
  hash: z.string(),
  /** Checks that killed nothing. */
  idleChecks: z.array(z.string()),
  checks: z.array(z.string()),
  mutants: z.array(
    z.object({
      id: z.string(),
      bug: z.string(),
      /** Percent of the base checks that it passes. */
      passes: z.number().int(),
      killers: z.array(z.string()),
    }),
  ),
})

export type KillMatrix = z.infer<typeof killMatrixSchema>

/** Changes whenever a mutant or a check comes, goes or is renamed. */
export function idsHash(mutants: readonly Pick<Mutant, 'id'>[], checks: readonly string[]): string {
  return textHash([...mutants.map(({ id }) => id).toSorted(), '', ...checks.toSorted()].join('\n'))
}

export function killMatrix(
  mutants: readonly Mutant[],
  { checks }: Pick<Baseline, 'checks'>,
  outcomes: readonly MutantOutcome[],
): KillMatrix {
  const bugs = new Map(mutants.map(({ id, bug }) => [id, bug]))
  const busy = new Set(outcomes.flatMap(({ killers }) => killers))
  const rows = outcomes.map(({ id, passes = 0, killers }) => ({
    id,
    bug: bugs.get(id) ?? '',
    passes,
    killers: [...killers],
  }))
  return {
    version: 1,
    hash: idsHash(mutants, checks),
    idleChecks: checks.filter((check) => !busy.has(check)),
    checks: [...checks],
    mutants: rows.toSorted((left, right) => (left.id < right.id ? -1 : 1)),
  }
}

/** @throws HarnessError `unreadable-input` with the fix */
export function parseKillMatrix(text: string, file: string): KillMatrix {
  try {
    return killMatrixSchema.parse(JSON.parse(text))
  } catch (cause) {
    const fix = 'Write it anew with `steploop mutants --full`.'
    throw new HarnessError('unreadable-input', `${file} is no matrix of kills. ${fix}`, { file, cause })
  }
}
