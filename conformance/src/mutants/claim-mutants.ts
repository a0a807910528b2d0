import { brokenAdapter, withTurn, type Mutant } from './mutant.ts'

/** What adapters say of themselves. */
export const claimMutants: readonly Mutant[] = [
  brokenAdapter({
    id: 'misspelt-capability',
    bug: 'A capability is declared under a name that nobody knows.',
    killer: 'text-only#claims',
    wrap(adapter) {
      const declared: object = { ...adapter.capabilities, toolCalls: true }
      return { ...withTurn(adapter, (...asked) => adapter.turn(...asked)), capabilities: declared }
    },
  }),
]
