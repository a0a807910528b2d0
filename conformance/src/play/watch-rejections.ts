import { setImmediate } from 'node:timers/promises'
import { described } from '../described.ts'
import { locationOfError } from '../location-of-error.ts'

export interface RejectionWatch {
  /** Rejections since the last call. */
  take(): Promise<readonly string[]>
  stop(): void
}

/** An adapter that forgets one forgets it in each turn, and there are hundreds. */
const kindsReported = 3

/** Unhandled rejections: they would end a program that has no handler for them. */
export function watchRejections(): RejectionWatch {
  let seen = new Map<string, { times: number; location: string | undefined }>()
  const note = (reason: unknown): void => {
    const message = described(reason)
    const { times = 0, location = locationOfError(reason) } = seen.get(message) ?? {}
    seen.set(message, { times: times + 1, location })
  }
  process.on('unhandledRejection', note)
  return {
    async take() {
      // They are told after the microtasks of the case are done.
      await setImmediate()
      const taken = seen
      seen = new Map()
      const reported = [...taken].slice(0, kindsReported).map(([message, { times, location }]) => {
        const where = location === undefined ? '' : ` (at ${location})`
        return `a promise was rejected and nobody listens: ${message}${where}${times === 1 ? '' : `, ${times} times`}`
      })
      return taken.size > kindsReported ? [...reported, `and ${taken.size - kindsReported} other rejections`] : reported
    },
    stop: () => void process.off('unhandledRejection', note),
  }
}
