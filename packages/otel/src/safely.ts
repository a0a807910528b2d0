import { context, type Context } from '@opentelemetry/api'

/** Calls into telemetry: what fails there is not the run's business. */
export function safely<T>(call: () => T): T | undefined {
  try {
    return call()
  } catch {
    return undefined
  }
}

/** Runs `work` with the context active, once, and also where the context manager fails. */
export function within<T>(active: Context, work: () => T): T {
  let begun = false
  try {
    return context.with(active, () => {
      begun = true
      return work()
    })
  } catch (error) {
    if (begun) throw error
    return work()
  }
}

interface AsyncHooks {
  readonly AsyncLocalStorage: { snapshot(): <T>(work: () => T) => T }
}

const { process: host } = globalThis as {
  process?: { getBuiltinModule?: (name: 'node:async_hooks') => AsyncHooks | undefined }
}
const hooks = safely(() => host?.getBuiltinModule?.('node:async_hooks'))

/**
 * `within` for work that goes on often: a snapshot of the context costs a fraction of `context.with`, which copies all that is stored in it.
 * Only where the snapshot is seen to bring the context back: there are context managers that know nothing of it.
 */
export function returningTo(active: Context): <T>(work: () => T) => T {
  const again = safely(() => {
    if (hooks === undefined || context.active() === active) return undefined
    const { AsyncLocalStorage } = hooks
    const snapshot = context.with(active, () => AsyncLocalStorage.snapshot())
    return snapshot(() => context.active()) === active ? snapshot : undefined
  })
  return again ?? ((work) => within(active, work))
}

/** Longer names say nothing more; some backends refuse them. */
const longestName = 256

/** A text that every exporter can encode: whole code points, and not too long. */
export function plainName(text: string): string {
  return (text.length > longestName ? `${text.slice(0, longestName)}…` : text).toWellFormed()
}
