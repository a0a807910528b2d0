import { HarnessError } from '@steploop/conformance'
import { CommanderError, type Command } from 'commander'
import { exitCodes } from './exit-codes.ts'
import { ProcessEnded } from '../processes/process-ended.ts'

/**
 * Runs the program and turns what it throws into an exit code with a message: wrong options and unreadable input 2, a bug of ours 70.
 * Sets `process.exitCode` instead of exiting, so that what was written to a pipe arrives whole.
 */
export async function runCommand(program: Command, argv: readonly string[]): Promise<void> {
  try {
    await program.parseAsync(argv)
  } catch (error) {
    process.exitCode = report(error)
  }
}

function report(error: unknown): number {
  // Commander has printed its own message.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.expected : exitCodes.usage
  if (HarnessError.isInstance(error)) {
    console.error(`steploop: ${error.message}`)
    return exitCodes.usage
  }
  if (error instanceof ProcessEnded) {
    console.error(`steploop: ${error.message}`)
    return exitCodes.harness
  }
  const reason = error instanceof Error ? (error.stack ?? error.message) : String(error)
  console.error(`steploop failed; this is a bug of steploop: ${reason}`)
  return exitCodes.harness
}
