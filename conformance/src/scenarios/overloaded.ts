import { passingFailure } from '../scenario-parts/passing-failure.ts'

export const overloaded = passingFailure({
  id: 'overloaded',
  title: 'The provider is overloaded for a moment: the turn is asked for again, no tool runs again.',
  failure: { type: 'failure', failure: 'overloaded' },
  code: 'overloaded',
})
