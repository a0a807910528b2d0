import { runConformance, type Report } from '@steploop/conformance'
import { answerJobs } from '../processes/answer-jobs.ts'
import { loadConfig } from '../config/load-config.ts'
import type { ConformanceJob } from '../processes/worker-messages.ts'

/** One of the processes of a run. */
export function answerConformanceJobs(): void {
  const rejection = '`conformance-worker` is started by `steploop conformance --workers N`, not by hand.'
  answerJobs<ConformanceJob, Report>(rejection, async ({ config, subject, options }, onProgress) => {
    const { subjects } = await loadConfig(config)
    return runConformance(subjects, { ...options, only: [subject], onProgress })
  })
}
