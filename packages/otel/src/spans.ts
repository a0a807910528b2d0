import { SpanStatusCode, trace, type Attributes, type SpanOptions } from '@opentelemetry/api'
import { safely } from './safely.ts'
import type { RunRecord, Started } from './records.ts'

export function startSpan({ tracer, context }: RunRecord, name: string, options: SpanOptions): Started {
  const span = tracer && safely(() => tracer.startSpan(name, options, context))
  if (span === undefined) return { span, recording: false, context }
  return {
    span,
    recording: safely(() => span.isRecording()) === true,
    context: safely(() => trace.setSpan(context, span)) ?? context,
  }
}

/** Each by itself: a tracer that fails in one must still be asked for the other. `time`: milliseconds from the epoch. */
export function endSpan(
  { span, recording }: Pick<Started, 'span' | 'recording'>,
  attributes: Attributes | undefined,
  { failed, time }: { failed: boolean; time: number },
): void {
  if (span === undefined) return
  if (recording && attributes !== undefined) safely(() => span.setAttributes(attributes))
  if (recording && failed) safely(() => span.setStatus({ code: SpanStatusCode.ERROR }))
  safely(() => span.end(time))
}
