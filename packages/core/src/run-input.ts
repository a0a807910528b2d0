import { canonicalJson } from './canonical-json.ts'
import { resultOf } from './dispatch.ts'
import { LoopError } from './errors.ts'
import type { Warning } from './events.ts'
import { callerCalls, repairHistory } from './history.ts'
import { isObject } from './json.ts'
import type { RunInput, ToolAnswer } from './loop-options.ts'
import type { AssistantMessage, Message, ToolCallPart, ToolResultPart } from './messages.ts'
import { errorOutput } from './run-tool.ts'
import type { PendingCall, Transcript } from './transcript.ts'
import { migrateTranscript, transcriptVersion } from './transcript-migrations.ts'

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
  if ('transcript' in input) return resume(input.transcript, input.prompt ?? undefined, input.toolOutputs ?? {})
  if ('version' in input) return resume(input, undefined, {})
  if (!Array.isArray(input.messages)) throw invalidInput('`messages` is not an array')
  return startOf(input.messages)
}

function startOf(input: readonly Message[]): RunStart {
  if (input.length === 0) throw invalidInput('there is no message')
  const problem = messagesProblem(input)
  if (problem !== undefined) throw invalidInput(problem)
  return { ...repairHistory(input), transcriptId: undefined, open: undefined, prompt: undefined }
}

function invalidInput(what: string): LoopError {
  const message = `The input cannot be run: ${what}. Give a prompt, { messages }, a transcript, or { transcript, prompt?, toolOutputs? }.`
  return new LoopError('invalid-input', message)
}

function resume(value: Transcript, prompt: string | undefined, given: Readonly<Record<string, ToolAnswer>>): RunStart {
  const transcript = checkTranscript(value)
  const { id: transcriptId, pendingCalls } = transcript
  const answers = withEveryApproval(given, pendingCalls)
  checkAnswers(transcript, answers)
  if (pendingCalls.length === 0) {
    const repaired = repairHistory(transcript.messages)
    return { ...repaired, transcriptId, open: undefined, prompt }
  }
  const { before, message, results, lost } = splitOpenStep(transcript)
  const { messages, warnings } = repairHistory(before)
  messages.push(message)
  const open = { message, results, pending: pendingCalls, answers }
  return { transcriptId, messages, warnings: [...warnings, ...lost], open, prompt }
}

/** `*` decides every approval that has no answer of its own. Without any such it stays, and is refused like any unknown id. */
function withEveryApproval(
  given: Readonly<Record<string, ToolAnswer>>,
  pendingCalls: readonly PendingCall[],
): Readonly<Record<string, ToolAnswer>> {
  const { '*': common, ...own } = given
  if (common === undefined || !('approved' in common)) return given
  const open = pendingCalls.filter(({ reason, toolCallId: id }) => reason === 'approval' && !Object.hasOwn(own, id))
  if (open.length === 0) return given
  return { ...Object.fromEntries(open.map(({ toolCallId }) => [toolCallId, common])), ...own }
}

/** Nothing has happened yet: whoever gives a wrong answer gets the transcript back as it is. */
function checkAnswers(transcript: Transcript, answers: Readonly<Record<string, ToolAnswer>>): void {
  const { pendingCalls } = transcript
  for (const [id, answer] of Object.entries(answers)) {
    const pending = pendingCalls.find((call) => call.toolCallId === id)
    const problem = pending === undefined ? notPending(id, pendingCalls) : answerProblem(pending, answer)
    if (problem !== undefined) throw new LoopError('invalid-input', problem, { transcript })
  }
}

function notPending(id: string, pendingCalls: readonly PendingCall[]): string {
  const waiting = pendingCalls.map((call) => call.toolCallId).join(', ') || 'none'
  return `\`toolOutputs\` answers call '${id}', which is not pending. Pending calls: ${waiting}.`
}

function answerProblem({ toolCallId: id, toolName, reason }: PendingCall, answer: unknown): string | undefined {
  if (isObject(answer) && ('output' in answer || typeof answer['error'] === 'string')) return undefined
  if (!isObject(answer) || typeof answer['approved'] !== 'boolean') {
    return `The answer to call '${id}' is none. Answer with { output }, { error: text } or { approved: true or false }.`
  }
  if (reason === 'approval') return undefined
  return `Call '${id}' waits for the output of the client-owned tool '${toolName}', not for an approval. Answer with { output } or { error }.`
}

interface SplitStep {
  readonly before: readonly Message[]
  readonly message: AssistantMessage
  /** Of the calls that do not wait any more. */
  readonly results: readonly ToolResultPart[]
  readonly lost: readonly Warning[]
}

function splitOpenStep(transcript: Transcript): SplitStep {
  const last = transcript.messages.at(-1)
  const results = last?.role === 'tool' ? last.content : []
  const index = transcript.messages.length - (last?.role === 'tool' ? 2 : 1)
  const message = transcript.messages[index]
  if (message?.role !== 'assistant') {
    throw damaged('`pendingCalls` is not empty, but the transcript does not end with the calls of an assistant message')
  }
  const calls = new Map(callerCalls(message).map((call) => [call.toolCallId, call]))
  const answered = new Set(results.map((result) => result.toolCallId))
  for (const pending of transcript.pendingCalls) checkPending(transcript, pending, { calls, answered })
  const waiting = new Set(transcript.pendingCalls.map((call) => call.toolCallId))
  const lost = [...calls.values()].filter(({ toolCallId: id }) => !waiting.has(id) && !answered.has(id))
  return {
    before: transcript.messages.slice(0, index),
    message,
    results: [...results, ...lost.map((call) => resultOf(call, errorOutput('not-executed', 'This call was not run.')))],
    lost: lost.map(({ toolCallId: id }) => lostCall(index, id)),
  }
}

function lostCall(index: number, id: string): Warning {
  const message = `call '${id}' was neither pending nor answered, and was answered 'not-executed'`
  return { type: 'repaired', path: `messages[${index}]`, message }
}

interface OpenCalls {
  readonly calls: ReadonlyMap<string, ToolCallPart>
  readonly answered: ReadonlySet<string>
}

/** A call that has its result must not run again, and an approval holds for the arguments that the person saw. */
function checkPending(transcript: Transcript, pending: PendingCall, { calls, answered }: OpenCalls): void {
  const { toolCallId: id, toolName, input } = pending
  const call = calls.get(id)
  if (call === undefined) throw damaged(`pending call '${id}' is not in the last assistant message`)
  if (answered.has(id)) throw damaged(`pending call '${id}' has its result already`)
  if (call.toolName === toolName && canonicalJson(call.input) === canonicalJson(input)) return
  const message = `Call '${id}' waits with another tool or other arguments than it has in \`messages\`. Give the transcript back unchanged, and changed input as { approved: true, input }.`
  throw new LoopError('invalid-transcript', message, { transcript })
}

const roles: ReadonlySet<unknown> = new Set(['system', 'user', 'assistant', 'tool'])

function checkTranscript(value: unknown): Transcript {
  if (!isObject(value)) throw damaged('it is not an object')
  const transcript = migrateTranscript(value)
  if (transcript === undefined) {
    const mend = 'Update @steploop/core, or start from { messages }.'
    const message = `The transcript has version ${String(value['version'])}; this package reads versions up to ${transcriptVersion}. ${mend}`
    throw new LoopError('transcript-version', message)
  }
  const { id, messages, pendingCalls } = transcript
  if (typeof id !== 'string' || id === '') throw damaged('`id` is missing')
  if (!Array.isArray(messages)) throw damaged('`messages` is not an array')
  if (!Array.isArray(pendingCalls)) throw damaged('`pendingCalls` is not an array')
  const problem = messagesProblem(messages)
  if (problem !== undefined) throw damaged(problem)
  const stray = pendingCalls.findIndex((call) => !isPendingCall(call))
  if (stray >= 0) throw damaged(`pendingCalls[${stray}] is no pending call`)
  return transcript as unknown as Transcript
}

function isPendingCall(call: unknown): boolean {
  if (!isObject(call) || typeof call['toolCallId'] !== 'string' || typeof call['toolName'] !== 'string') return false
  return call['reason'] === 'client-tool' || call['reason'] === 'approval'
}

/** Messages from code without types, or from a file: what is wrong with the first that cannot be one. */
function messagesProblem(messages: readonly unknown[]): string | undefined {
  for (const [index, message] of messages.entries()) {
    const problem = messageProblem(message)
    if (problem !== undefined) return `messages[${index}] ${problem}`
  }
  return undefined
}

/** Makes the messages that the application's code gave legal. Throws `LoopError` `invalid-history` for what are no messages. */
export function readMessages(name: string, given: readonly Message[]): ReturnType<typeof repairHistory> {
  const problem = Array.isArray(given) ? messagesProblem(given) : 'messages is not an array'
  if (problem === undefined) return repairHistory(given)
  throw new LoopError('invalid-history', `\`${name}\` gave a history that cannot be sent: ${problem}.`)
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
