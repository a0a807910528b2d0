import type { Subject } from '@steploop/conformance'
import { cutFault, tryFaults, type FaultOutcome } from './trials/faults.ts'
import { routed, routes } from './gateways/gateway-routes.ts'
import { findGateways, type Gateway } from './gateways/gateways.ts'
import { candidatesOf } from './trials/trial.ts'
import type { LiveJob } from './live-job.ts'
import { record } from './live-record.ts'
import type { ServerKind } from './servers/server-kind.ts'
import { freePort } from './servers/server-process.ts'

/** Every way through the gateways that a subject can take: recorded, and cut in the middle of calls. */
export async function checkGateways(job: LiveJob, llama: ServerKind): Promise<void> {
  const { report, cache, say, patience, signal } = job
  const gateways = await findGateways(cache, say, patience)
  for (const name of ['portkey', 'llms'] as const) {
    if (signal.aborted) return
    const gateway = gateways[name]
    const port = await freePort()
    const upstream = `http://127.0.0.1:${port}`
    const subjects = routes.flatMap((route): readonly Subject[] => {
      const subject = job.subjects.find(({ wire }) => route.gateway === name && wire === route.wire)
      return subject === undefined ? [] : [routed(subject, route, upstream)]
    })
    if (subjects.length === 0) continue
    const running = await gateway.launch(upstream)
    try {
      await running.ready()
      const kind = behind(gateway, running.url, llama, port)
      report.servers.push(kind.version)
      await record({ ...job, subjects }, kind)
      report.faults.push(...(await cutCallsOf(job, kind, subjects)))
    } finally {
      await running.kill()
    }
  }
}

async function cutCallsOf(
  { modes, signal, progress }: LiveJob,
  kind: ServerKind,
  subjects: readonly Subject[],
): Promise<readonly FaultOutcome[]> {
  const onTrial = (fault: string, candidate: string): void => progress.begin(1, 1, `${fault} ${candidate}`)
  const candidates = candidatesOf(subjects, modes)
  return tryFaults({ kind, candidates, crashes: 0, signal, onTrial, only: [cutFault] })
}

/** The server keeps its port, so that the gateway finds the next one too. */
function behind(gateway: Gateway, url: string, llama: ServerKind, port: number): ServerKind {
  return {
    ...llama,
    name: gateway.version,
    isFlaky: true,
    version: `${gateway.version} before ${llama.version}`,
    launch: async (options) => ({ ...(await llama.launch({ ...options, port })), url }),
  }
}
