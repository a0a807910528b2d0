import { checkAnswers, isClientToolOutput, withEveryApproval } from '../transcript/check-answers.ts'
import { callsProblem, messagesProblem } from '../transcript/check-messages.ts'
import { errorText } from '../wire/error-text.ts'
import { LoopError } from '../contract/errors.ts'
import type { Warning } from '../contract/adapter.ts'
import { callerCalls, ownHistory, resultsFor } from '../transcript/history.ts'
import { arrayOf, isObject, type JsonObject } from '../wire/json.ts'
import type { RunInput } from '../options/loop-options.ts'
import { historyHash } from '../transcript/message-hash.ts'
import type { AssistantMessage, InputMessage, Message, ToolCallPart, ToolResultPart } from '../contract/messages.ts'
import { freezeData, keepMessage, ownMessage, ownRecord } from '../tools/own-data.ts'
import { otherArguments } from '../calls/approve-call.ts'
import { namesConversation } from '../options/provider-state.ts'
import type { RunConfig } from '../options/run-config.ts'
import type { Continuable } from './state/run-state.ts'
import type { ToolSet } from '../tools/tool.ts'
import { clientToolOutput } from '../wire/tool-output.ts'
import type { PendingCall, RunProgress, Transcript, ToolAnswer } from '../contract/transcript.ts'
import { callIdsIn } from '../transcript/unique-ids.ts'
import { migrateTranscript, transcriptVersion } from '../transcript/transcript-migrations.ts'
import { membersProblem } from './transcript-members.ts'

/** What reading needs to know of the run. */
export type InputConfig = Pick<RunConfig, 'tools' | 'model' | 'providerOptions' | 'prepareStep'>

/** Where a run begins. */
export interface RunStart {
  /** `undefined`: a new conversation. */
  readonly transcriptId?: string | undefined
  /** Repaired, and the loop's own; without the results of the step that is still open. */
  readonly messages: Message[]
  readonly warnings: readonly Warning[]
  /** The step that a suspended transcript left open. */
  readonly open?: OpenStep | undefined
  /** Messages after the open step. */
  readonly next: readonly Message[]
  /** Turns of a model so far. */
  readonly turns: number
  /** What limits have counted in the run that goes on. */
  readonly progress?: RunProgress | undefined
  readonly continuable?: Continuable | undefined
}

export interface OpenStep {
  /** The last of `messages`. */
  readonly message: AssistantMessage
  readonly results: readonly ToolResultPart[]
  readonly pending: readonly PendingCall[]
  readonly answers: Readonly<Record<string, ToolAnswer>>
}

/**
 * Reads any form of input. Throws `LoopError`: `invalid-input`, `invalid-transcript`, `transcript-version`; nothing else, whatever the
 * input is.
 */
export function readInput(input: RunInput, config: InputConfig): RunStart {
  try {
    return readKnown(input, config)
  } catch (cause) {
    if (LoopError.isInstance(cause)) throw cause
    const message = `The input cannot be read: ${errorText(cause)}. Give plain JSON data.`
    throw new LoopError('invalid-input', message, { cause })
  }
}

const inputNames = ['transcript', 'messages', 'prompt', 'toolOutputs']
function readKnown(input: RunInput, config: InputConfig): RunStart {
  const behind = namesConversation(config.providerOptions, config.model.provider)
  if (typeof input === 'string' && input !== '') return beginning([keepMessage({ role: 'user', content: input })], [])
  if (typeof input === 'string') return readKnown({ prompt: input }, config)
  if (!isObject(input)) {
    throw invalidInput(`it is ${input === null ? 'null' : Array.isArray(input) ? 'an array' : typeof input}`)
  }
  const order = { tools: config.tools, behind }
  if ('version' in input) return resume(bareTranscript(input), [], {}, order)
  const unknown = Object.keys(input).find((name) => !inputNames.includes(name))
  if (unknown !== undefined) throw invalidInput(`it has the unknown member '${unknown}'`)
  const { transcript, toolOutputs } = input as { transcript?: Transcript; toolOutputs?: unknown }
  const next = nextMessages(input)
  if ('transcript' in input) return resume(transcript, next, answersIn(toolOutputs), order)
  if (toolOutputs != null) return startOf([outputsOf(answersIn(toolOutputs), behind), ...next], behind)
  // Alone an empty prompt says nothing, unless a policy or the application has words for it.
  const hasWords = input.prompt === '' && config.prepareStep !== undefined
  return startOf(next.length === 0 && hasWords ? [{ role: 'user', content: '' }] : next, behind)
}

/** A transcript that was spread into an input would lose what stands beside it. */
function bareTranscript(input: JsonObject): JsonObject {
  const beside = ['transcript', 'prompt', 'toolOutputs'].find((name) => name in input)
  if (beside === undefined) return input
  throw invalidInput(`it is a transcript with \`${beside}\` in it, so write { transcript, ${beside} }`)
}

/** The messages, then the prompt unless it is empty, that come after whatever there was. */
function nextMessages({ messages, prompt }: JsonObject): readonly InputMessage[] {
  if (messages != null && !Array.isArray(messages)) {
    throw invalidInput('`messages` is not an array')
  }
  if (prompt != null && typeof prompt !== 'string') {
    throw invalidInput(`\`prompt\` is ${typeof prompt}, not a text`)
  }
  const given = (messages ?? []) as readonly InputMessage[]
  const problem = messagesProblem(given)
  if (problem !== undefined) throw invalidInput(problem)
  return typeof prompt === 'string' && prompt !== ''
    ? [...given, keepMessage({ role: 'user', content: prompt })]
    : given
}

const answerMembers = ['approved', 'input', 'reason', 'hash', 'output', 'error']
const pendingMembers = ['toolCallId', 'toolName', 'input', 'reason', 'hash', 'refined', 'edited', 'unjudged', 'offered']

/** A copy, since they are looked at again when the run has begun. */
function answersIn(given: unknown): Readonly<Record<string, ToolAnswer>> {
  if (given == null) return {}
  if (isObject(given) && !(given instanceof Map)) {
    const answers = Object.entries(given).map(([id, answer]) => [
      id,
      isObject(answer) ? ownRecord(answer, answerMembers) : answer,
    ])
    return Object.fromEntries(answers) as Readonly<Record<string, ToolAnswer>>
  }
  throw invalidInput('`toolOutputs` is no object of answers by call id')
}

/** Answers to calls that are in no message here. */
function outputsOf(answers: Readonly<Record<string, ToolAnswer>>, behind: boolean): Message {
  if (!behind) {
    throw invalidInput(
      '`toolOutputs` answers calls of no transcript, nor of a `previous_response_id` or `conversation` in `providerOptions`',
    )
  }
  const content = Object.entries(answers).map(([toolCallId, answer]) => {
    if (!isClientToolOutput(answer))
      throw invalidInput(`the answer to call '${toolCallId}' has neither \`output\` nor \`error\``)
    return { type: 'tool-result', toolCallId, toolName: '', output: clientToolOutput(answer) } as const
  })
  if (content.length === 0) throw invalidInput('`toolOutputs` is empty')
  return { role: 'tool', content }
}

function startOf(input: readonly InputMessage[], behind: boolean): RunStart {
  if (input.length === 0) throw invalidInput('there is no message, and an empty prompt is none')
  const { messages, warnings } = ownHistory(input, behind)
  if (messages.length === 0) throw invalidInput(`nothing is left of the messages: ${warnings[0]?.message}`)
  return beginning(messages, warnings)
}

function beginning(messages: Message[], warnings: readonly Warning[]): RunStart {
  return { messages, warnings, next: [], turns: turnsIn(messages) }
}

function turnsIn(messages: readonly Message[]): number {
  return messages.filter((message) => message.role === 'assistant').length
}

function invalidInput(what: string): LoopError {
  const message = `The input cannot be run: ${what}. Give a prompt, a transcript, or { transcript?, messages?, prompt?, toolOutputs? }.`
  return new LoopError('invalid-input', message)
}

function resume(
  value: unknown,
  next: readonly InputMessage[],
  given: Readonly<Record<string, ToolAnswer>>,
  { tools, behind }: { readonly tools: ToolSet; readonly behind: boolean },
): RunStart {
  const transcript = checkTranscript(value, behind)
  const { id: transcriptId, pendingCalls, progress, turns = 0 } = transcript
  const answers = withEveryApproval(given, pendingCalls)
  checkAnswers(transcript, answers, tools)
  const owned = transcript.messages.map(ownMessage)
  const step = pendingCalls.length === 0 ? undefined : splitOpenStep({ ...transcript, messages: owned })
  const { messages, warnings } = ownHistory(step?.before ?? owned, true)
  if (step !== undefined) messages.push(step.message)
  const continuable = continuableAt(transcript, messages)
  if (!behind && continuable === undefined && beginsWithOutputs(messages)) {
    throw damaged('it begins with results that no call asks for')
  }
  const added = ownHistory(next, false, callIdsIn(owned))
  const goesOn = next.length === 0 || Object.keys(answers).length > 0
  return {
    transcriptId,
    messages,
    warnings: [...warnings, ...(step?.lost ?? []), ...added.warnings],
    open: step && {
      ...step,
      pending: freezeData(pendingCalls.map((call) => ownRecord(call, pendingMembers))),
      answers,
    },
    next: added.messages,
    turns: Math.max(turns, turnsIn(owned)),
    progress: goesOn ? progress : undefined,
    continuable,
  }
}

function beginsWithOutputs(messages: readonly Message[]): boolean {
  const first = messages.find(({ role }) => role === 'assistant' || role === 'tool')
  return first?.role === 'tool'
}

/** The transcript of an earlier run may go on from the response that ended it, if the messages that the provider knows are still the same. */
function continuableAt({ continuation }: Transcript, messages: readonly Message[]): Continuable | undefined {
  if (continuation === undefined) return undefined
  const index = messages.findLastIndex((message) => message.role === 'assistant')
  const message = messages[index]
  if (message?.role !== 'assistant' || message.responseId !== continuation.responseId) return undefined
  const { responseId, provider, model } = message
  const from = index + 1
  return historyHash(messages.slice(0, from)) === continuation.hash ? { responseId, provider, model, from } : undefined
}

interface SplitStep {
  readonly before: readonly Message[]
  readonly message: AssistantMessage
  /** Results of the calls that do not wait any more. */
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
  const answered = new Map(results.map((result) => [result.toolCallId, result]))
  for (const pending of transcript.pendingCalls) checkPending(transcript, pending, { calls, answered })
  const waiting = new Set(transcript.pendingCalls.map((call) => call.toolCallId))
  const lost: Warning[] = []
  const over = [...calls.values()].filter((call) => !waiting.has(call.toolCallId))
  return {
    before: transcript.messages.slice(0, index),
    message,
    results: resultsFor(over, answered, index, lost),
    lost,
  }
}

interface OpenCalls {
  readonly calls: ReadonlyMap<string, ToolCallPart>
  readonly answered: ReadonlyMap<string, ToolResultPart>
}

/** A call that has its result must not run again. */
function checkPending(transcript: Transcript, pending: PendingCall, { calls, answered }: OpenCalls): void {
  const { toolCallId: id, toolName } = pending
  const call = calls.get(id)
  if (call === undefined) throw damaged(`pending call '${id}' is not in the last assistant message`)
  if (answered.has(id)) throw damaged(`pending call '${id}' has its result already`)
  if (call.invalid === 'truncated') throw damaged(`pending call '${id}' was cut off, and never waits`)
  if (call.toolName !== toolName)
    throw new LoopError('invalid-transcript', otherArguments(call).message, { transcript })
}

function checkTranscript(value: unknown, named: boolean): Transcript {
  if (!isObject(value)) throw damaged('it is not an object')
  const transcript = migrateTranscript(value)
  if (transcript === undefined) {
    const fix = 'Update @steploop/core, or start from { messages }.'
    const message = `The transcript has version ${String(value['version'])}, and this package reads up to ${transcriptVersion}. ${fix}`
    throw new LoopError('transcript-version', message)
  }
  const problem =
    membersProblem(transcript) ??
    messagesProblem(arrayOf(transcript['messages'])) ??
    callsProblem(transcript['messages'] as readonly Message[], named || transcript['continuation'] !== undefined)
  if (problem !== undefined) throw damaged(problem)
  return transcript as unknown as Transcript
}

function damaged(what: string): LoopError {
  const fix = 'Give it back unchanged; a conversation that you edited goes in as { messages }.'
  return new LoopError('invalid-transcript', `The transcript is damaged: ${what}. ${fix}`)
}
