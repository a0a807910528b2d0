import type { Adapter, Capabilities } from '@steploop/core'
import { simulatedFetch } from '../play/simulated-fetch.ts'
import type { Subject } from '../subject.ts'
import { holdsIn, notApplicable } from '../judge/capability.ts'
import type { CaseOrder } from '../stress/case-order.ts'
import { judgeCase } from '../judge/judge-case.ts'
import { playScenario } from '../play/play-scenario.ts'

/**
 * Plays a scenario that does not apply as if the adapter claimed what it lacks, against the simulator. When all holds, the claim may be
 * missing, and the text says so. Limits of the provider that the subject names are believed.
 */
export async function probeClaim(order: CaseOrder, { capabilities }: Adapter): Promise<string | undefined> {
  const { subject, scenario, mode, deadline } = order
  const missing = scenario.needs.filter((feature) => !holdsIn(capabilities[feature], mode))
  if (missing.length === 0 || missing.some((feature) => subject.limits?.[feature] !== undefined)) return undefined
  const flags = Object.fromEntries(missing.map((feature) => [feature, true]))
  const claiming = claim(subject, { ...capabilities, ...flags })
  const { capabilities: claimed } = claiming.adapter({})
  if (notApplicable(scenario, claimed, { mode, subject }) !== undefined) return undefined
  const provider = openProvider(subject, order)
  if (provider === undefined) return undefined
  const { fetch, refusals } = provider
  const played = await playScenario({ subject: claiming, scenario, mode, deadline, fetch, instantPauses: true })
  const checks = judgeCase({ ...played, replayProblems: [] }, scenario, claiming)
  const holds =
    refusals.length === 0 && checks.every(({ verdict }) => verdict === 'pass' || verdict === 'not-applicable')
  const names = missing.map((feature) => `\`${feature}\``).join(', ')
  return holds
    ? `it holds against the simulator all the same, so the claim of ${names} may be missing: claim it, or name the provider's limit in the subject`
    : undefined
}

/** The provider as the simulator plays it; `undefined` for a wire format, or a script, that it does not speak. */
function openProvider(subject: Subject, { scenario }: CaseOrder): ReturnType<typeof simulatedFetch> | undefined {
  try {
    return simulatedFetch({ subject, script: scenario.script })
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
