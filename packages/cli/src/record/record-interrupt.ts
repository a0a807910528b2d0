import { exitCodes } from '../command/exit-codes.ts'

export const interruptedExitCode = exitCodes.interrupted

export interface Interrupt {
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal
  /** Ends the listening. */
  readonly stop: () => void
}

/** Listens for Ctrl-C. The second one finds no listener, and so ends the process as signals do. */
export function listenForInterrupt(): Interrupt {
  const controller = new AbortController()
  const onInterrupt = (): void => controller.abort()
  process.once('SIGINT', onInterrupt)
  return { signal: controller.signal, stop: () => void process.off('SIGINT', onInterrupt) }
}
