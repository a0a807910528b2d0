import type { LoopEvent } from './loop-events.ts'
import type { ToolCallPart, ToolOutput } from './messages.ts'
import type { RunResult } from './run-result.ts'
import { toolOutputText } from './tool-output.ts'

/**
 * The events of a run as server-sent events for a chat page: the body of a `Response` with content type `text/event-stream`. Every event
 * has its name in `event:` and again as `type` in its JSON. Per step the order is `reasoning`, `content`, `tool_calls` (all of them at
 * once), then `tool_executing` and `tool_result` per call; `warning` and `retry` (forget the step's events) come in between; at the end
 * `error` if the run failed, a `warning` and, for want of an answer, a `content` of its own if a limit left it `incomplete`, and `done`,
 * always and once.
 *
 * Leaving the stream aborts the run.
 */
export function toServerSentEvents(events: AsyncIterable<LoopEvent>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  const iterator = events[Symbol.asyncIterator]()
  const write = createWriter()
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        for (;;) {
          const next = await iterator.next()
          if (next.done) return controller.close()
          const text = write(next.value)
          if (text !== '') return controller.enqueue(encoder.encode(text))
        }
      },
      async cancel() {
        await iterator.return?.()
      },
    },
    { highWaterMark: 0 },
  )
}

function createWriter(): (event: LoopEvent) => string {
  let calls: ToolCallPart[] = []
  return (event) => {
    if (event.type === 'tool-call' && event.owner !== 'provider') calls.push(event)
    if (event.type === 'step-start' || event.type === 'step-retry') calls = []
    if (event.type !== 'tool-state' || event.state !== 'queued' || calls.length === 0) return textOf(event)
    const announced = calls.map(({ toolCallId, toolName, inputText }) => ({
      id: toolCallId,
      name: toolName,
      arguments: inputText,
    }))
    calls = []
    return sse('tool_calls', { calls: announced })
  }
}

function textOf(event: LoopEvent): string {
  switch (event.type) {
    case 'reasoning-delta':
      return sse('reasoning', { content: event.text })
    case 'text-delta':
    case 'refusal-delta':
      return sse('content', { content: event.text })
    case 'tool-state':
      return event.state === 'running' ? sse('tool_executing', { id: event.toolCallId, name: event.toolName }) : ''
    case 'tool-result':
      return sse('tool_result', { id: event.toolCallId, name: event.toolName, result: resultOf(event.output) })
    case 'warning':
      return sse('warning', { message: event.warning.message })
    case 'step-retry':
      return sse('retry', { step: event.step, message: event.error.message })
    case 'run-end':
      return limitText(event.result) + sse('done', { status: event.result.status, stopReason: event.result.stopReason })
    case 'run-error':
      return sse('error', { code: event.error.code, message: event.error.message }) + sse('done', { status: 'failed' })
    default:
      return ''
  }
}

/** A page that shows nothing but content has to say why there is none. */
function limitText({ status, text, stopReason, stopDetail }: RunResult): string {
  if (status !== 'incomplete') return ''
  const tools = stopReason === 'max-steps' || stopReason === 'max-tool-calls'
  const content = tools ? 'Stopped after maximum tool calls.' : `Stopped at a limit: ${stopReason}.`
  const warning = sse('warning', { message: `Reached a limit of the run: ${stopDetail ?? stopReason}` })
  return text === '' ? warning + sse('content', { content }) : warning
}

function resultOf(output: ToolOutput): unknown {
  switch (output.type) {
    case 'json':
      return { success: true, result: output.value }
    case 'error':
      return { success: false, error: output.value.message, code: output.value.code }
    default:
      return { success: true, result: toolOutputText(output) }
  }
}

/** JSON has no raw line ends, so one `data:` line is enough. */
function sse(type: string, data: Readonly<Record<string, unknown>>): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`
}
