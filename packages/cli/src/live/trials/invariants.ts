import { isDeepStrictEqual } from 'node:util'
import { AdapterError, LoopError, type Message, type ToolCallPart, type Transcript } from '@steploop/core'
import type { Trial } from './trial.ts'

/** What the tools of a run were given. */
export interface RanCall {
  readonly toolCallId: string
  readonly toolName: string
}

/** What has to hold whatever a model says and a server does. Nothing returned means that all of it does. */
export function brokenInvariants(
  { result, error, events, took }: Trial,
  ran: readonly RanCall[],
  longest: number,
): readonly string[] {
  const problems: string[] = []
  if (took > longest) problems.push(`the run took ${Math.round(took)} ms, the limit is ${longest}`)
  if (result === undefined && !LoopError.isInstance(error))
    problems.push(`it rejected with no LoopError: ${String(error)}`)
  if (LoopError.isInstance(error) && error.code === 'turn-failed' && !AdapterError.isInstance(error.cause))
    problems.push(`a failed turn has no AdapterError as its cause: ${String(error.cause)}`)
  const transcript = result?.transcript ?? (LoopError.isInstance(error) ? error.transcript : undefined)
  problems.push(...terminalProblems(events), ...textProblems(events, result?.text))
  if (transcript !== undefined) problems.push(...transcriptProblems(transcript, ran))
  for (const [index, step] of result?.steps.entries() ?? []) {
    const last = step.message.content.filter((part) => part.type === 'tool-call').findLast(isCallers)
    const isCut = step.finishReason === 'length' && last !== undefined
    if (isCut && ran.some(({ toolCallId }) => toolCallId === last.toolCallId))
      problems.push(`step ${index} was cut, yet its last call ran`)
  }
  return problems
}

function terminalProblems(events: Trial['events']): readonly string[] {
  if (events.length === 0) return []
  const terminal = events.filter(({ type }) => type === 'run-end' || type === 'run-error')
  if (terminal.length === 1 && terminal[0] === events.at(-1)) return []
  return [`${terminal.length} terminal events, the last event is ${events.at(-1)?.type}`]
}

/** The text of the last step, as it was streamed, without what a retry took back. */
function textProblems(events: Trial['events'], text: string | undefined): readonly string[] {
  if (text === undefined || events.length === 0) return []
  let streamed = ''
  for (const event of events) {
    if (event.type === 'step-start' || event.type === 'step-retry') streamed = ''
    else if (event.type === 'text-delta') streamed += event.text
  }
  return streamed === text
    ? []
    : [`streamed was ${JSON.stringify(streamed.slice(-80))}, the text is ${JSON.stringify(text.slice(-80))}`]
}

function transcriptProblems(transcript: Transcript, ran: readonly RanCall[]): readonly string[] {
  const { messages, pendingCalls } = transcript
  const problems: string[] = []
  if (
    !isDeepStrictEqual(JSON.parse(JSON.stringify(transcript)), JSON.parse(JSON.stringify(structuredClone(transcript))))
  )
    problems.push('the transcript is no plain JSON')
  const calls = callsOf(messages)
  const pending = new Set(pendingCalls.map(({ toolCallId }) => toolCallId))
  const answered = messages.flatMap((message) =>
    message.role === 'tool' ? message.content.map(({ toolCallId }) => toolCallId) : [],
  )
  const expected = calls.map(({ toolCallId }) => toolCallId).filter((id) => !pending.has(id))
  if (expected.join() !== answered.join())
    problems.push(`the calls ${expected.join()} are answered as ${answered.join()}`)
  const ids = ran.map(({ toolCallId }) => toolCallId)
  if (new Set(ids).size < ids.length) problems.push(`a call ran twice: ${ids.join()}`)
  for (const { toolCallId, invalid } of calls) {
    if (invalid !== undefined && ids.includes(toolCallId)) problems.push(`call ${toolCallId} is ${invalid}, yet it ran`)
  }
  return problems
}

function isCallers({ owner }: ToolCallPart): boolean {
  return owner !== 'provider'
}

function callsOf(messages: readonly Message[]): readonly ToolCallPart[] {
  return messages.flatMap((message) =>
    message.role === 'assistant' ? message.content.filter((part) => part.type === 'tool-call').filter(isCallers) : [],
  )
}
