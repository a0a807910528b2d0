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
  readonly AsyncResource: new (type: string) => { runInAsyncScope<T>(work: () => T): T }
}

const { process: host } = globalThis as {
  process?: { getBuiltinModule?: (name: 'node:async_hooks') => AsyncHooks | undefined }
}
const hooks = safely(() => host?.getBuiltinModule?.('node:async_hooks'))

export interface Entered<T> {
  readonly made: T
  /** Runs `work` with the same context active. */
  readonly again: <R>(work: () => R) => R
}

/**
 * `within` for work that goes on later, and often: `context.with` copies each time all that is stored in it, a resource made in there brings
 * it back for next to nothing. Only where that is seen to work: there are context managers that know nothing of it.
 */
export function entering<T>(active: Context, work: () => T): Entered<T> {
  let resource: InstanceType<AsyncHooks['AsyncResource']> | undefined
  const made = within(active, () => {
    resource = hooks && safely(() => new hooks.AsyncResource('steploop'))
    return work()
  })
  const kept = safely(() => {
    const seen = context.active() === active ? undefined : resource?.runInAsyncScope(() => context.active())
    return seen === active ? resource : undefined
  })
  return {
    made,
    again: kept === undefined ? (next) => within(active, next) : (next) => kept.runInAsyncScope(next),
  }
}

/** Longer names say nothing more; some backends refuse them. */
const longestName = 256

/** A text that every exporter can encode: whole code points, and not too long. */
export function plainName(text: string): string {
  return (text.length > longestName ? `${text.slice(0, longestName)}…` : text).toWellFormed()
}
