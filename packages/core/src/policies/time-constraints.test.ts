import { expect, test } from 'vitest'
import { parseTimeConstraints } from './time-constraints.ts'

/** A Sunday. */
const now = new Date('2026-11-22T12:00:00Z')

test.each([
  ['What happened today?', 'today', '2026-11-22', undefined],
  ['weather yesterday', 'yesterday', '2026-11-21', '2026-11-21'],
  ['news of this week', 'this week', '2026-11-16', undefined],
  ['sales this month', 'this month', '2026-11-01', undefined],
  ['Sales This Year', 'This Year', '2026-01-01', undefined],
  ['over the last 3 months', 'last 3 months', '2026-08-22', undefined],
  ['in the past week', 'past week', '2026-11-15', undefined],
  ['two days ago', 'two days ago', '2026-11-20', undefined],
  ['12 hours ago', '12 hours ago', '2026-11-22', undefined],
  ['in March 2024', 'in March 2024', '2024-03-01', '2024-03-31'],
  ['5th May 2023 in Rome', '5th May 2023', '2023-05-05', '2023-05-05'],
  ['since Feb 2024', 'since Feb 2024', '2024-02-01', undefined],
  ['in 2023', 'in 2023', '2023-01-01', '2023-12-31'],
  ['before 2024-05-06', 'before 2024-05-06', undefined, '2024-05-06'],
  ['from March 2024 until May 2024', 'from March 2024 until May 2024', '2024-03-01', '2024-05-31'],
])('finds in "%s" the time of %j', (text, hint, after, before) => {
  expect(parseTimeConstraints(text, now)).toEqual({ time_hint: hint, after, before })
})

test.each(['explain quantum physics', 'the model 2024', 'May I ask you something?', 'call 1999 and 5 of them', ''])(
  'finds no time in "%s"',
  (text) => {
    expect(parseTimeConstraints(text, now)).toBeUndefined()
  },
)
