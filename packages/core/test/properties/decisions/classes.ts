import { LoopError } from '../../../src/contract/errors.ts'
import { decisionOn } from './next-run.ts'
import type { DecisionObservation, RunRecord } from './play.ts'
import { isKept, resultsIn } from './views.ts'
import type { ToolAnswer } from '../../../src/contract/transcript.ts'

/** What the draws have to meet often enough; each name is a line of the printed table. */
export const classes: readonly string[] = `
  approved | approved with other input | denied | left open | given up | a client answered | answers were forged | options refused
  judged by a predicate | judged by \`denyCall\` | asked by a predicate | denied by \`denyCall\` | denied by a policy
  ran: plain | ran: any | ran: default | ran: tidy | ran: set | ran: big | ran: fresh | ran: late
  wrote: everybody | wrote: input | wrote: messages | wrote: predicate | wrote: denyCall | wrote: refineInput | wrote: hook | wrote: prepareStep
  refined | fixed | started early | thrown away | cached | continued | trimmed | object given | read slowly | turn asked for again
  resumed | resumed from JSON | resumed an older transcript | resumed after a failure | prompted
  changed: deny | changed: inactive | changed: one-call | changed: definition | changed: always
  tampered: call-twice | tampered: exchange-twice | tampered: message-twice | tampered: orphan-result | tampered: orphan-message
  tampered: approval-for-none | tampered: reason-flipped | tampered: input-changed | tampered: pending-input-changed
  tampered: both-inputs-changed | tampered: pending-twice | tampered: pending-gone | tampered: redacted | tampered: nested-redacted
  tampered: first-gone | tampered: reordered
  policy: allow | policy: deny | policy: limit | policy: share | policy: force | policy: cache | policy: retry-empty
  policy: turn-time | policy: finalize | policy: cut-output
  ended: answer | ended: approval | ended: client-tool | ended: hook | ended: max-steps | ended: max-tool-calls | ended: timeout
  ended: token-budget | failed: aborted | failed: tool-failed | failed: turn-failed | failed: hook-failed
  failed: invalid-transcript | failed: invalid-input
`
  .split(/[|\n]/)
  .map((name) => name.trim())
  .filter((name) => name !== '')

/** The classes that an observation belongs to. */
export function classesOf(observation: DecisionObservation): ReadonlySet<string> {
  const met = new Set<string>()
  const { draw, refused, runs } = observation
  if (refused !== undefined) met.add('options refused')
  for (const run of runs) {
    endings(run, met)
    if (run.draw !== undefined) beginnings(run, observation, met)
  }
  for (const policy of draw.app.policies) met.add(`policy: ${policy.type}`)
  eventsMet(observation, met)
  return met
}

function endings({ outcome, retries }: RunRecord, met: Set<string>): void {
  if (retries.length > 0) met.add('turn asked for again')
  if (outcome.type === 'error' && LoopError.isInstance(outcome.error)) met.add(`failed: ${outcome.error.code}`)
  if (outcome.type !== 'result') return
  met.add(`ended: ${outcome.result.stopReason}`)
  if (outcome.result.output !== undefined) met.add('object given')
}

function beginnings(run: RunRecord, { runs }: DecisionObservation, met: Set<string>): void {
  const { draw, base, shown, tampered, forged } = run
  met.add('resumed')
  if (draw?.json) met.add('resumed from JSON')
  if (draw?.prompt) met.add('prompted')
  if (base !== undefined && base < run.run - 1) met.add('resumed an older transcript')
  if (base !== undefined && runs[base]?.outcome.type === 'error') met.add('resumed after a failure')
  if (draw?.change !== 'none') met.add(`changed: ${draw?.change}`)
  if (tampered) met.add(`tampered: ${draw?.tamper}`)
  if (forged) met.add('answers were forged')
  for (const id of shown.keys()) met.add(decisionName(decisionOn(id, run), draw?.prompt === true))
}

function decisionName(decision: ToolAnswer | undefined, prompted: boolean): string {
  if (decision === undefined) return prompted ? 'given up' : 'left open'
  if (!('approved' in decision)) return 'a client answered'
  if (!decision.approved) return 'denied'
  return decision.input === undefined ? 'approved' : 'approved with other input'
}

function eventsMet({ draw, runs, ledger }: DecisionObservation, met: Set<string>): void {
  const { app } = draw
  const { judged, executed, requests } = ledger
  for (const { by, passes } of judged) {
    if (by === 'predicate') met.add(passes ? 'judged by a predicate' : 'asked by a predicate')
    if (by === 'denyCall') met.add(passes ? 'judged by `denyCall`' : 'denied by `denyCall`')
  }
  for (const execution of executed) {
    const schema = draw.tools[Number(execution.tool.slice(1))]?.schema
    met.add(`ran: ${schema}`)
    if (execution.early) met.add(isKept(execution) ? 'started early' : 'thrown away')
  }
  if (app.writer !== undefined && executed.length > 0) met.add(`wrote: ${app.writer}`)
  if (app.refine !== 'none' && app.refine !== 'keep' && executed.length > 0) met.add('refined')
  if (app.fix !== 'none' && executed.length > 0) met.add('fixed')
  if (app.trim !== undefined && runs.length > 1) met.add('trimmed')
  if (app.consumer === 'slow') met.add('read slowly')
  if (requests.some(({ continuation }) => continuation !== undefined)) met.add('continued')
  const ends = runs.flatMap(({ ended }) => resultsIn(ended?.messages ?? []))
  const completed = ends.filter(({ output }) => output.type === 'json')
  if (app.policies.some(({ type }) => type === 'cache') && completed.length > executed.length) met.add('cached')
  const denied = ends.some(({ output }) => output.type === 'error' && output.value.code === 'denied')
  if (denied && app.policies.some(({ type }) => type === 'allow' || type === 'deny')) met.add('denied by a policy')
}
