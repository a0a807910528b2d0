import { runConformance, type Report } from '@steploop/conformance'
import { answerOrders } from './answer-orders.ts'
import { loadConfig } from './load-config.ts'
import type { WorkerOrder } from './worker-messages.ts'

/** One of the processes of a run. */
export function answerConformanceOrders(): void {
  const refusal = '`conformance-worker` is started by `steploop conformance --workers N`, not by hand.'
  answerOrders<WorkerOrder, Report>(refusal, async ({ config, subject, options }, onProgress) => {
    const { subjects } = await loadConfig(config)
    return runConformance(subjects, { ...options, only: [subject], onProgress })
  })
}
