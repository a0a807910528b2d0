import { answerJobs } from '../processes/answer-jobs.ts'
import { watchCode } from './code-reached.ts'
import { judgeBySuite } from './judge-by-suite.ts'
import { judgeByTraffic } from './judge-by-traffic.ts'
import { judgeByLoopTests, judgeByUnitTests } from './judge-by-unit-tests.ts'
import { isVitest, type Judgement, type JudgeJob } from './judgement.ts'
import { loadedModules } from './load-mutated.ts'

const judgeBy = { loop: judgeByLoopTests, suite: judgeBySuite, traffic: judgeByTraffic, unit: judgeByUnitTests }

/** A process that judges one mutated package. */
export function answerMutants(): void {
  const rejection = '`judge-worker` is started by `steploop mutants --auto`, not by hand.'
  answerJobs<JudgeJob, Judgement>(rejection, async (job) => {
    // Vitest runs sources in places of its own.
    const idleCode = job.mutation === undefined && !isVitest(job.judge) ? await watchCode() : undefined
    const found = await judgeBy[job.judge](job)
    return { ...found, modules: [...loadedModules], idle: (await idleCode?.()) ?? {} }
  })
}
