import { tmpdir } from 'node:os'
import type { Bundles } from './bundle.ts'
import { runChild } from './child.ts'
import type { Task } from './task.ts'

export interface Runtime {
  /** For `--only`. */
  readonly name: string
  /** What its `navigator.userAgent` has to match: proof that no other one ran. */
  readonly agent: RegExp
  /** Throws `MissingRuntime` when this machine does not have it and cannot fetch it. */
  start(bundles: Bundles): Promise<Session>
}

export interface Session {
  /** Gives an `Answer`, unchecked. */
  drive(task: Task): Promise<unknown>
  stop(): Promise<void>
}

/** The message says how to get it. */
export class MissingRuntime extends Error {
  override readonly name = 'MissingRuntime'
}

/** Milliseconds that one task may take, with the start of its process. */
export const taskLimit = 30_000

/**
 * Path of the program that an npm package brings, fetched into npm's cache when it is not there. They are no dev dependencies
 * because every install would fetch them: 100 MB each. Throws `MissingRuntime` when npm cannot.
 */
export async function npmBinary(packageName: string): Promise<string> {
  const find = `command -v ${packageName.split('@')[0]}`
  try {
    // From a neutral folder: npx would look through this workspace first.
    const options = { timeLimit: 300_000, cwd: tmpdir() }
    return (await runChild('npx', ['-y', '-p', packageName, '-c', find], options)).trim()
  } catch (cause) {
    throw new MissingRuntime(`not installed, and npx cannot fetch ${packageName}: ${String(cause)}`, { cause })
  }
}
