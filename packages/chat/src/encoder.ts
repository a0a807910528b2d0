import type { LoopEvent, PendingCall } from '@steploop/core'
import type { UiMessageChunk } from './chunks.ts'
import { callChunk, callResult, callStart, toolState } from './encode-calls.ts'
import { runEnd, runError } from './encode-ending.ts'
import {
  addText,
  endText,
  inStep,
  openStep,
  startText,
  stepEnd,
  stepRetry,
  type Chunks,
  type EncoderState,
} from './encode-step.ts'
import { fileOf, type UiPartOptions } from './ui-parts.ts'
import { safeErrorText } from './ui-texts.ts'

export interface UiEncoderOptions extends UiPartOptions {
  /** Id of the assistant message that the run writes. Default: the page makes one. */
  readonly messageId?: string | undefined
  /**
   * The run goes on with the last assistant message of the page: its pending calls are answered, and the user says nothing. Default false:
   * calls that an earlier message left open belong to that one, and are not told of in this stream.
   */
  readonly continues?: boolean | undefined
}

/**
 * Makes chunks of one run's events, given in order; for transports of your own. A run ends with `finish` or `error`, once; nothing comes of
 * events after it.
 */
export function createUiEncoder(options: UiEncoderOptions = {}): (event: LoopEvent) => readonly UiMessageChunk[] {
  const errorText = safeErrorText(options.errorText)
  const state: EncoderState = { options, errorText, calls: new Map(), step: openStep(0) }
  let isOver = false
  return (event) => {
    if (isOver) return []
    isOver = event.type === 'run-end' || event.type === 'run-error'
    return chunksOf(state, event, options)
  }
}

function chunksOf(state: EncoderState, event: LoopEvent, { messageId, continues, fileUrl }: UiEncoderOptions): Chunks {
  switch (event.type) {
    case 'run-start':
      return runStart(state, (continues === true && event.pendingCalls) || [], messageId)
    case 'step-start':
      state.step = openStep(event.step)
      return []
    case 'text-start':
      return startText(state, 'text', event.part)
    case 'reasoning-start':
      return startText(state, 'reasoning', event.part)
    case 'text-delta':
      return addText(state, 'text', event)
    case 'reasoning-delta':
      return addText(state, 'reasoning', event)
    case 'text-end':
    case 'reasoning-end':
      return endText(state, event.part)
    case 'refusal-delta':
      state.step.refusals.set(event.part, (state.step.refusals.get(event.part) ?? '') + event.text)
      return addText(state, 'text', event)
    case 'tool-call-start':
      return callStart(state, event)
    case 'tool-call-delta':
      return callDelta(state, event)
    case 'tool-call':
      return callChunk(state, event)
    case 'tool-state':
    case 'tool-progress':
      return toolState(state, event)
    case 'tool-result':
      return callResult(state, event)
    case 'citation':
      state.step.citations.push(event.citation)
      return []
    case 'file': {
      const file = fileOf(event, fileUrl)
      return file === undefined ? [] : inStep(state, file)
    }
    case 'opaque':
      return []
    case 'partial-output':
      return [{ type: 'data-partial-output', transient: true, data: event.output }]
    case 'warning': {
      const { type, message } = event.warning
      return [{ type: 'data-warning', transient: true, data: { type, message } }]
    }
    case 'step-retry':
      return stepRetry(state, event)
    case 'step-end':
      return stepEnd(state)
    case 'run-end':
      return runEnd(state, event.result)
    case 'run-error':
      return runError(state, event.error)
    default:
      event satisfies never
      return []
  }
}

function callDelta(
  { step }: EncoderState,
  { toolCallId, inputText }: Extract<LoopEvent, { type: 'tool-call-delta' }>,
): Chunks {
  return step.calls.has(toolCallId) ? [{ type: 'tool-input-delta', toolCallId, inputTextDelta: inputText }] : []
}

function runStart(state: EncoderState, pendingCalls: readonly PendingCall[], messageId: string | undefined): Chunks {
  for (const { toolCallId, input } of pendingCalls) state.calls.set(toolCallId, { input, step: -1 })
  return [{ type: 'start', ...(messageId !== undefined && { messageId }) }]
}
