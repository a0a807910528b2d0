import type { Failure } from '../check.ts'
import type { Evidence } from '../evidence.ts'
import { lineDiff } from '../judge/trace/line-diff.ts'
import { printSkeleton } from '../judge/trace/print-skeleton.ts'
import { traceOf, type Trace } from '../judge/trace/trace.ts'
import { canonicalJson } from '../json.ts'

export const modesSentence =
  'Generate and stream give the same skeleton, the same texts, inputs and outputs, and leave the same conversation.'

/** Two evidences of one scenario and subject, one per mode, against each other. */
export function compareModes(generate: Evidence, stream: Evidence): readonly Failure[] {
  const traces = [generate, stream].map(({ runs }) => traceOf(runs))
  const [left, right] = traces.map((trace) => printSkeleton(trace))
  if (left !== right) {
    return [{ message: `the skeletons differ (- generate, + stream):\n${lineDiff(left ?? '', right ?? '')}` }]
  }
  const [reported, streamed] = traces.map((trace) => contentLines(trace))
  if (reported !== streamed) {
    return [{ message: `the contents differ (- generate, + stream):\n${changedLines(reported ?? '', streamed ?? '')}` }]
  }
  return []
}

/** What was said, called and answered, one line each. */
function contentLines({ runs }: Trace): string {
  const lines = runs.flatMap((run, index) =>
    run.steps.flatMap((step, number) => [
      ...step.parts.map((part) => `run ${index + 1}, step ${number + 1}: ${canonicalJson(part)}`),
      ...step.results.map((result) => `run ${index + 1}, step ${number + 1}: ${canonicalJson(result)}`),
    ]),
  )
  return lines.join('\n')
}

function changedLines(expected: string, got: string): string {
  return lineDiff(expected, got)
    .split('\n')
    .filter((line) => !line.startsWith('  '))
    .slice(0, 8)
    .join('\n')
}
