import { spawn, type ChildProcess } from 'node:child_process'

const running = new Set<ChildProcess>()

/** Starts a program as the leader of a process group of its own: npm's wrappers start the real one, and both have to end. */
export function startChild(command: string, parameters: readonly string[], cwd?: string): ChildProcess {
  // NODE_OPTIONS may hold a condition or a loader, and the packages have to work without.
  const env = { ...process.env, NODE_OPTIONS: '', NO_COLOR: '1', DENO_NO_UPDATE_CHECK: '1' }
  const child = spawn(command, parameters, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe', 'pipe'] })
  running.add(child)
  child.once('close', () => running.delete(child))
  return child
}

export function endChild(child: ChildProcess): void {
  if (child.pid === undefined || !running.has(child)) return
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch {
    // It has ended in this moment.
  }
}

export function endChildren(): void {
  for (const child of running) endChild(child)
}

export interface ChildOptions {
  /** Milliseconds until it is ended. */
  readonly timeLimit: number
  readonly cwd?: string | undefined
}

/** Runs a program to its end and gives what it printed. Throws with the errors on its stderr when it fails or is too slow. */
export async function runChild(command: string, parameters: readonly string[], options: ChildOptions): Promise<string> {
  const child = startChild(command, parameters, options.cwd)
  let printed = ''
  let complaints = ''
  child.stdout?.setEncoding('utf8').on('data', (piece: string) => (printed += piece))
  child.stderr?.setEncoding('utf8').on('data', (piece: string) => (complaints += piece))
  const timer = setTimeout(endChild, options.timeLimit, child)
  try {
    const how = await new Promise<number | string | null>((resolve, reject) => {
      child.once('error', reject)
      child.once('close', (code, signal) => resolve(code ?? signal))
    })
    if (how === 0) return printed
    const why = how === 'SIGKILL' ? `it was ended after ${options.timeLimit} ms` : `exit code ${how}`
    const lines = complaints.trim().split('\n')
    // Deno says what happened before the stack, Node in the middle, npm several times.
    const errors = lines.filter((line) => /error/i.test(line)).slice(0, 3)
    throw new Error(`${command} failed, ${why}: ${(errors.length > 0 ? errors : lines.slice(-3)).join(' | ')}`)
  } finally {
    clearTimeout(timer)
  }
}
