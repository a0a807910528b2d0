import { HarnessError, runConformance, type Progress } from '@steploop/conformance'
import { noteCase } from './case-under-way.ts'
import { endWithParent } from './end-with-parent.ts'
import { divertOutput } from './foreign-output.ts'
import { loadConfig } from './load-config.ts'
import type { WorkerOrder, WorkerAnswer } from './worker-messages.ts'

type Send = (answer: WorkerAnswer) => void

/**
 * One of the processes of a run: runs the subjects that the parent names, until the parent ends this process or goes away.
 *
 * @throws HarnessError `usage` when there is no parent that could name any
 */
export function answerOrders(): void {
  const send = takeChannel()
  divertOutput()
  endWithParent()
  process.on('message', (order: WorkerOrder) => {
    void answerOrder(order, send).then(send)
  })
  process.once('disconnect', () => process.exit())
  // Ctrl-C reaches every process of the run, and the parent ends this one with SIGTERM: it says so, not each of them.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit())
}

/** The way to the parent. Code of others must not find it: much of it greets whoever started it, and behaves otherwise then. */
function takeChannel(): Send {
  const send = process.send?.bind(process)
  if (send === undefined) {
    throw new HarnessError(
      'usage',
      '`conformance-worker` is started by `steploop conformance --workers N`, not by hand.',
    )
  }
  Reflect.set(process, 'send', undefined)
  // To a parent that may have gone away, which is no failure of this process.
  return (answer) => void send(answer, undefined, undefined, () => undefined)
}

async function answerOrder({ config, subject, options }: WorkerOrder, send: Send): Promise<WorkerAnswer> {
  const onProgress = (progress: Progress): void => {
    noteCase(progress.address)
    send({ type: 'progress', progress })
  }
  try {
    const { subjects } = await loadConfig(config)
    return { type: 'report', report: await runConformance(subjects, { ...options, only: [subject], onProgress }) }
  } catch (error) {
    if (error instanceof HarnessError) return { type: 'failed', message: error.message, code: error.code }
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error)
    return { type: 'failed', message, code: undefined }
  }
}
