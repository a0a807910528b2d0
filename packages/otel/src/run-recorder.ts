import { context, ROOT_CONTEXT, SpanKind, type Attributes } from '@opentelemetry/api'
import type { Middleware, RunInfo, RunResult } from '@steploop/core'
import { withoutUndefined, measure } from './instruments.ts'
import { currentOrigin, secondsBetween } from './time.ts'
import { endOfFailedRun, endOfRun, errorTypeOf } from './run-end.ts'
import { operations } from './names.ts'
import { plainText, safely, within } from './safely.ts'
import type { Setup } from './setup.ts'
import { endSpan, startSpan } from './spans.ts'
import { keepSuspended, linkToSuspended } from './suspended-runs.ts'
import { endAll, type Open, type RunRecord, type Started } from './records.ts'
import { recordTool } from './record-tool.ts'
import { recordTurn } from './record-turn.ts'
import { requestContent } from './turn-content.ts'

/** Asked for in the call that begins a run, whose context it keeps. Without anything to export to it is nothing. */
export function recordRun(setup: Setup): Middleware {
  const signals = setup.signals()
  if (signals.tracer === undefined && signals.instruments === undefined && signals.logger === undefined) return {}
  const record: RunRecord = {
    ...signals,
    setup,
    origin: currentOrigin(),
    conversation: '',
    context: safely(() => context.active()) ?? ROOT_CONTEXT,
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
const whenDropped = typeof FinalizationRegistry === 'function' ? new FinalizationRegistry<Open>(endAll) : undefined

async function aroundRun(record: RunRecord, info: RunInfo, next: () => Promise<RunResult>): Promise<RunResult> {
  record.conversation = plainText(info.transcriptId) ?? ''
  const root = startRun(record, info)
  try {
    const result = await within(record.context, next)
    if (root.span !== undefined && safely(() => result.status) === 'requires-action')
      keepSuspended(record.setup.suspendedRuns, info.transcriptId, root.span)
    finish(record, root, { attributes: () => endOfRun(record, result) })
    return result
  } catch (error) {
    finish(record, root, { attributes: () => endOfFailedRun(record, error), errorType: errorTypeOf(error) })
    throw error
  }
}

interface Root extends Started {
  readonly began: number
}

function startRun(record: RunRecord, info: RunInfo): Root {
  const began = performance.now()
  const { setup } = record
  const { agent, content, suspendedRuns } = setup
  const name = agent.name === undefined ? operations.agent : `${operations.agent} ${agent.name}`
  const attributes = safely(() => runAttributes(record, info)) ?? {}
  const links = info.pendingCalls.length === 0 ? [] : linkToSuspended(suspendedRuns, info.transcriptId)
  const startTime = record.origin + began
  const root = { ...startSpan(record, name, { kind: SpanKind.INTERNAL, attributes, links, startTime }), began }
  if (content?.on === 'spans' && root.recording) {
    const { instructions, messages } = info
    safely(() => root.span?.setAttributes(requestContent(setup, { instructions, messages })))
  }
  record.context = root.context
  return opened(record, root)
}

function runAttributes({ setup, conversation }: RunRecord, { model, structured }: RunInfo): Attributes {
  const { names, agent } = setup
  return withoutUndefined({
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
}

function opened(record: RunRecord, root: Root): Root {
  const { origin, setup } = record
  record.open.set(root, (errorType) =>
    endSpan(root, { [setup.names.errorType]: errorType }, { failed: true, time: origin + performance.now() }),
  )
  return root
}

interface RunEnd {
  readonly attributes: () => Attributes
  readonly errorType?: string | undefined
}

function finish(record: RunRecord, root: Root, { attributes, errorType }: RunEnd): void {
  const { open, setup, instruments, origin, requests, calls } = record
  const { names, agentLabels } = setup
  open.delete(root)
  endAll(open)
  const ended = performance.now()
  const failure = errorType === undefined ? undefined : { [names.errorType]: errorType }
  const recorded = root.recording ? safely(attributes) : undefined
  endSpan(root, { ...recorded, ...failure }, { failed: failure !== undefined, time: origin + ended })
  if (instruments === undefined) return
  measure(instruments.runDuration, secondsBetween(root.began, ended), { ...agentLabels, ...failure })
  measure(instruments.runRequests, requests, agentLabels)
  measure(instruments.runCalls, calls, agentLabels)
}
