import type { Origin, Warning } from '@steploop/core/adapter'

export interface PromptContext {
  readonly origin: Origin
  readonly namespace: string
  readonly warnings: Warning[]
  /** Which URLs the model fetches itself. */
  readonly supportedUrls: Readonly<Record<string, readonly RegExp[]>>
}

export interface HistoryContext extends PromptContext {
  /** The id under which a call was sent, the provider's own where it is free, by the id that it has in the run. */
  readonly ownIds: Map<string, string>
  readonly usedIds: Set<string>
}
