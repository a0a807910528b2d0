import { SpanStatusCode, type HrTime } from '@opentelemetry/api'
import { TracerProvider, type ReadableSpan, type SpanProcessor } from '@opentelemetry/sdk-trace'
import type { RunResult, Usage } from '@steploop/core'

/** The spans of one loop: those that began, and those that ended, in order. */
export interface RecordedTrace {
  readonly provider: TracerProvider
  readonly begun: ReadableSpan[]
  readonly ended: ReadableSpan[]
  /** Ids of the calls that were carried out, as somebody else saw them. */
  readonly executed: string[]
}

export function recordTrace(): RecordedTrace {
  const begun: ReadableSpan[] = []
  const ended: ReadableSpan[] = []
  const processor: SpanProcessor = {
    onStart: (span) => void begun.push(span),
    onEnd: (span) => void ended.push(span),
    forceFlush: () => Promise.resolve(),
    shutdown: () => Promise.resolve(),
  }
  return { provider: new TracerProvider({ spanProcessors: [processor] }), begun, ended, executed: [] }
}

/** What a run left, judged by its outcome alone: `undefined` for one that failed. Knows nothing of how spans are made. */
export function traceProblems(
  { begun, ended, executed }: RecordedTrace,
  result: RunResult | undefined,
): readonly string[] {
  const ids = ended.map(idOf)
  const problems = begun.flatMap((span) => (ids.includes(idOf(span)) ? [] : [`${span.name} is still open`]))
  if (new Set(ids).size < ids.length || ids.length > begun.length) problems.push('a span ended twice')
  const roots = ended.filter((span) => span.parentSpanContext === undefined)
  const [root] = roots
  if (roots.length !== 1 || root?.name !== 'invoke_agent') return [...problems, `${roots.length} roots`]
  for (const span of ended) problems.push(...spanProblems(span, root).map((what) => `${span.name}: ${what}`))
  const calls = toolsOf(ended).map(({ attributes }) => String(attributes['gen_ai.tool.call.id']))
  if (calls.toSorted().join() !== executed.toSorted().join())
    problems.push(`calls ${executed.join()} were run, ${calls.join()} have spans`)
  return [...problems, ...attemptProblems(ended), ...(result === undefined ? [] : resultProblems(ended, root, result))]
}

function idOf(span: ReadableSpan): string {
  return span.spanContext().spanId
}

const content = /messages|system_instructions|tool\.definitions|call\.arguments|call\.result/

function spanProblems(span: ReadableSpan, root: ReadableSpan): readonly string[] {
  const problems: string[] = []
  const failed = span.status.code === SpanStatusCode.ERROR
  if (failed !== (span.attributes['error.type'] !== undefined)) problems.push('its status and its error differ')
  if (span.status.message !== undefined || span.events.length > 0) problems.push('it quotes an error')
  for (const name of Object.keys(span.attributes)) if (content.test(name)) problems.push(`it has ${name}`)
  if (span === root) return problems
  if (span.parentSpanContext?.spanId !== idOf(root)) problems.push('it hangs below something else')
  if (span.spanContext().traceId !== root.spanContext().traceId) problems.push('it is in another trace')
  if (isBefore(span.startTime, root.startTime) || isBefore(root.endTime, span.endTime))
    problems.push('it is not within the time of its run')
  return problems
}

function isBefore([seconds, nanos]: HrTime, [otherSeconds, otherNanos]: HrTime): boolean {
  return seconds < otherSeconds || (seconds === otherSeconds && nanos < otherNanos)
}

const chatsOf = (spans: readonly ReadableSpan[]): readonly ReadableSpan[] =>
  spans.filter(({ attributes }) => attributes['gen_ai.operation.name'] === 'chat')

const toolsOf = (spans: readonly ReadableSpan[]): readonly ReadableSpan[] =>
  spans.filter(({ attributes }) => attributes['gen_ai.operation.name'] === 'execute_tool')

/** The requests of a step are numbered from 1, all but the last one failed. */
function attemptProblems(spans: readonly ReadableSpan[]): readonly string[] {
  const steps = new Map<unknown, ReadableSpan[]>()
  for (const span of chatsOf(spans)) {
    const step = span.attributes['steploop.step']
    steps.set(step, [...(steps.get(step) ?? []), span])
  }
  return [...steps].flatMap(([step, attempts]) => {
    const numbers = attempts.map(({ attributes }) => attributes['steploop.attempt'])
    const inOrder = numbers.every((number, index) => number === index + 1)
    const over = attempts.slice(0, -1).every(({ status }) => status.code === SpanStatusCode.ERROR)
    return inOrder && over ? [] : [`step ${String(step)} has the attempts ${numbers.join()}`]
  })
}

const counts: readonly (readonly [string, keyof Usage])[] = [
  ['gen_ai.usage.input_tokens', 'inputTokens'],
  ['gen_ai.usage.output_tokens', 'outputTokens'],
  ['gen_ai.usage.cache_read.input_tokens', 'cachedInputTokens'],
  ['gen_ai.usage.cache_write.input_tokens', 'cacheWriteTokens'],
  ['gen_ai.usage.reasoning.output_tokens', 'reasoningTokens'],
]

function resultProblems(spans: readonly ReadableSpan[], root: ReadableSpan, result: RunResult): readonly string[] {
  const problems: string[] = []
  const chats = chatsOf(spans)
  for (const [name, count] of counts) {
    const known = chats.flatMap(({ attributes }) => (typeof attributes[name] === 'number' ? [attributes[name]] : []))
    const sum = known.length === 0 ? undefined : known.reduce((all, one) => all + one, 0)
    if (sum !== result.usage?.[count]) problems.push(`${name} sums to ${sum}, the run has ${result.usage?.[count]}`)
    const ofRun = root.attributes[name]
    if (ofRun !== undefined && ofRun !== sum) problems.push(`the run has ${JSON.stringify(ofRun)} ${name}`)
  }
  const answered = chats.filter(({ status }) => status.code !== SpanStatusCode.ERROR)
  // The answer of a run that is out of time may be that of a step which did not end.
  const unfinished = result.stopReason === 'timeout' ? answered.length - 1 : answered.length
  if (answered.length !== result.steps.length && unfinished !== result.steps.length)
    problems.push(`${answered.length} requests were answered in ${result.steps.length} steps`)
  if (root.attributes['steploop.status'] !== result.status) problems.push('the run has another status')
  if (root.attributes['steploop.stop_reason'] !== result.stopReason) problems.push('the run stopped for another reason')
  return [...problems, ...callProblems(spans, root, result)]
}

/** Each call has a span, or is told of on the run: never both, and nothing else is. */
function callProblems(spans: readonly ReadableSpan[], root: ReadableSpan, result: RunResult): readonly string[] {
  const withSpan = toolsOf(spans)
    .filter(({ attributes }) => attributes['error.type'] !== 'aborted')
    .map(({ attributes }) => String(attributes['gen_ai.tool.call.id']))
  const reported = Object.entries(root.attributes)
    .filter(([name]) => name.startsWith('steploop.tool_calls.'))
    .flatMap(([, ids]) => ids as readonly string[])
  const seen = [...withSpan, ...reported]
  const called = result.toolCalls.map(({ toolCallId }) => toolCallId)
  // The open step of a run that went on here.
  const answered = result.toolResults.map(({ toolCallId }) => toolCallId)
  const problems = called.filter((id) => !seen.includes(id)).map((id) => `call ${id} is nowhere`)
  if (new Set(seen).size < seen.length) problems.push('a call is there twice')
  const strange = seen.filter((id) => !called.includes(id) && !answered.includes(id))
  return [...problems, ...strange.map((id) => `nobody called ${id}`)]
}
