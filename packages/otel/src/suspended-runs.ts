import { isSpanContextValid, TraceFlags, type Link, type Span } from '@opentelemetry/api'
import type { SuspendedRuns } from './options.ts'
import { safely } from './safely.ts'

const maxRuns = 1000

const inThisProcess = new Map<string, string>()

/** Suspended runs of this process, whichever loop runs: the one that was suspended longest ago is forgotten first. */
export const ownSuspendedRuns: SuspendedRuns = {
  get: (id) => inThisProcess.get(id),
  set(id, traceparent) {
    inThisProcess.delete(id)
    inThisProcess.set(id, traceparent)
    for (const oldest of inThisProcess.keys()) {
      if (inThisProcess.size <= maxRuns) break
      inThisProcess.delete(oldest)
    }
  },
}

export function keepSuspended(runs: SuspendedRuns, transcriptId: string, span: Span): void {
  const context = safely(() => span.spanContext())
  if (context === undefined || !isSpanContextValid(context)) return
  const flags = context.traceFlags.toString(16).padStart(2, '0')
  safely(() => runs.set(transcriptId, `00-${context.traceId}-${context.spanId}-${flags}`))
}

/** The run that this one goes on from. It stays there: a run that fails is begun again from where it was. */
export function linkToSuspended(runs: SuspendedRuns, transcriptId: string): Link[] {
  const text: unknown = safely(() => runs.get(transcriptId))
  if (typeof text !== 'string') return []
  const [, traceId = '', spanId = '', flags = ''] = /^00-(\w{32})-(\w{16})-(\w\w)$/.exec(text) ?? []
  const traceFlags = Number.parseInt(flags, 16) & TraceFlags.SAMPLED
  const context = { traceId, spanId, traceFlags, isRemote: true }
  return isSpanContextValid(context) ? [{ context }] : []
}
