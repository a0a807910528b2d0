import { context, type Context } from '@opentelemetry/api'

/**
 * Calls what is not ours: the API, an SDK behind it, a callback. What it fails with is not the run's business, at once or later: a promise,
 * where none belongs, is no answer, and what becomes of it is nobody's business either.
 */
export function safely<T>(call: () => T): T | undefined {
  try {
    const result = call()
    if (!isThenable(result)) return result
    Promise.resolve(result).catch(() => undefined)
  } catch {
    // The run goes on without telemetry.
  }
  return undefined
}

function isThenable(value: unknown): boolean {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function'
}

type Outcome<T> = { readonly ok: true; readonly result: T } | { readonly ok: false; readonly error: unknown }

/** Runs `work` with the context active, once, and at once, whatever the context manager does. */
export function within<T>(active: Context, work: () => T): T {
  let cached: Outcome<T> | undefined
  const once = (): Outcome<T> => (cached ??= outcomeOf(work))
  safely(() => context.with(active, once))
  const outcome = once()
  if (outcome.ok) return outcome.result
  throw outcome.error
}

function outcomeOf<T>(work: () => T): Outcome<T> {
  try {
    return { ok: true, result: work() }
  } catch (error) {
    return { ok: false, error }
  }
}

interface AsyncHooks {
  readonly AsyncResource: new (type: string) => { runInAsyncScope<T>(work: () => T): T }
}

const { process: host } = globalThis as {
  process?: { getBuiltinModule?: (name: 'node:async_hooks') => AsyncHooks | undefined }
}
const hooks = safely(() => host?.getBuiltinModule?.('node:async_hooks'))

export interface Entered<T> {
  readonly result: T
  /** Runs `work` with the same context active. */
  readonly reenter: <R>(work: () => R) => R
}

/**
 * `within` for work that goes on later, and often: `context.with` copies each time all that is stored in it, a resource made in there brings
 * it back for next to nothing. Only where that is seen to work: there are context managers that know nothing of it.
 */
export function entering<T>(active: Context, work: () => T): Entered<T> {
  let resource: InstanceType<AsyncHooks['AsyncResource']> | undefined
  const result = within(active, () => {
    resource = hooks && safely(() => new hooks.AsyncResource('steploop'))
    return work()
  })
  const isActive = (): boolean => safely(() => context.active()) === active
  const usable = !isActive() && resource?.runInAsyncScope(isActive) ? resource : undefined
  return {
    result,
    reenter: usable === undefined ? (next) => within(active, next) : (next) => usable.runInAsyncScope(next),
  }
}

/** Longer names say nothing more; some backends refuse them. */
const longestName = 256

/** A text that every exporter can encode: whole code points, and not too long. `undefined` for what is no text. */
export function plainText(text: unknown): string | undefined {
  if (typeof text !== 'string') return undefined
  return (text.length > longestName ? `${text.slice(0, longestName)}…` : text).toWellFormed()
}
