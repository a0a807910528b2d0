import type { Check } from '../check.ts'
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
  newIds,
  toldAsSent,
  usageAddsUp,
} from './run-checks.ts'
import { noSecrets } from './secrets-check.ts'
import { wordFaults } from '@steploop/core/testing'

const contractWords: Check = {
  id: 'contract-words',
  sentence:
    'Events hold what the contract says: calls with id, name and owner, results that name their call, known finish reasons, whole warnings, each file once, and whose their metadata is.',
  judge: ({ runs, subject: { provider } }) =>
    runs.flatMap(({ number, turns }) =>
      turns.flatMap(({ events, request: { messages } }, index) =>
        wordFaults(events, { provider, messages }).map((message) => ({
          message,
          where: `run ${number}, turn ${index + 1}`,
        })),
      ),
    ),
}

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
  toldAsSent,
  newIds,
  inputUntouched,
  noSecrets,
]
