import type { Check } from '../check.ts'
import { contractWords } from './contract-words.ts'
import { outputAsDeclared, toolsAsDeclared } from './declared-checks.ts'
import { eventOrder, inputIsFold, oneTerminalEvent, textIsFold, turnEvents } from './event-checks.ts'
import { grows, paired, sameBuilder, wholeHistory } from './request-checks.ts'
import {
  asRecorded,
  inputUntouched,
  resultsInOrder,
  runsOnce,
  settles,
  namesItsOrigin,
  usageAddsUp,
} from './run-checks.ts'
import { noSecrets } from './secrets-check.ts'

/** Hold in every scenario. The golden skeleton comes in between; those that explain a failure best stand first. */
export const commonChecks: readonly Check[] = [
  settles,
  asRecorded,
  resultsInOrder,
  runsOnce,
  paired,
  wholeHistory,
  grows,
  sameBuilder,
  toolsAsDeclared,
  outputAsDeclared,
  turnEvents,
  contractWords,
  oneTerminalEvent,
  eventOrder,
  textIsFold,
  inputIsFold,
  usageAddsUp,
  namesItsOrigin,
  inputUntouched,
  noSecrets,
]
