import type { Check } from '../../check.ts'

/** What the simulator counts in its first turn. */
const counted = { inputTokens: 120, outputTokens: 27 } as const

/** Wherever the counts stand, they are those of the end, neither lost nor added up. */
export const countedAsAtTheEnd: Check = {
  id: 'counted-as-at-the-end',
  sentence: 'Usage is what the provider said last: not lost, and not added up.',
  judge: ({ runs }) =>
    (['inputTokens', 'outputTokens'] as const)
      .filter((name) => runs[0]?.result?.usage?.[name] !== counted[name])
      .map((name) => ({
        message: `\`${name}\` is ${runs[0]?.result?.usage?.[name]}, the provider said ${counted[name]} in the end`,
        where: 'run 1',
      })),
}
