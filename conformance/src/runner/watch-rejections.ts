import { setImmediate } from 'node:timers/promises'
import { described } from '../checks/run-checks.ts'

export interface RejectionWatch {
  /** Rejections since the last call. */
  take(): Promise<readonly string[]>
  stop(): void
}

/** Promises that reject while nobody listens: they would end a program that has no handler for them. */
export function watchRejections(): RejectionWatch {
  let seen: string[] = []
  const note = (reason: unknown): void => {
    seen.push(`a promise was rejected and nobody listens: ${described(reason)}`)
  }
  process.on('unhandledRejection', note)
  return {
    async take() {
      // They are told after the microtasks of the case are done.
      await setImmediate()
      const taken = seen
      seen = []
      return taken
    },
    stop: () => void process.off('unhandledRejection', note),
  }
}
