import type { Adapter } from '../contract/adapter.ts'

/**
 * Adapters whose turns are known to settle as soon as their signal is aborted, because core's own transport drives them. The loop need not
 * race each of their chunks against the abort, which costs a promise per chunk; every other adapter is raced.
 */
const known = new WeakSet<Adapter>()

export function markSettlesOnAbort(adapter: Adapter): Adapter {
  known.add(adapter)
  return adapter
}

export function settlesOnAbort(adapter: Adapter): boolean {
  return known.has(adapter)
}
