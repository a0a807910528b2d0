import { runConformance, type ConformanceOptions, type Report } from '@steploop/conformance'
import type { CaseReport } from '@steploop/conformance/cli'
import { knownFailuresOf } from '../conformance/conformance.ts'
import { loadConfig } from '../config/load-config.ts'
import type { JudgeFinding, JudgeJob } from './judgement.ts'

/**
 * The conformance suite until something is red: first every case of every subject, and every form of a request, then what an ordinary run has
 * beside that, front-ends and stressors, for the first subject.
 */
export async function judgeBySuite({ config, root, subject, subjects: names }: JudgeJob): Promise<JudgeFinding> {
  const { subjects } = await loadConfig(config)
  const options: ConformanceOptions = { knownFailures: knownFailuresOf(root), bail: true }
  let cases = 0
  for (const name of names) {
    const stress = name === subject ? [] : ['requests']
    const base = await runConformance(subjects, { ...options, only: [name], stress, frontEnds: ['fetch'] })
    const red = firstRed(base)
    cases += base.cases.length
    if (red !== undefined) return { noticedBy: red, ran: `${cases} cases` }
  }
  const whole = await runConformance(subjects, { ...options, only: [subject] })
  return { noticedBy: firstRed(whole) ?? whole.problems[0]?.message, ran: `${cases} cases, stressed for ${subject}` }
}

/** The first case that is red, with its checks that are. */
function firstRed({ cases }: Report): string | undefined {
  const red = cases.find(({ verdict }) => isRed(verdict))
  const checks = red?.checks.filter(({ verdict }) => isRed(verdict)) ?? []
  return red && [red.address, ...checks.map(({ id }) => `#${id}`)].join(' ')
}

function isRed(verdict: CaseReport['verdict']): boolean {
  return ['fail', 'harness-error', 'unexpected-pass'].includes(verdict)
}
