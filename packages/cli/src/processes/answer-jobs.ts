import { HarnessError } from '@steploop/conformance'
import type { CaseProgress } from '@steploop/conformance/cli'
import { noteCase } from './case-under-way.ts'
import { endWithParent } from './end-with-parent.ts'
import { divertOutput } from './foreign-output.ts'
import type { WorkerAnswer } from './worker-messages.ts'

type Send<Result> = (answer: WorkerAnswer<Result>) => void

/** What a process of a run does with a job. */
export type Work<Job, Result> = (job: Job, onProgress: (progress: CaseProgress) => void) => Promise<Result>

/**
 * Makes this process one of several of a run: it works through what the parent asks for, until the parent ends it or goes away.
 *
 * @param rejection for whoever types the hidden command
 * @throws HarnessError `usage` when there is no parent that could ask for anything
 */
export function answerJobs<Job, Result>(rejection: string, work: Work<Job, Result>): void {
  const send = takeChannel<Result>(rejection)
  divertOutput()
  endWithParent()
  process.on('message', (job: Job) => {
    void answerJob(job, work, send).then(send)
  })
  process.once('disconnect', () => process.exit())
  // Ctrl-C reaches every process of the run, and the parent ends this one with SIGTERM: it says so, not each of them.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit())
}

/** The way to the parent. Code of others must not find it: much of it greets whoever started it, and behaves otherwise then. */
function takeChannel<Result>(rejection: string): Send<Result> {
  const send = process.send?.bind(process)
  if (send === undefined) throw new HarnessError('usage', rejection)
  Reflect.set(process, 'send', undefined)
  // To a parent that may have gone away, which is no failure of this process.
  return (answer) => void send(answer, undefined, undefined, () => undefined)
}

async function answerJob<Job, Result>(
  job: Job,
  work: Work<Job, Result>,
  send: Send<Result>,
): Promise<WorkerAnswer<Result>> {
  const onProgress = (progress: CaseProgress): void => {
    noteCase(progress.address)
    send({ type: 'progress', progress })
  }
  try {
    return { type: 'result', result: await work(job, onProgress) }
  } catch (error) {
    if (HarnessError.isInstance(error)) return { type: 'failed', message: error.message, code: error.code }
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error)
    return { type: 'failed', message, code: undefined }
  }
}
