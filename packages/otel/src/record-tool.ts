import { SpanKind, trace, type Attributes, type Span } from '@opentelemetry/api'
import type { ToolCallInfo, ToolErrorCode, ToolOutput } from '@steploop/core'
import { exportable, outputValue } from './content.ts'
import { endSpan } from './end-span.ts'
import { secondsBetween } from './time.ts'
import { own } from './names.ts'
import type { RunRecord, ToolRecord } from './records.ts'
import { plainName, safely, within } from './safely.ts'

export async function recordTool(
  record: RunRecord,
  info: ToolCallInfo,
  next: () => Promise<ToolOutput>,
): Promise<ToolOutput> {
  const { open, setup } = record
  const call = begin(record, info)
  const { span } = call
  const work = span === undefined ? next() : within(trace.setSpan(record.context, span), next)
  const output = await work
  // Too late: the run is over, and has ended this.
  if (!open.delete(call)) return output
  const { content, names } = setup
  if (content?.on === 'spans' && span?.isRecording()) {
    const result = exportable('tool-result', outputValue(output), content)
    if (result !== undefined) safely(() => span.setAttribute(names.toolResult, result))
  }
  end(call, output.type === 'error' ? (errorTypeSaid(call) ?? errorTypeOf(output.value.code)) : undefined)
  return output
}

/** What the tool has said of itself: of a result with `isError`, `@steploop/mcp` says `tool_error`, as the conventions have it. */
function errorTypeSaid({ span, run }: ToolRecord): string | undefined {
  const { attributes } = (span ?? {}) as { readonly attributes?: Attributes }
  const said = safely(() => attributes?.[run.setup.names.errorType])
  return said === 'tool_error' ? said : undefined
}

/** Of a tool that makes its output itself the code may be anything: a secret, or another word at each call. */
function errorTypeOf(code: unknown): string {
  return typeof code === 'string' && Object.hasOwn(toolErrorCodes, code) ? code : '_OTHER'
}

const toolErrorCodes: Readonly<Record<ToolErrorCode, true>> = {
  'tool-failed': true,
  'tool-timeout': true,
  'unknown-tool': true,
  'invalid-input': true,
  'unparsable-input': true,
  'truncated-call': true,
  'too-many-calls': true,
  'limit-reached': true,
  denied: true,
  aborted: true,
  'repeated-call': true,
  'not-executed': true,
}

function begin(record: RunRecord, info: ToolCallInfo): ToolRecord {
  record.calls++
  record.ran.add(info.toolCall.toolCallId)
  const tool = record.setup.toolOf(info)
  const began = performance.now()
  const span = safely(() => startSpan(record, info, { tool, began }))
  return opened({ run: record, span, began, tool })
}

function opened(call: ToolRecord): ToolRecord {
  call.run.open.set(call, (errorType) => end(call, errorType))
  return call
}

function end(
  { run: { setup, instruments, origin }, span, began, tool }: ToolRecord,
  errorType: string | undefined,
): void {
  const ended = performance.now()
  const failure = errorType === undefined ? undefined : { [setup.names.errorType]: errorType }
  if (span !== undefined) endSpan(span, failure, { failed: errorType !== undefined, time: origin + ended })
  if (instruments?.toolDuration === undefined) return
  const { toolDuration } = instruments
  const labels = failure === undefined ? tool.labels : { ...tool.labels, ...failure }
  safely(() => toolDuration.record(secondsBetween(began, ended), labels))
}

function startSpan(
  { setup, context: parent, tracer, origin, conversation }: RunRecord,
  { toolCall, input, step }: ToolCallInfo,
  { tool, began }: Pick<ToolRecord, 'tool' | 'began'>,
): Span | undefined {
  const { names, content } = setup
  const attributes: Attributes = {
    ...tool.attributes,
    [names.toolCallId]: plainName(toolCall.toolCallId),
    [own.step]: step,
  }
  if (names.toolKnowsAgent) attributes[names.conversation] = conversation
  const span = tracer?.startSpan(
    tool.spanName,
    { kind: SpanKind.INTERNAL, attributes, startTime: origin + began },
    parent,
  )
  if (content?.on === 'spans' && span?.isRecording()) {
    const given = exportable('tool-arguments', input, content)
    if (given !== undefined) safely(() => span.setAttribute(names.toolArguments, given))
  }
  return span
}
