import { callMutants } from './call-mutants.ts'
import { claimMutants } from './claim-mutants.ts'
import { contentMutants } from './content-mutants.ts'
import { declarationMutants } from './declaration-mutants.ts'
import { errorMutants } from './error-mutants.ts'
import { executionMutants } from './execution-mutants.ts'
import { foreignMutants } from './foreign-mutants.ts'
import { fragmentMutants } from './fragment-mutants.ts'
import { frameMutants } from './frame-mutants.ts'
import { historyMutants } from './history-mutants.ts'
import { idMutants } from './id-mutants.ts'
import { instanceMutants } from './instance-mutants.ts'
import { decisionMutants, ownershipMutants } from './loop-mutants.ts'
import { mediaMutants } from './media-mutants.ts'
import type { Mutant } from './mutant.ts'
import { providerPartMutants } from './provider-part-mutants.ts'
import { requestMutants } from './request-mutants.ts'
import { stateMutants } from './state-mutants.ts'
import { streamMutants } from './stream-mutants.ts'
import { outcomeMutants } from './outcome-mutants.ts'

/** Subjects broken on purpose: the suite proves itself by turning each red. */
export const mutants: readonly Mutant[] = [
  streamMutants,
  fragmentMutants,
  frameMutants,
  callMutants,
  contentMutants,
  mediaMutants,
  requestMutants,
  declarationMutants,
  historyMutants,
  foreignMutants,
  providerPartMutants,
  idMutants,
  stateMutants,
  instanceMutants,
  errorMutants,
  executionMutants,
  decisionMutants,
  ownershipMutants,
  outcomeMutants,
  claimMutants,
].flatMap((breaks) => Object.entries(breaks).map(([id, facts]) => ({ id, ...facts })))
