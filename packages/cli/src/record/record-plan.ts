import { existsSync } from 'node:fs'
import type { Scenario } from '@steploop/conformance'
import { cassettePath } from '@steploop/conformance/cli'
import { leftOut } from '@steploop/lab'
import type { Mode } from '@steploop/core'
import type { Source } from './record-source.ts'
import { countOf } from './record-words.ts'

/** One case that is going to be recorded. */
export interface PlannedRecording extends Source {
  readonly scenario: Scenario
  readonly mode: Mode
  /** `<subject>/<scenario>/<mode>` */
  readonly name: string
  /** Requests that it takes if the model does what the scenario says. A model that does not is asked again. */
  readonly requests: number
}

export interface RecordingPlan {
  readonly cases: readonly PlannedRecording[]
  /** Cases left out because they do not apply, because only a simulator can play them, or because they have a cassette. */
  readonly notApplicable: number
  readonly simulatorOnly: number
  readonly present: number
}

export interface PlanOptions {
  readonly modes: readonly Mode[]
  /** Only what has no cassette yet. */
  readonly missing: boolean
}

export function planRecording(
  sources: readonly Source[],
  scenarios: readonly Scenario[],
  { modes, missing }: PlanOptions,
): RecordingPlan {
  const plan = { cases: [] as PlannedRecording[], notApplicable: 0, simulatorOnly: 0, present: 0 }
  const asked = sources.flatMap((source) =>
    scenarios.flatMap((scenario) => modes.map((mode) => ({ source, scenario, mode }))),
  )
  for (const { source, scenario, mode } of asked) {
    const { subject, from } = source
    const left = leftOut({ subject, scenario, mode, from })
    const name = `${subject.name}/${scenario.id}/${mode}`
    if (left?.status === 'not-applicable') plan.notApplicable += left.reason.length === 0 ? 0 : 1
    else if (left !== undefined) plan.simulatorOnly++
    else if (missing && existsSync(cassettePath(subject, scenario.id, mode))) plan.present++
    else plan.cases.push({ ...source, scenario, mode, name, requests: requestsOf(scenario) })
  }
  return plan
}

/** Each turn of the script answers one request; a derived cassette is made without any. */
function requestsOf({ script, derived }: Scenario): number {
  return derived === undefined ? script.length : 0
}

/** What `--dry-run` says. */
export function printPlan(plan: RecordingPlan, { maxRequests }: { readonly maxRequests: number | undefined }): string {
  const total = plan.cases.reduce((sum, { requests }) => sum + requests, 0)
  const lines = plan.cases.map(
    (one) => `would record ${one.name} ${sourceWords(one)}, ${countOf(one.requests, 'request')} at least`,
  )
  const beyond =
    maxRequests === undefined || total <= maxRequests
      ? []
      : [`more than --max-requests ${maxRequests}: not all would be recorded`]
  const sum = `${countOf(plan.cases.length, 'cassette')}, ${countOf(total, 'request')} at least; nothing was sent`
  return [...lines, ...beyond, ...leftOutLines(plan), sum, ''].join('\n')
}

function sourceWords({ from }: Source): string {
  return from === 'simulator' ? 'from the simulator' : `${from.origin ?? 'origin not declared'}, from ${from.baseURL}`
}

/** What the plan leaves out, for people. */
export function leftOutLines({ notApplicable, simulatorOnly, present }: RecordingPlan): readonly string[] {
  return [
    ...(notApplicable > 0 ? [`${notApplicable} not applicable`] : []),
    ...(simulatorOnly > 0 ? [`${simulatorOnly} only from a simulator: no real model can be made to do them`] : []),
    ...(present > 0 ? [`${present} already recorded`] : []),
  ]
}
