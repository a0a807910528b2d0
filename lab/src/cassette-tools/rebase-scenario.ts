import { existsSync } from 'node:fs'
import { CassetteError, printCassette, readCassette, writeCassette, type Cassette } from '@steploop/cassette'
import { cassetteFetch } from '@steploop/cassette/fetch'
import { createRebase } from '@steploop/cassette/record'
import type { Mode } from '@steploop/core'
import type { Scenario, Subject } from '@steploop/conformance'
import { cassettePath, replayProblems, judgeCase, playScenario } from '@steploop/conformance/cli'

export interface RebaseScenarioOptions {
  readonly subject: Subject
  readonly scenario: Scenario
  readonly mode: Mode
  /** Milliseconds that one run may take. Default: 60,000. */
  readonly deadline?: number | undefined
  /** The day that marks rewritten requests. Default: today. */
  readonly today?: (() => Date) | undefined
}

export interface RebaseOutcome {
  readonly path: string
  /** `missing`: there is no cassette. `refused`: the answers no longer belong to the requests, or a check fails on them. */
  readonly status: 'rebased' | 'unchanged' | 'missing' | 'refused'
  /** Requests that were rewritten this time. */
  readonly rewritten: number
  readonly problems: readonly string[]
}

/**
 * Rewrites the request halves of one cassette after an encoding was changed on purpose: plays the scenario on the recorded answers, takes
 * down what is sent now, replays the result strictly, and requires every check of the scenario to hold. Rewritten halves carry the day
 * until they are recorded anew.
 *
 * @throws {CassetteError} for a cassette that cannot be read or written
 */
export async function rebaseScenario(options: RebaseScenarioOptions): Promise<RebaseOutcome> {
  const { subject, scenario, mode } = options
  const path = cassettePath(subject, scenario.id, mode)
  const outcome = { path, rewritten: 0, problems: [] }
  if (!existsSync(path)) return { ...outcome, status: 'missing' }
  const before = readCassette(path)
  const after = await rewritten(before, path, options)
  if (CassetteError.isInstance(after)) return { ...outcome, status: 'refused', problems: [after.message] }
  if (printCassette(after) === printCassette(before)) return { ...outcome, status: 'unchanged' }
  const problems = await verify(after, options)
  if (problems.length > 0) return { ...outcome, status: 'refused', problems }
  writeCassette(path, after)
  const changed = after.exchanges.filter(({ request }, index) => request !== before.exchanges[index]?.request)
  return { ...outcome, status: 'rebased', rewritten: changed.length }
}

async function rewritten(before: Cassette, path: string, options: RebaseScenarioOptions) {
  const rebase = createRebase(before, { fileName: path, today: options.today })
  await playScenario({ ...options, deadline: options.deadline ?? 60_000, fetch: rebase.fetch })
  try {
    return rebase.finish()
  } catch (error) {
    if (CassetteError.isInstance(error)) return error
    throw error
  }
}

async function verify(cassette: Cassette, options: RebaseScenarioOptions): Promise<readonly string[]> {
  const { subject, scenario } = options
  const fetch = cassetteFetch(cassette)
  const replayed = await playScenario({ ...options, deadline: options.deadline ?? 60_000, fetch })
  const checks = judgeCase({ ...replayed, replayProblems: replayProblems(fetch.replay) }, scenario, subject)
  return checks.flatMap(({ id, failures }) => failures.map(({ message }) => `${id}: ${message}`))
}
