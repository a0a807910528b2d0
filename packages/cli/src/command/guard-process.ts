import { writeSync } from 'node:fs'
import { HarnessError } from '@steploop/conformance'
import { whileCaseRan } from '../processes/case-under-way.ts'
import { endWhenBlocked } from '../processes/end-when-blocked.ts'
import { exitCodes } from './exit-codes.ts'

const numbers = { SIGINT: 2, SIGTERM: 15 } as const

/**
 * Gives every way in which this process can end an exit code of ours, and a message: Ctrl-C, a closed pipe, a disk that is full, a throw that
 * nobody waits for, and code of others (a config, an adapter) that ends the process or never settles.
 *
 * @returns what to call when the command has run to its end
 */
export function guardProcess(): () => void {
  let isDone = false
  endWhenBlocked()
  process.stdout.on('error', onOutputError)
  process.stderr.on('error', () => undefined)
  process.on('uncaughtException', (error) => {
    isDone = true
    if (HarnessError.isInstance(error)) {
      say(`steploop: ${error.message}`)
      process.exit(exitCodes.usage)
    }
    const reason = error instanceof Error ? (error.stack ?? error.message) : String(error)
    say(`steploop: something that nobody waited for was thrown${whileCaseRan()}, so nothing is reported: ${reason}`)
    process.exit(exitCodes.harness)
  })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      // `record`, `drift` and `cassette serve` have an end of their own; once they no longer listen, this is the second Ctrl-C.
      if (process.listenerCount(signal) > 1) return
      isDone = true
      say('steploop: interrupted: no report was written')
      process.exit(128 + numbers[signal])
    })
  }
  process.once('exit', () => {
    if (isDone) return
    say(
      `steploop: the process ended before the command did${whileCaseRan()}, so nothing is reported. The config or an adapter calls process.exit(), or waits for something that never comes.`,
    )
    process.exitCode = exitCodes.harness
  })
  return () => {
    isDone = true
  }
}

/** `steploop ... | head` closes the pipe early, and that is no failure. */
function onOutputError(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') return
  throw new HarnessError('usage', `Stdout cannot be written (${error.code ?? error.message}). Give a file instead.`)
}

/** Not by `console`, which is silent while a scenario runs, and at once, because the process ends here. */
function say(line: string): void {
  try {
    writeSync(process.stderr.fd, `${line}\n`)
  } catch {
    // There is no listener any more.
  }
}
