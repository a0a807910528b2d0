import { spawn } from 'node:child_process'

export interface ProgramOptions {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
  /** Exit codes that are expected. Default: 0 alone. */
  readonly codes?: readonly number[] | undefined
  /** Milliseconds after which it is ended. Default 180,000. */
  readonly deadline?: number | undefined
}

export interface ProgramResult {
  readonly code: number
  readonly out: string
  readonly error: string
}

/**
 * Runs a program to its end. Nothing is asked of it: its input is closed.
 *
 * @throws Error with all that it printed, for an exit code that is not expected or when it takes too long
 */
export function runProgram(command: string, words: readonly string[], options: ProgramOptions): Promise<ProgramResult> {
  const { cwd, env = process.env, codes = [0], deadline = 180_000 } = options
  const line = [command, ...words].join(' ')
  return new Promise((resolve, reject) => {
    const child = spawn(command, words, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], timeout: deadline })
    let [out, error] = ['', '']
    child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => (error += text))
    child.on('error', (cause) => reject(new Error(`${line} in ${cwd} could not be started`, { cause })))
    child.on('close', (code) => {
      if (code !== null && codes.includes(code)) {
        resolve({ code, out, error })
        return
      }
      const ended = code === null ? `was ended after ${deadline} ms` : `gave exit code ${code}`
      const said = `${end(out)}\n${end(error)}`
      reject(new Error(`${line} in ${cwd} ${ended}, expected ${codes.join(' or ')}:\n${said}`))
    })
  })
}

/** The cause stands at the end of what a program says. */
function end(text: string): string {
  return text.length > 4000 ? `… ${text.slice(-4000)}` : text
}
