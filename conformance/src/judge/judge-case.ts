import { commonChecks } from './common-checks.ts'
import { described } from '../described.ts'
import { goldenCheck } from './golden-check.ts'
import { checkAddress, type Check, type Failure } from '../check.ts'
import { unread } from './request-checks.ts'
import { usageAsScripted, warnsInNeed } from './script-checks.ts'
import type { Evidence, SentRequest } from '../evidence.ts'
import type { CheckReport } from '../report-schema.ts'
import type { Scenario } from '../scenario.ts'
import type { Subject } from '../subject.ts'
import { withoutWords } from './applicability.ts'
import { NotObserved, withoutRequests } from '../play/turn-script.ts'

/** All checks of a case over its evidence: the common ones, the golden skeleton, the scenario's own. */
export function judgeCase(evidence: Evidence, scenario: Scenario, subject: Subject): readonly CheckReport[] {
  const [settles, asRecorded, ...others] = commonChecks
  const leading = [settles, asRecorded].filter((check) => check !== undefined)
  const scripted = [usageAsScripted(scenario), warnsInNeed(scenario)]
  const checks = [...leading, goldenCheck(scenario, subject), ...scenario.checks, ...others, ...scripted]
  const seen = subject.turnScript === undefined ? evidence : withoutRequests(evidence)
  const isOfModel = evidence.origin === 'live' || evidence.origin === 'local'
  const blind = subject.turnScript === undefined ? withBlindViews(seen) : undefined
  return checks
    .filter(({ isOfScript }) => !(isOfScript && isOfModel))
    .map((check) => {
      const wordless = withoutWords(subject, scenario, check.id)
      return judge(wordless === undefined ? check : { ...check, notSeen: () => wordless }, seen, blind)
    })
}

function judge(check: Check, evidence: Evidence, blind: Evidence | undefined): CheckReport {
  const facts = { id: check.id, sentence: check.sentence }
  const address = checkAddress(evidence.subject.name, evidence.scenario, evidence.mode, check.id)
  try {
    const reason = check.notSeen?.(evidence)
    if (reason !== undefined) return { ...facts, address, verdict: 'not-applicable', failures: [], reason }
    const failures = check.judge(evidence)
    if (failures.length === 0 && blind !== undefined) check.judge(blind)
    return { ...facts, address, verdict: failures.length === 0 ? 'pass' : 'fail', failures: failures.map(plain) }
  } catch (error) {
    if (error instanceof NotObserved) {
      return { ...facts, address, verdict: 'not-applicable', failures: [], reason: error.message }
    }
    const message = `the check itself failed: ${described(error)}. This is a bug of the suite; report it with the cassette.`
    return { ...facts, address, verdict: 'harness-error', failures: [{ message }] }
  }
}

/**
 * For a wire format that the suite cannot read, what looks into requests finds nothing, wrong or right. Whoever looks then has seen nothing,
 * and must not say that all is well.
 */
function withBlindViews(evidence: Evidence): Evidence | undefined {
  const reason = unread(evidence)
  if (reason === undefined) return undefined
  const blind = (request: SentRequest): SentRequest => ({
    ...request,
    get view(): undefined {
      throw new NotObserved(reason)
    },
  })
  return { ...evidence, runs: evidence.runs.map((run) => ({ ...run, requests: run.requests.map(blind) })) }
}

/** Without members that are `undefined`: reports are JSON. */
export function plain({ message, where }: Failure): { message: string; where?: string } {
  return where === undefined ? { message } : { message, where }
}
