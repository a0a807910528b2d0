import { SpanKind, trace, type Attributes, type Span } from '@opentelemetry/api'
import type { ToolCallInfo, ToolOutput } from '@steploop/core'
import { exportable, outputValue } from './content.ts'
import { endSpan } from './end-span.ts'
import { known } from './instruments.ts'
import { secondsBetween } from './time.ts'
import { operations, own } from './names.ts'
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
  end(call, output.type === 'error' ? output.value.code : undefined)
  return output
}

function begin(record: RunRecord, info: ToolCallInfo): ToolRecord {
  const { toolCallId, toolName } = info.toolCall
  record.calls++
  record.ran.add(toolCallId)
  const began = performance.now()
  const span = safely(() => startSpan(record, info, began))
  return opened({ run: record, span, began, toolName: plainName(toolName) })
}

function opened(call: ToolRecord): ToolRecord {
  call.run.open.set(call, (errorType) => end(call, errorType))
  return call
}

function end(
  { run: { setup, instruments, origin }, span, began, toolName }: ToolRecord,
  errorType: string | undefined,
): void {
  const { names, agent } = setup
  const failure = errorType === undefined ? {} : { [names.errorType]: errorType }
  const ended = performance.now()
  if (span !== undefined) endSpan(span, failure, { failed: errorType !== undefined, time: origin + ended })
  safely(() =>
    instruments?.toolDuration?.record(
      secondsBetween(began, ended),
      known({
        [names.toolName]: toolName,
        [names.toolType]: 'function',
        [names.agentName]: agent.name,
        ...failure,
      }),
    ),
  )
}

function startSpan(
  { setup, context: parent, tracer, origin, conversation }: RunRecord,
  info: ToolCallInfo,
  began: number,
): Span | undefined {
  const { names, agent, content } = setup
  const { toolCall, tool, input, step } = info
  const toolName = plainName(toolCall.toolName)
  const attributes: Attributes = {
    [names.operation]: operations.tool,
    [names.toolName]: toolName,
    [names.toolType]: 'function',
    [names.toolCallId]: plainName(toolCall.toolCallId),
    [own.step]: step,
  }
  if (tool.description !== undefined) attributes[names.toolDescription] = plainName(tool.description)
  if (names.toolKnowsAgent) attributes[names.conversation] = conversation
  if (names.toolKnowsAgent && agent.name !== undefined) attributes[names.agentName] = agent.name
  const span = tracer?.startSpan(
    `${operations.tool} ${toolName}`,
    { kind: SpanKind.INTERNAL, attributes, startTime: origin + began },
    parent,
  )
  if (content?.on === 'spans' && span?.isRecording()) {
    const given = exportable('tool-arguments', input, content)
    if (given !== undefined) safely(() => span.setAttribute(names.toolArguments, given))
  }
  return span
}
