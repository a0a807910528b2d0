import { passingFailure } from '../scenario-parts/passing-failure.ts'
import { everyCallAnswered } from '../scenario-parts/run-counters.ts'

export const emptyBody = passingFailure({
  id: 'empty-body',
  title: 'The status says 200, and nothing follows: asked again, and no empty success.',
  failure: { type: 'breakage', breakage: 'empty-body' },
  code: 'empty-response',
  worded: false,
  checks: [everyCallAnswered],
})
