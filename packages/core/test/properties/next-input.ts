import { LoopError } from '../../src/contract/errors.ts'
import type { RunInput } from '../../src/options/loop-options.ts'
import type { PendingCall, Transcript, ToolAnswer } from '../../src/contract/transcript.ts'
import type { NextDraw } from './draw.ts'
import { jsonCopy, transcriptOf, type Continuation, type RunRecord } from './observation.ts'

/** What the application does with the outcome of a run; `undefined`: nothing. */
export function nextInput(draw: NextDraw | undefined, record: RunRecord): Continuation | undefined {
  if (draw === undefined || record.hung || record.continuation.kind === 'misuse') return undefined
  const transcript = transcriptOf(record.outcome)
  if (transcript === undefined) return undefined
  const kept = draw.roundTrip ? jsonCopy(transcript) : transcript
  if (draw.misuse !== 'none') return misuse(draw, kept)
  const answers = answersOf(draw, kept.pendingCalls)
  const toolOutputs = Object.keys(answers).length === 0 ? undefined : answers
  const input = { transcript: kept, toolOutputs, prompt: draw.prompt ? 'And then?' : undefined }
  return { kind: 'resumed', input, start: kept.messages, transcript: kept, answers, draw }
}

function answersOf(draw: NextDraw, pending: readonly PendingCall[]): Record<string, ToolAnswer> {
  const answers: Record<string, ToolAnswer> = {}
  for (const [index, call] of pending.entries()) {
    const how = draw.answers[index % Math.max(1, draw.answers.length)] ?? 'skip'
    const answer = answerOf(how, call)
    if (answer !== undefined) answers[call.toolCallId] = answer
  }
  return answers
}

function answerOf(how: NextDraw['answers'][number], { reason }: PendingCall): ToolAnswer | undefined {
  const approval = reason === 'approval'
  switch (how) {
    case 'skip':
      return undefined
    case 'approve':
      return approval ? { approved: true } : { output: { said: 'yes' } }
    case 'edit':
      return approval ? { approved: true, input: { key: 77 } } : { output: 'edited' }
    case 'deny':
      return approval ? { approved: false, reason: 'too risky' } : { error: 'closed' }
    case 'output':
      return approval ? { approved: true } : { output: 'given' }
    case 'error':
      return approval ? { approved: false } : { error: 'nobody there' }
    default:
      return how satisfies never
  }
}

/** The transcript or the answers are not what they should be. */
function misuse(draw: NextDraw, transcript: Transcript): Continuation | undefined {
  const input = misusedInput(draw, transcript)
  if (input === undefined) return undefined
  return { kind: 'misuse', input, start: transcript.messages, transcript, answers: {}, draw }
}

function misusedInput({ misuse: how }: NextDraw, transcript: Transcript): RunInput | undefined {
  const { pendingCalls, messages } = transcript
  const client = pendingCalls.find((call) => call.reason === 'client-tool')
  switch (how) {
    case 'none':
      return undefined
    case 'stranger':
      return { transcript, toolOutputs: { stranger: { output: 1 } } }
    case 'approve-client':
      if (client === undefined) return undefined
      return { transcript, toolOutputs: { [client.toolCallId]: { approved: true } } }
    case 'version':
      return foreign({ ...transcript, version: 2 })
    case 'pending-gone':
      return { ...transcript, pendingCalls: pendingCalls.slice(1) }
    case 'results-gone':
      return { ...transcript, messages: messages.filter((message) => message.role !== 'tool') }
    case 'no-object':
      return foreign({ ...transcript, messages: [null, ...messages] })
    default:
      return how satisfies never
  }
}

/** As if it came out of a file. */
function foreign(value: unknown): Transcript {
  return jsonCopy(value) as Transcript
}

/** Codes with which the loop may refuse what it was given. */
export function refuses(error: unknown): boolean {
  const codes = ['invalid-input', 'invalid-transcript', 'transcript-version']
  return LoopError.isInstance(error) && codes.includes(error.code)
}
