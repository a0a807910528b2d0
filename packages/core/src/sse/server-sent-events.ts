import type { ChatCall, ChatEvent, ChatPendingCall, ChatToolResult } from './chat-events.ts'
import { systemClock, type Clock } from '../contract/clock.ts'
import { AdapterError, type LoopError } from '../contract/errors.ts'
import { toJsonValue } from '../wire/json-value.ts'
import type { LoopEvent } from '../contract/loop-events.ts'
import type { ToolCallPart, ToolErrorValue, ToolOutput } from '../contract/messages.ts'
import type { RunResult } from '../contract/run-result.ts'
import { toolOutputText } from '../wire/tool-output.ts'
import type { PendingCall, Transcript } from '../contract/transcript.ts'

export interface ServerSentEventsOptions {
  /**
   * What the page shows for an error: of the run, of a turn that is asked for again, of a tool. Default: words that say nothing of what is
   * inside, since messages may name hosts, models and whatever a tool throws; only a missing API key is told. The `code` is always there.
   */
  readonly errorText?: ((error: LoopError | AdapterError | ToolErrorValue) => string) | undefined
  /** Default: the system's. */
  readonly clock?: Clock | undefined
}

/** Proxies close a connection on which nothing comes for half a minute or so. */
const heartbeatMs = 15_000

/**
 * The events of a run as server-sent events for a chat page: the body of a `Response` with content type `text/event-stream`. Each is one
 * `data:` line with a `ChatEvent` as JSON, without a name, so that `onmessage` sees it. Per step the order is `reasoning`, `content`,
 * `tool_calls` (all of them at once), then `tool_executing`, `tool_progress` and `tool_result` per call; `warning`, `citation`, `file` and `retry` (forget
 * the step's events) come in between; at the end `error` if the run failed, a `warning` and, for want of an answer, a `content` of its own
 * if a limit left it `incomplete`, and `done`, always and once. A comment is written every 15 s while nothing comes.
 *
 * Leaving the stream aborts the run. `readServerSentEvents` reads it.
 */
export function toServerSentEvents(
  events: AsyncIterable<LoopEvent>,
  { errorText = maskedText, clock = systemClock }: ServerSentEventsOptions = {},
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  const iterator = events[Symbol.asyncIterator]()
  const write = createWriter(safely(errorText))
  let stopBeating: (() => void) | undefined
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const beat = (): void => {
          // It is awaited; without a reader nothing piles up.
          if (controller.desiredSize === 0) controller.enqueue(encoder.encode(': still here\n\n'))
          stopBeating = clock.after(heartbeatMs, beat)
        }
        stopBeating = clock.after(heartbeatMs, beat)
        try {
          for (;;) {
            const next = await iterator.next()
            if (next.done) return controller.close()
            const frames = write(next.value).map((event) => `data: ${JSON.stringify(event)}\n\n`)
            if (frames.length > 0) return controller.enqueue(encoder.encode(frames.join('')))
          }
        } finally {
          stopBeating()
        }
      },
      async cancel() {
        stopBeating?.()
        await iterator.return?.()
      },
    },
    { highWaterMark: 0 },
  )
}

type ErrorText = NonNullable<ServerSentEventsOptions['errorText']>

/** Whoever runs the server has to hear that it has no key, and there is no secret in that. */
function maskedText(error: Parameters<ErrorText>[0]): string {
  const cause = error instanceof Error ? error.cause : undefined
  if (AdapterError.isInstance(cause) && cause.code === 'missing-api-key') return cause.message
  return error instanceof Error ? 'Something went wrong. Please try again.' : 'The tool could not do this.'
}

/** The page gets its `done` whatever the application's code does. */
function safely(errorText: ErrorText): ErrorText {
  return (error) => {
    try {
      const text: unknown = errorText(error)
      return typeof text === 'string' ? text : maskedText(error)
    } catch {
      return maskedText(error)
    }
  }
}

type Body = ChatEvent extends infer Event ? (Event extends ChatEvent ? Omit<Event, 'step'> : never) : never

function createWriter(errorText: ErrorText): (event: LoopEvent) => readonly ChatEvent[] {
  let step: number | undefined
  /** Not announced yet. */
  let calls: ToolCallPart[] = []
  const announce = (which: readonly ToolCallPart[]): readonly Body[] => {
    calls = calls.filter((call) => !which.includes(call))
    return which.length === 0 ? [] : [{ type: 'tool_calls', calls: which.map(callOf) }]
  }
  const bodiesOf = (event: LoopEvent): readonly Body[] => {
    if (event.type === 'step-start') ({ step } = event)
    if (event.type === 'step-start' || event.type === 'step-retry') calls = []
    if (event.type === 'tool-call') calls.push(event)
    // What the provider runs itself is never queued.
    if (event.type === 'tool-result' && event.owner === 'provider') {
      return [
        ...announce(calls.filter(({ toolCallId }) => toolCallId === event.toolCallId)),
        ...bodyOf(event, errorText),
      ]
    }
    if (event.type !== 'tool-state' || event.state !== 'queued') return bodyOf(event, errorText)
    return announce(calls.filter(({ owner }) => owner !== 'provider'))
  }
  return (event) => bodiesOf(event).map((body) => ({ ...body, step }))
}

function bodyOf(event: LoopEvent, errorText: ErrorText): readonly Body[] {
  switch (event.type) {
    case 'run-start':
      return event.pendingCalls === undefined
        ? []
        : [{ type: 'tool_calls', calls: event.pendingCalls.map(waitingCall) }]
    case 'reasoning-delta':
      return [{ type: 'reasoning', content: event.text }]
    case 'text-delta':
    case 'refusal-delta':
      return [{ type: 'content', content: event.text }]
    case 'citation':
      return [{ type: 'citation', citation: event.citation }]
    case 'file': {
      const { mediaType, data, url, filename } = event
      return [{ type: 'file', mediaType, data, url, filename }]
    }
    case 'tool-state':
      return event.state === 'running' ? [{ type: 'tool_executing', id: event.toolCallId, name: event.toolName }] : []
    case 'tool-progress': {
      const { toolCallId: id, toolName: name, progress, total, message, content } = event
      return [{ type: 'tool_progress', id, name, progress, total, message, content }]
    }
    case 'tool-result': {
      const { toolCallId: id, toolName: name, output } = event
      return [{ type: 'tool_result', id, name, result: resultOf(output, errorText) }]
    }
    case 'partial-output':
      return [{ type: 'partial_output', output: event.output }]
    case 'warning':
      return [{ type: 'warning', message: event.warning.message }]
    case 'step-retry':
      return [{ type: 'retry', code: event.error.code, message: errorText(event.error) }]
    case 'run-end':
      return [...limitBodies(event.result), doneOf(event.result)]
    case 'run-error':
      return failureBodies(event.error, errorText)
    case 'opaque':
    case 'reasoning-end':
    case 'reasoning-start':
    case 'step-end':
    case 'step-start':
    case 'text-end':
    case 'text-start':
    case 'tool-call':
    case 'tool-call-delta':
    case 'tool-call-start':
    default:
      return []
  }
}

function doneOf({ status, stopReason, transcript, output, usage }: RunResult): Body {
  const pendingCalls = answerable(transcript)
  const made = output === undefined ? undefined : toJsonValue(output)
  return { type: 'done', done: true, status, stopReason, pendingCalls, output: made, usage }
}

/** What was not judged is not shown: going on from the transcript judges it. */
function answerable(transcript: Transcript | undefined): readonly ChatPendingCall[] {
  return (transcript?.pendingCalls ?? []).filter(({ unjudged }) => unjudged !== true).map(pendingCall)
}

/** A run that was stopped reports no error. */
function failureBodies(error: LoopError, errorText: ErrorText): readonly Body[] {
  const { code, transcript } = error
  const pendingCalls = answerable(transcript)
  const end = { type: 'done', done: true, stopReason: code, pendingCalls } as const
  if (code === 'aborted') return [{ ...end, status: 'aborted' }]
  return [
    { type: 'error', code, message: errorText(error) },
    { ...end, status: 'failed' },
  ]
}

/** A page that shows nothing but content has to say why there is none. */
function limitBodies({ status, text, stopReason, stopDetail }: RunResult): readonly Body[] {
  if (status !== 'incomplete') return []
  const tools = stopReason === 'max-steps' || stopReason === 'max-tool-calls'
  const content = tools ? 'Stopped after maximum tool calls.' : `Stopped at a limit: ${stopReason}.`
  const most = stopReason === 'max-steps' ? stopDetail?.match(/\/(\d+)\)$/)?.[1] : undefined
  const limit =
    most === undefined ? `a limit of the run: ${stopDetail ?? stopReason}` : `maximum tool call iterations (${most})`
  const warning: Body = { type: 'warning', message: `Reached ${limit}` }
  return text === '' ? [warning, { type: 'content', content }] : [warning]
}

function callOf({ toolCallId, toolName, inputText }: ToolCallPart): ChatCall {
  return { id: toolCallId, name: toolName, arguments: inputText }
}

function waitingCall({ toolCallId, toolName, input }: PendingCall): ChatCall {
  return { id: toolCallId, name: toolName, arguments: JSON.stringify(toJsonValue(input)) }
}

function pendingCall(call: PendingCall): ChatPendingCall {
  return { ...waitingCall(call), reason: call.reason }
}

function resultOf(output: ToolOutput, errorText: ErrorText): ChatToolResult {
  switch (output.type) {
    case 'json':
      return { success: true, result: output.value }
    case 'error':
      return { success: false, error: errorText(output.value), code: output.value.code }
    case 'content':
    case 'text':
    default:
      return { success: true, result: toolOutputText(output) }
  }
}
