import { SpanStatusCode, type Attributes, type Span } from '@opentelemetry/api'
import { safely } from './safely.ts'

/** Each by itself: a tracer that fails in one must still be asked for the other. `time`: milliseconds from the epoch. */
export function endSpan(
  span: Span,
  attributes: Attributes | undefined,
  { failed, time }: { failed: boolean; time: number },
): void {
  if (attributes !== undefined) safely(() => span.setAttributes(attributes))
  if (failed) safely(() => span.setStatus({ code: SpanStatusCode.ERROR }))
  safely(() => span.end(time))
}
