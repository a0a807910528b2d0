import { eventMutants } from './event-mutants.ts'
import type { Mutant } from './mutant.ts'
import { requestMutants } from './request-mutants.ts'
import { scenarioMutants } from './scenario-mutants.ts'
import { transportMutants } from './transport-mutants.ts'

/** Subjects broken on purpose: the suite proves itself by turning each red. */
export const mutants: readonly Mutant[] = [...requestMutants, ...eventMutants, ...transportMutants, ...scenarioMutants]
