import { visibleMessages, type LoopError, type RunResult, type Transcript } from '@steploop/core'
import type { UiFinishReason, UiMessageChunk, UiMessageMetadata } from './chunks.ts'
import { shownInput } from './encode-calls.ts'
import { endTexts, inStep, type Chunks, type EncoderState } from './encode-step.ts'
import { answerable, approvalIdOf } from './ui-parts.ts'

export function runEnd(state: EncoderState, result: RunResult): Chunks {
  const { status, stopReason, stopDetail, usage } = result
  return [
    ...endTexts(state),
    ...structuredAnswer(state, result),
    ...waitingCalls(state, result.transcript),
    metadata({ status, stopReason, stopDetail, usage }),
    { type: 'finish', finishReason: finishReasonOf(result) },
  ]
}

/** What was begun is closed: nothing on the page waits for what will not come. */
export function runError(state: EncoderState, error: LoopError): Chunks {
  const { code, usage } = error
  const isAborted = code === 'aborted'
  const cutOff = { code: 'aborted', message: 'The run ended before the call was complete.' } as const
  return [
    ...endTexts(state),
    ...[...state.step.calls].map(
      (toolCallId) => ({ type: 'tool-output-error', toolCallId, errorText: state.errorText(cutOff) }) as const,
    ),
    ...waitingCalls(state, error.transcript),
    metadata({ status: isAborted ? 'aborted' : 'failed', stopReason: code, usage }),
    isAborted ? { type: 'finish', finishReason: 'interrupted' } : { type: 'error', errorText: state.errorText(error) },
  ]
}

function metadata(messageMetadata: UiMessageMetadata): UiMessageChunk {
  return { type: 'message-metadata', messageMetadata }
}

/** Calls that wait for the page: of a tool that runs there it knows all it needs, but for what the schema made of the arguments. */
function waitingCalls(state: EncoderState, transcript: Transcript | undefined): Chunks {
  return answerable(transcript?.pendingCalls).flatMap((pending): Chunks => {
    if (!state.calls.has(pending.toolCallId)) return []
    const chunks = shownInput(state, pending)
    if (pending.reason !== 'approval') return chunks
    const { toolCallId } = pending
    return [...chunks, { type: 'tool-approval-request', approvalId: approvalIdOf(pending), toolCallId }]
  })
}

/** The object of a run with `output`, where a hidden call carried it, which no event shows. */
function structuredAnswer(state: EncoderState, { transcript }: RunResult): Chunks {
  const { messages } = transcript
  const last = messages.findLast(({ role }) => role === 'assistant')
  if (last?.role !== 'assistant') return []
  const visible = visibleMessages({ ...transcript, messages: messages.slice(messages.lastIndexOf(last)) })[0]
  if (visible?.role !== 'assistant') return []
  return visible.content.flatMap((part, index): Chunks => {
    if (part.type !== 'text' || last.content.includes(part)) return []
    const id = `${state.step.number}.answer-${index}`
    const text = [
      { type: 'text-start', id },
      { type: 'text-delta', id, delta: part.text },
      { type: 'text-end', id },
    ] as const
    return inStep(state, ...text)
  })
}

/** Pages go on by themselves after calls that are all answered, unless the message is `interrupted`: a limit or a hook ended the run. */
function finishReasonOf({ status, finishReason }: RunResult): UiFinishReason {
  if (status === 'requires-action') return 'tool-calls'
  if (finishReason === 'tool-calls') return 'interrupted'
  return finishReason === 'pause' || finishReason === 'unknown' ? 'other' : finishReason
}
