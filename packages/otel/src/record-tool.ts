import { createContextKey, SpanKind, type Attributes, type Context } from '@opentelemetry/api'
import type { ToolCallInfo, ToolErrorCode, ToolOutput } from '@steploop/core'
import { exportable, outputValue } from './content.ts'
import { measure } from './instruments.ts'
import { secondsBetween } from './time.ts'
import { own } from './names.ts'
import type { RunRecord, ToolRecord } from './records.ts'
import { errorTypeOf } from './run-end.ts'
import { plainText, safely, within } from './safely.ts'
import { endSpan, startSpan } from './spans.ts'

export async function recordTool(
  record: RunRecord,
  info: ToolCallInfo,
  next: () => Promise<ToolOutput>,
): Promise<ToolOutput> {
  record.calls++
  record.ran.add(info.toolCall.toolCallId)
  const call = opened(begin(record, info))
  try {
    const output = await within(withAttributeSetter(call), next)
    // Too late: the run is over, and has ended this.
    if (record.open.has(call)) end(call, safely(() => outcomeOf(call, output)) ?? { errorType: '_OTHER' })
    return output
  } catch (error) {
    end(call, { errorType: errorTypeOf(error) })
    throw error
  }
}

/**
 * A function of the attributes to add is what whoever works for the call finds in its context, whatever span is active there and whether
 * it is sampled: `@steploop/mcp` says with `error.type` that the tool of its server failed.
 */
const toolCallKey = createContextKey('steploop.tool-call')

function withAttributeSetter(call: ToolRecord): Context {
  const tell = (attributes: Attributes): void => {
    const { [call.run.setup.names.errorType]: errorType, ...facts } = attributes
    // A call that sends several requests has failed when the last of them has.
    call.toolError = errorType === 'tool_error'
    if (call.recording && call.run.open.has(call)) safely(() => call.span?.setAttributes(facts))
  }
  return safely(() => call.context.setValue(toolCallKey, tell)) ?? call.context
}

interface CallEnd {
  readonly errorType: string | undefined
  readonly result?: string | undefined
}

function outcomeOf({ run, recording, toolError }: ToolRecord, output: ToolOutput): CallEnd {
  const { content } = run.setup
  const isShown = content?.on === 'spans' && recording
  const result = isShown ? safely(() => exportable('tool-result', outputValue(output), content)) : undefined
  if (output.type !== 'error') return { errorType: undefined, result }
  return { errorType: toolError ? 'tool_error' : errorCodeOf(output.value.code), result }
}

/** Code of a failure: that of a tool that makes its output itself may be anything, a secret, or another word at each call. */
function errorCodeOf(code: unknown): string {
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

function begin(run: RunRecord, info: ToolCallInfo): ToolRecord {
  const { names, content, toolOf } = run.setup
  const tool = toolOf(info)
  const attributes: Attributes = {
    ...tool.attributes,
    [names.toolCallId]: plainText(info.toolCall.toolCallId) ?? '',
    [own.step]: info.step,
  }
  if (names.toolKnowsAgent) attributes[names.conversation] = run.conversation
  const began = performance.now()
  const started = startSpan(run, tool.spanName, { kind: SpanKind.INTERNAL, attributes, startTime: run.origin + began })
  if (content?.on === 'spans' && started.recording) {
    const exportedInput = exportable('tool-arguments', info.input, content)
    if (exportedInput !== undefined) safely(() => started.span?.setAttribute(names.toolArguments, exportedInput))
  }
  return { ...started, run, began, tool, toolError: false }
}

function opened(call: ToolRecord): ToolRecord {
  call.run.open.set(call, (errorType) => end(call, { errorType }))
  return call
}

function end(call: ToolRecord, { errorType, result }: CallEnd): void {
  const { run, began, tool } = call
  if (!run.open.delete(call)) return
  const { names } = run.setup
  const ended = performance.now()
  const failure = errorType === undefined ? undefined : { [names.errorType]: errorType }
  const resultAttributes = result === undefined ? failure : { ...failure, [names.toolResult]: result }
  endSpan(call, resultAttributes, { failed: failure !== undefined, time: run.origin + ended })
  const labels = failure === undefined ? tool.labels : { ...tool.labels, ...failure }
  measure(run.instruments?.toolDuration, secondsBetween(began, ended), labels)
}
