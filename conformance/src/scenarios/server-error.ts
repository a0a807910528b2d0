import { passingFailure } from '../scenario-parts/passing-failure.ts'

export const serverError = passingFailure({
  id: 'server-error',
  title: 'The provider fails for a moment: the turn is asked for again, no tool runs again.',
  failure: { type: 'failure', failure: 'server-error' },
  code: 'server-error',
})
