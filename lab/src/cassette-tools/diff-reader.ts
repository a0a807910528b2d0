import type { Cassette, Exchange } from '@steploop/cassette'
import type { DiffOptions } from '@steploop/cassette/inspect'
import { parsed } from '@steploop/conformance/cli'
import { detectWire, readResponse } from './exchange-view.ts'

/** Reads responses for `diffCassettes` as what they say: how a text was cut into deltas does not count. */
export const conversationDiff: DiffOptions = {
  readResponse: (exchange: Exchange, cassette: Cassette) => {
    const view = readResponse(exchange, detectWire(exchange, cassette).wire)
    // Through JSON, because a member that is undefined differs from none.
    return view === undefined ? undefined : parsed(JSON.stringify(view))
  },
  // Token counts follow from texts, which are compared themselves, and from caches of the provider.
  volatile: /tokens?$|TokenCount$|^(?:input|output|cached|reasoning)$/,
  literal: ['input', 'args', 'arguments'],
}
