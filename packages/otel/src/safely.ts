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

/** Longer names say nothing more; some backends refuse them. */
const longestName = 256

/** A text that every exporter can encode: whole code points, and not too long. */
export function plainName(text: string): string {
  return (text.length > longestName ? `${text.slice(0, longestName)}…` : text).toWellFormed()
}
