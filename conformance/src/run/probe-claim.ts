import type { Adapter, Capabilities, Mode } from '@steploop/core'
import type { Failure } from '../check.ts'
import { simulatedFetch } from '../play/simulated-fetch.ts'
import type { Scenario } from '../scenario.ts'
import { choices, choiceShownBy, features, shownBy, type Feature } from '../shown-claims.ts'
import type { Subject } from '../subject.ts'
import type { RequestView } from '../request-view.ts'
import { holdsIn, notApplicable } from '../judge/applicability.ts'
import type { CaseJob } from '../stress/case-job.ts'
import { judgeCase } from '../judge/judge-case.ts'
import { playScenario } from '../play/play-scenario.ts'

/**
 * Plays a scenario that does not apply as if the adapter claimed what it lacks, against the simulator. When all holds, the claim is missing,
 * and the failure says so. Limits of the provider that the subject names are believed.
 */
export async function probeClaim(job: CaseJob, { capabilities }: Adapter): Promise<readonly Failure[]> {
  const { subject, scenario, mode, deadline } = job
  const { flags, kinds } = unclaimed(scenario, capabilities, mode)
  const missing = [...flags, ...(kinds.length > 0 ? (['toolChoice'] as const) : [])]
  if (missing.length === 0 || missing.some((name) => subject.limits?.[name] !== undefined)) return []
  const claiming = claim(subject, {
    ...capabilities,
    ...Object.fromEntries(flags.map((flag) => [flag, true])),
    toolChoice: [...(capabilities.toolChoice ?? []), ...kinds],
  })
  const { capabilities: claimed } = claiming.adapter({})
  if (notApplicable(scenario, claimed, { mode, subject }) !== undefined) return []
  const provider = openProvider(subject, job)
  if (provider === undefined) return []
  const { fetch, rejections } = provider
  const played = await playScenario({ subject: claiming, scenario, mode, deadline, fetch, instantPauses: true })
  const checks = judgeCase({ ...played, replayProblems: [] }, scenario, claiming)
  const views = played.runs.flatMap(({ requests }) => requests.flatMap(({ view }) => view ?? []))
  const holds =
    flags.every((flag) => isAsked(flag, views)) &&
    rejections.length === 0 &&
    checks.every(({ verdict }) => verdict === 'pass' || verdict === 'not-applicable')
  if (!holds) return []
  const names = [...flags, ...kinds.map((kind) => `toolChoice: ${kind}`)].map((name) => `\`${name}\``).join(', ')
  const message = `${names} is not claimed, and this scenario holds against the simulator all the same: claim it, or name the provider's limit in \`limits\` of the subject`
  return [{ message, where: `capabilities.${missing[0]}` }]
}

/** What the scenario is there to show, and the adapter does not claim. A scenario that merely needs a capability holds without it too. */
function unclaimed({ id }: Scenario, capabilities: Capabilities, mode: Mode) {
  return {
    flags: features.filter((flag) => shownBy[flag] === id && !holdsIn(capabilities[flag], mode)),
    kinds: choices.filter((kind) => choiceShownBy[kind] === id && capabilities.toolChoice?.includes(kind) !== true),
  }
}

/** A simulator that takes everything shows nothing of what no request asks for. */
function isAsked(feature: Feature, views: readonly RequestView[]): boolean {
  if (feature === 'continuation') return views.some(({ continuation }) => continuation !== undefined)
  if (feature !== 'structured' && feature !== 'structuredWithTools') return true
  return views.some(({ outputSchema }) => outputSchema !== undefined)
}

/** The provider as the simulator plays it; `undefined` for a wire format, or a script, that it does not speak. */
function openProvider(subject: Subject, { scenario }: CaseJob): ReturnType<typeof simulatedFetch> | undefined {
  try {
    return simulatedFetch({ subject, scenario: scenario.id, script: scenario.script })
  } catch {
    return undefined
  }
}

function claim(subject: Subject, capabilities: Capabilities): Subject {
  return {
    ...subject,
    adapter(options) {
      const adapter = subject.adapter(options)
      const { provider, model } = adapter
      return { provider, model, capabilities, turn: (request, context) => adapter.turn(request, context) }
    },
  }
}
