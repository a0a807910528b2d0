import { context, SpanKind, trace, type Span } from '@opentelemetry/api'
import type { Middleware, RunInfo, RunResult } from '@steploop/core'
import { exportable, instructionsOf, messagesOf } from './content.ts'
import { known } from './instruments.ts'
import { currentOrigin, secondsBetween } from './time.ts'
import { endSpan } from './end-span.ts'
import { endOfFailedRun, endOfRun, errorTypeOf, type RunEnd } from './run-end.ts'
import { operations } from './names.ts'
import { plainName, safely, within } from './safely.ts'
import type { Setup } from './setup.ts'
import { linkToSuspended } from './suspended-runs.ts'
import { endAll, type Open, type RunRecord } from './records.ts'
import { recordTool } from './record-tool.ts'
import { recordTurn } from './record-turn.ts'

/** Asked for in the call that begins a run, whose context it keeps. Without anything to export to it is nothing. */
export function recordRun(setup: Setup): Middleware {
  const signals = setup.signals()
  if (signals.tracer === undefined && signals.instruments === undefined && signals.logger === undefined) return {}
  const record: RunRecord = {
    ...signals,
    setup,
    origin: currentOrigin(),
    conversation: '',
    context: context.active(),
    open: new Map(),
    ran: new Set(),
    requests: 0,
    calls: 0,
  }
  // The run holds this function as long as it is there, in whatever its middleware is nested.
  const turn: Middleware['turn'] = (info, next) => recordTurn(record, info, next)
  whenDropped?.register(turn, record.open)
  return {
    run: (info, next) => aroundRun(record, info, next),
    turn,
    tool: (info, next) => recordTool(record, info, next),
  }
}

/** A stream that its reader drops in the middle is collected like any garbage, and so ends what it had open. */
const whenDropped =
  typeof FinalizationRegistry === 'function'
    ? new FinalizationRegistry<Open>((open) => endAll(open, 'aborted'))
    : undefined

async function aroundRun(record: RunRecord, info: RunInfo, next: () => Promise<RunResult>): Promise<RunResult> {
  const began = performance.now()
  record.conversation = plainName(info.transcriptId)
  const span = safely(() => startSpan(record, info, began))
  if (span !== undefined) opened(record, span)
  try {
    const result = await within(record.context, next)
    const ended = finish(record, span, () => endOfRun(record, info, result))
    measure(record, secondsBetween(began, ended))
    return result
  } catch (error) {
    const ended = finish(record, span, () => endOfFailedRun(record, error))
    measure(record, secondsBetween(began, ended), error)
    throw error
  }
}

function opened(record: RunRecord, span: Span): void {
  const { errorType: name } = record.setup.names
  record.context = trace.setSpan(record.context, span)
  record.open.set(span, (errorType) =>
    endSpan(span, { [name]: errorType }, { failed: true, time: record.origin + performance.now() }),
  )
}

/** Gives when it ended, by `performance.now()`. */
function finish({ open, origin }: RunRecord, span: Span | undefined, end: () => RunEnd): number {
  if (span !== undefined) open.delete(span)
  endAll(open, 'aborted')
  const ended = performance.now()
  if (span === undefined) return ended
  const { attributes, failed } = safely(() => (span.isRecording() ? end() : undefined)) ?? nothing
  endSpan(span, attributes, { failed, time: origin + ended })
  return ended
}

const nothing: RunEnd = { attributes: {}, failed: false }

function measure({ instruments, setup, requests, calls }: RunRecord, seconds: number, error?: unknown): void {
  if (instruments === undefined) return
  const { names, agent } = setup
  const ofAgent = agent.name === undefined ? {} : { [names.agentName]: agent.name }
  const failed = error === undefined ? ofAgent : { ...ofAgent, [names.errorType]: errorTypeOf(error) }
  safely(() => instruments.runDuration?.record(seconds, failed))
  safely(() => instruments.runRequests?.record(requests, ofAgent))
  safely(() => instruments.runCalls?.record(calls, ofAgent))
}

function startSpan(
  { setup, context: parent, tracer, origin, conversation }: RunRecord,
  info: RunInfo,
  began: number,
): Span | undefined {
  const { names, agent, content } = setup
  const { transcriptId, model, structured, instructions, messages, pendingCalls } = info
  const name = agent.name === undefined ? operations.agent : `${operations.agent} ${agent.name}`
  const attributes = known({
    [names.operation]: operations.agent,
    [names.agentName]: agent.name,
    [names.agentDescription]: agent.description,
    [names.conversation]: conversation,
    [names.outputType]: structured ? 'json' : undefined,
    ...(names.agentHasProvider && {
      [names.provider]: setup.nameOf(model).provider,
      [names.requestModel]: setup.nameOf(model).model,
    }),
    ...(names.agentId !== undefined && { [names.agentId]: agent.id }),
    ...(names.agentVersion !== undefined && { [names.agentVersion]: agent.version }),
  })
  const links = pendingCalls.length === 0 ? [] : linkToSuspended(setup.suspendedRuns, transcriptId)
  const span = tracer?.startSpan(
    name,
    { kind: SpanKind.INTERNAL, attributes, links: links.slice(), startTime: origin + began },
    parent,
  )
  if (content?.on === 'spans' && span?.isRecording()) {
    safely(() =>
      span.setAttributes(
        known({
          [names.systemInstructions]:
            instructions && exportable('system-instructions', instructionsOf(instructions), content),
          [names.inputMessages]: exportable('input-messages', messagesOf(messages), content),
        }),
      ),
    )
  }
  return span
}
