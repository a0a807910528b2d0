import { wordFaults } from '@steploop/core/testing'
import type { Check } from '../check.ts'

export const contractWords: Check = {
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
