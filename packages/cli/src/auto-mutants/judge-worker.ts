import { answerJobs } from '../processes/answer-jobs.ts'
import { judgeBySuite } from './judge-by-suite.ts'
import { judgeByTraffic } from './judge-by-traffic.ts'
import { judgeByUnitTests } from './judge-by-unit-tests.ts'
import type { Judgement, JudgeJob } from './judgement.ts'
import { loadedModules } from './load-mutated.ts'

const judgeBy = { suite: judgeBySuite, traffic: judgeByTraffic, unit: judgeByUnitTests }

/** A process that judges one mutated package. */
export function answerMutants(): void {
  const rejection = '`judge-worker` is started by `steploop mutants --auto`, not by hand.'
  answerJobs<JudgeJob, Judgement>(rejection, async (job) => {
    return { ...(await judgeBy[job.judge](job)), modules: [...loadedModules] }
  })
}
