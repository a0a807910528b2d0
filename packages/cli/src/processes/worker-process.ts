import { fork, type ChildProcess } from 'node:child_process'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { HarnessError } from '@steploop/conformance'
import type { CaseProgress } from '@steploop/conformance/cli'
import { endWithThis } from './end-with-this.ts'
import { ProcessEnded } from './process-ended.ts'
import type { WorkerAnswer } from './worker-messages.ts'

/** A process that answers jobs, one at a time. */
export interface WorkerProcess<Job, Result> {
  /** @throws ProcessEnded when the process ends before it has answered, HarnessError for what the caller has to fix */
  ask(job: Job, onProgress: (progress: CaseProgress) => void): Promise<Result>
  end(how: 'SIGTERM' | 'SIGKILL'): void
}

/** What the process starts with, beside what this one was started with. */
export interface WorkerStart {
  readonly nodeOptions?: readonly string[] | undefined
  readonly environment?: Readonly<Record<string, string>> | undefined
  /** What becomes of its output, which is of code of others. Default: stderr. */
  readonly output?: 'stderr' | 'ignore' | undefined
}

/** For a process to end by itself. */
const graceMs = 2_000

/** The program, as source or as built. */
const program = fileURLToPath(new URL(`../main${extname(import.meta.url)}`, import.meta.url))

/** Starts a process of this program with one of its hidden commands. It ends with this one at the latest. */
export function startWorker<Job extends { readonly subject: string }, Result>(
  command: string,
  { nodeOptions = [], environment = {}, output = 'stderr' }: WorkerStart = {},
): WorkerProcess<Job, Result> {
  // What code of others writes past `process.stdout` must not get into a report either.
  const sink = output === 'stderr' ? 2 : 'ignore'
  const child = fork(program, [command], {
    stdio: ['inherit', sink, sink, 'ipc'],
    execArgv: [...process.execArgv, ...nodeOptions],
    env: { ...process.env, ...environment },
  })
  endWithThis(child)
  let busyWith = 'nothing'
  const ended = new Promise<never>((_, reject) => {
    child.on('error', (error) => reject(new ProcessEnded(`A process of the run cannot be reached: ${error.message}.`)))
    child.once('exit', (code, signal) => reject(new ProcessEnded(endOf(signal ?? `code ${code}`, busyWith, command))))
  })
  ended.catch(() => undefined)
  return {
    ask(job, onProgress) {
      busyWith = job.subject
      const report = (progress: CaseProgress): void => {
        busyWith = progress.address
        onProgress(progress)
      }
      return Promise.race([answered<Result>(child, job, report), ended])
    },
    end(how) {
      child.kill(how)
      // This process waits for that one, which keeps what it has compiled, unless code of others holds it.
      if (how === 'SIGTERM') setTimeout(() => child.kill('SIGKILL'), graceMs).unref()
    },
  }
}

function endOf(how: string, busyWith: string, command: string): string {
  const memory = how === 'SIGKILL' ? ' (the system does that when memory runs out)' : ''
  const [subject] = busyWith.split('/')
  return `The process that ran ${busyWith} ended with ${how}${memory}, so nothing is reported. Something ended it, or the adapter calls process.exit() or throws where nobody waits: --only ${subject}${command === 'conformance-worker' ? ' --workers 1' : ''} runs it alone.`
}

function answered<Result>(
  child: ChildProcess,
  job: object,
  onProgress: (progress: CaseProgress) => void,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const onMessage = (answer: WorkerAnswer<Result>): void => {
      if (answer.type === 'progress') return onProgress(answer.progress)
      child.off('message', onMessage)
      if (answer.type === 'result') resolve(answer.result)
      else if (answer.code !== undefined) reject(new HarnessError(answer.code, answer.message))
      else reject(new Error(answer.message))
    }
    child.on('message', onMessage)
    // With a listener, what cannot be sent is no event that ends this process; that the other one is gone is told by its end.
    child.send(job, () => undefined)
  })
}
