import { isSpanContextValid, TraceFlags, type Link, type SpanContext } from '@opentelemetry/api'
import type { SuspendedRuns } from './options.ts'
import { safely } from './safely.ts'

const most = 1000

const inThisProcess = new Map<string, string>()

/** Of this process, whichever loop runs: the one that was suspended longest ago is forgotten first. */
export const ownSuspendedRuns: SuspendedRuns = {
  get: (id) => inThisProcess.get(id),
  set(id, traceparent) {
    inThisProcess.delete(id)
    inThisProcess.set(id, traceparent)
    for (const oldest of inThisProcess.keys()) {
      if (inThisProcess.size <= most) break
      inThisProcess.delete(oldest)
    }
  },
  delete: (id) => inThisProcess.delete(id),
}

export function keepSuspended(
  runs: SuspendedRuns,
  transcriptId: string,
  { traceId, spanId, traceFlags }: SpanContext,
): void {
  const flags = traceFlags.toString(16).padStart(2, '0')
  safely(() => runs.set(transcriptId, `00-${traceId}-${spanId}-${flags}`))
}

/** The run that this one goes on from. */
export function linkToSuspended(runs: SuspendedRuns, transcriptId: string): readonly Link[] {
  const text: unknown = safely(() => runs.get(transcriptId))
  const [, traceId = '', spanId = '', flags = ''] = /^00-(\w{32})-(\w{16})-(\w\w)$/.exec(String(text)) ?? []
  const traceFlags = Number.parseInt(flags, 16) & TraceFlags.SAMPLED
  const context: SpanContext = { traceId, spanId, traceFlags, isRemote: true }
  if (!isSpanContextValid(context)) return []
  safely(() => runs.delete(transcriptId))
  return [{ context }]
}
