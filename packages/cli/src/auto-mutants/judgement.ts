import type { IdleCode } from './code-reached.ts'
import type { AppliedMutation } from './mutation.ts'

/** In the order in which they are asked. The suite is two: `loop`, its tests of any loop, and `suite`, its cases of adapters. */
export const judges = ['loop', 'suite', 'traffic', 'unit'] as const
export type Judge = (typeof judges)[number]

/** Whether vitest is asked, which loads sources in a way of its own. */
export function isVitest(judge: Judge): boolean {
  return judge === 'loop' || judge === 'unit'
}

export interface JudgeJob {
  readonly judge: Judge
  /** Absolute path of the config file. */
  readonly config: string
  /** Folder of the config file. */
  readonly root: string
  /** Name of the subject that shows the package; of several, the first is also stressed. */
  readonly subject: string
  readonly subjects: readonly string[]
  /** Folders of recorded traffic. */
  readonly traffic: readonly string[]
  /** Where the suite's tests of any loop are run for the package's own one; none for adapters. */
  readonly loopTests: readonly string[]
  /** Folders with unit tests. */
  readonly tests: readonly string[]
  /** Files that tests have to reach, to be of any interest. */
  readonly reached: readonly string[]
  /** `undefined`: the package as it is. */
  readonly mutation: AppliedMutation | undefined
}

export interface Judgement {
  /** What noticed first; `undefined`: nothing did. */
  readonly noticedBy: string | undefined
  /** What was looked at: `179 cases`. */
  readonly ran: string
  /** URLs of what was loaded. */
  readonly modules: readonly string[]
  /** Idle code of the package as it is. */
  readonly idle: IdleCode
}

/** What one judge finds, without what the process knows. */
export type JudgeFinding = Omit<Judgement, 'modules' | 'idle'>
