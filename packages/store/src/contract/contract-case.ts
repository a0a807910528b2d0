import type { OpenStore } from '../store.ts'

/** One thing that every store has to do. */
export interface ContractCase {
  readonly title: string
  /** Throws when the store, which has to be empty, does not do it. */
  readonly run: (store: OpenStore) => Promise<void>
}
