import { LoopError } from './errors.ts'
import type { Warning } from './events.ts'
import { callerCalls, repairHistory } from './history.ts'
import { isObject } from './json.ts'
import type { RunInput, ToolAnswer } from './loop-options.ts'
import type { AssistantMessage, Message, ToolResultPart } from './messages.ts'
import type { PendingCall, Transcript } from './transcript.ts'

/** Where a run begins. */
export interface RunStart {
  /** `undefined`: a new conversation. */
  readonly transcriptId: string | undefined
  /** Repaired; without the step that is still open. */
  readonly messages: Message[]
  readonly warnings: readonly Warning[]
  /** The step that a suspended transcript left open. */
  readonly open: OpenStep | undefined
  /** Comes after the open step. */
  readonly prompt: string | undefined
}

export interface OpenStep {
  /** The last of `messages`. */
  readonly message: AssistantMessage
  readonly results: readonly ToolResultPart[]
  readonly pending: readonly PendingCall[]
  readonly answers: Readonly<Record<string, ToolAnswer>>
}

/** Reads any form of input. Throws `LoopError`: `invalid-input`, `invalid-transcript`, `transcript-version`. */
export function readInput(input: RunInput): RunStart {
  if (typeof input === 'string') return startOf([{ role: 'user', content: input }])
  if (typeof input !== 'object' || input === null) throw invalidInput(`it is ${input === null ? 'null' : typeof input}`)
  if ('transcript' in input) return resume(input.transcript, input.prompt, input.toolOutputs)
  if ('version' in input) return resume(input, undefined, undefined)
  if (!Array.isArray(input.messages)) throw invalidInput('`messages` is not an array')
  return startOf(input.messages)
}

function startOf(input: readonly Message[]): RunStart {
  if (input.length === 0) throw invalidInput('there is no message')
  return { ...repairHistory(input), transcriptId: undefined, open: undefined, prompt: undefined }
}

function invalidInput(what: string): LoopError {
  const message = `The input cannot be run: ${what}. Give a prompt, { messages }, a transcript, or { transcript, prompt?, toolOutputs? }.`
  return new LoopError('invalid-input', message)
}

function resume(
  value: Transcript,
  prompt: string | undefined,
  answers: Readonly<Record<string, ToolAnswer>> = {},
): RunStart {
  const transcript = checkTranscript(value)
  const { id: transcriptId, pendingCalls } = transcript
  for (const id of Object.keys(answers)) {
    if (pendingCalls.some((call) => call.toolCallId === id)) continue
    const waiting = pendingCalls.map((call) => call.toolCallId).join(', ') || 'none'
    const message = `\`toolOutputs\` answers call '${id}', which is not pending. Pending calls: ${waiting}.`
    throw new LoopError('invalid-input', message, { transcript })
  }
  if (pendingCalls.length === 0) {
    const repaired = repairHistory(transcript.messages)
    return { ...repaired, transcriptId, open: undefined, prompt }
  }
  const { before, message, results } = splitOpenStep(transcript)
  const { messages, warnings } = repairHistory(before)
  messages.push(message)
  return { transcriptId, messages, warnings, open: { message, results, pending: pendingCalls, answers }, prompt }
}

function splitOpenStep(transcript: Transcript): {
  readonly before: readonly Message[]
  readonly message: AssistantMessage
  readonly results: readonly ToolResultPart[]
} {
  const last = transcript.messages.at(-1)
  const results = last?.role === 'tool' ? last.content : []
  const index = transcript.messages.length - (last?.role === 'tool' ? 2 : 1)
  const message = transcript.messages[index]
  if (message?.role !== 'assistant') {
    throw damaged('`pendingCalls` is not empty, but the transcript does not end with the calls of an assistant message')
  }
  const known = new Set(callerCalls(message).map((call) => call.toolCallId))
  const stray = transcript.pendingCalls.find((call) => !known.has(call.toolCallId))
  if (stray !== undefined) throw damaged(`pending call '${stray.toolCallId}' is not in the last assistant message`)
  return { before: transcript.messages.slice(0, index), message, results }
}

const roles: ReadonlySet<unknown> = new Set(['system', 'user', 'assistant', 'tool'])

function checkTranscript(value: unknown): Transcript {
  if (!isObject(value)) throw damaged('it is not an object')
  const { version, id, messages, pendingCalls } = value
  if (version !== 1) {
    const mend = 'Update @steploop/core, or start from { messages }.'
    const message = `The transcript has version ${String(version)}; this package reads version 1. ${mend}`
    throw new LoopError('transcript-version', message)
  }
  if (typeof id !== 'string' || id === '') throw damaged('`id` is missing')
  if (!Array.isArray(messages)) throw damaged('`messages` is not an array')
  if (!Array.isArray(pendingCalls)) throw damaged('`pendingCalls` is not an array')
  for (const [index, message] of messages.entries()) {
    const problem = messageProblem(message)
    if (problem !== undefined) throw damaged(`messages[${index}] ${problem}`)
  }
  return value as unknown as Transcript
}

function messageProblem(message: unknown): string | undefined {
  if (!isObject(message)) return 'is not an object'
  const { role, content } = message
  if (!roles.has(role)) return `has the role ${JSON.stringify(role)}`
  if (Array.isArray(content)) {
    const index = content.findIndex((part) => !isObject(part) || typeof part['type'] !== 'string')
    return index < 0 ? undefined : `has a part (${index}) without a type`
  }
  return typeof content === 'string' && role !== 'assistant' && role !== 'tool' ? undefined : 'has no readable content'
}

function damaged(what: string): LoopError {
  const mend = 'Store it with JSON.stringify and give it back unchanged.'
  return new LoopError('invalid-transcript', `The transcript is damaged: ${what}. ${mend}`)
}
