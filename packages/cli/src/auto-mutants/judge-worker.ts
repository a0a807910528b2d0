import { answerOrders } from '../answer-orders.ts'
import { judgeBySuite } from './judge-by-suite.ts'
import { judgeByTraffic } from './judge-by-traffic.ts'
import { judgeByUnitTests } from './judge-by-unit-tests.ts'
import type { Judgement, JudgeOrder } from './judgement.ts'
import { loadedModules } from './load-mutated.ts'

const judgeBy = { suite: judgeBySuite, traffic: judgeByTraffic, unit: judgeByUnitTests }

/** A process that judges one mutated package. */
export function answerMutants(): void {
  const refusal = '`mutant-worker` is started by `steploop mutants --auto`, not by hand.'
  answerOrders<JudgeOrder, Judgement>(refusal, async (order) => {
    return { ...(await judgeBy[order.judge](order)), modules: [...loadedModules] }
  })
}
