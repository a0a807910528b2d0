import { canonicalJson } from '../../json.ts'
import type { Trace, TraceEnd, TracePart, TraceResult, TraceRun, TraceStep } from './trace.ts'

/**
 * The trace as the text that golden skeletons are written in. Ids, free text and numbers of tokens are left out; what stays is what every
 * provider must give alike:
 *
 * ```
 * run 1
 *   step 1 tool-calls
 *     text
 *     call get_weather {"city":"Zürich"} by loop
 *     result get_weather json
 *   step 2 stop
 *     text
 *   completed answer
 * ```
 *
 * A failed run ends with `failed <code of the loop's error> from <code of the adapter's error>`, a suspended one lists its `pending` calls.
 */
export function printSkeleton(trace: Trace): string {
  return trace.runs.flatMap((run, index) => [`run ${index + 1}`, ...runLines(run)]).join('\n')
}

function runLines(run: TraceRun): readonly string[] {
  return [...run.steps.flatMap((step, index) => stepLines(step, index + 1)), ...endLines(run.end)]
}

function stepLines(step: TraceStep, number: number): readonly string[] {
  return [
    `  step ${number} ${step.finish ?? 'failed'}`,
    ...step.parts.map((part) => `    ${partWords(part)}`),
    ...step.results.map((result) => `    ${resultWords(result)}`),
  ]
}

function partWords(part: TracePart): string {
  switch (part.type) {
    case 'text':
    case 'reasoning':
    case 'refusal':
      return part.type
    case 'call': {
      // Each provider has its own names and inputs for what it runs itself.
      if (part.owner === 'provider') return 'call by provider'
      const input = part.invalid === undefined ? canonicalJson(part.input) : part.invalid
      return `call ${part.toolName} ${input} by ${part.owner}`
    }
    case 'other':
      return part.kind
    default:
      return part satisfies never
  }
}

function resultWords({ toolName, output }: TraceResult): string {
  return `result ${toolName} ${output.type === 'error' ? `error ${output.value.code}` : output.type}`
}

function endLines(end: TraceEnd): readonly string[] {
  if (end.type === 'error') return [`  failed ${end.code}${end.cause === undefined ? '' : ` from ${end.cause}`}`]
  return [`  ${end.status} ${end.stopReason}`, ...end.pending.map((name) => `    pending ${name}`)]
}

/**
 * A skeleton as it stands in a source file: without its common indentation and outer blank lines. `step 1 stop: text + file` stands for a
 * step and its lines, and where only one run is meant, `run 1` may be left out.
 */
export function skeletonIn(text: string): string {
  const lines = text
    .replace(/^\s*\n/, '')
    .trimEnd()
    .split('\n')
  const indents = lines.filter((line) => line.trim() !== '').map((line) => line.length - line.trimStart().length)
  const common = Math.min(...indents)
  const own = lines.map((line) => line.slice(common).trimEnd())
  return (own[0]?.startsWith('run ') ? own : ['run 1', ...own.map((line) => `  ${line}`)]).flatMap(unfold).join('\n')
}

function unfold(line: string): readonly string[] {
  const [, indent = '', step = '', items] = /^( *)(step \d+ \S+): (.+)$/.exec(line) ?? []
  return items === undefined ? [line] : [indent + step, ...items.split(' + ').map((item) => `${indent}  ${item}`)]
}
