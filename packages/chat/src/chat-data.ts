import {
  repairHistory,
  type Message,
  type PendingCall,
  type RunInput,
  type ToolResultPart,
  type Transcript,
} from '@steploop/core'
import { isObject } from '@steploop/core/adapter'
import { ChatRequestError } from './chat-request-error.ts'
import type { StoredChat } from './chat-store.ts'
import type { UiMessageMetadata } from './chunks.ts'
import { namesOf } from './encode-calls.ts'
import { askedAgain, inputOf, parseChatRequest } from './read-chat-request.ts'
import { toUiMessages } from './to-ui-messages.ts'
import type { UiMessage } from './ui-message.ts'
import { answerable, approvalIdOf, type UiPartOptions } from './ui-parts.ts'

/** What the store keeps of a chat beside the log. */
export interface ChatData {
  readonly transcript: Transcript
  /** Ids of the messages before the one that the last run wrote. */
  readonly ids: readonly string[]
  /** Id of the message that the last run wrote. It need not be there: a run may fail before there is anything to store. */
  readonly answerId: string
  /** What pages show as the input of calls, where that is not what the model wrote. By call id. */
  readonly inputs: Readonly<Record<string, unknown>>
  /** How the runs of a message ended, as pages have it. By message id. */
  readonly metadata: Readonly<Record<string, UiMessageMetadata>>
}

export function readData({ data }: StoredChat): ChatData {
  const read: unknown = JSON.parse(data)
  if (isObject(read) && isObject(read['transcript']) && Array.isArray(read['ids'])) return read as unknown as ChatData
  throw new TypeError('The store gave data that createChat did not write.')
}

/** The conversation for a page, with the ids that its messages have there. An answer that says nothing still says how it ended. */
export function messagesOf(
  { transcript, ids, answerId, inputs, metadata }: ChatData,
  options: UiPartOptions,
): UiMessage[] {
  const messages = toUiMessages(transcript, { ...options, inputs })
  const knownIds = messages.at(-1)?.role === 'assistant' ? [...ids, answerId] : ids
  const offset = messages.length - knownIds.length
  const withIds = messages.map((message, index) => {
    const id = knownIds[index - offset] ?? message.id
    // A user's message may have any id.
    const ended = Object.hasOwn(metadata, id) ? metadata[id] : undefined
    return { ...message, id, ...(ended && { metadata: ended }) }
  })
  const last = messages.at(-1)?.role === 'assistant' ? undefined : metadata[answerId]
  return last === undefined ? withIds : [...withIds, { id: answerId, role: 'assistant', parts: [], metadata: last }]
}

/** Merges metadata as pages do it: what a later run does not say stays. */
function merged(before: UiMessageMetadata | undefined, now: UiMessageMetadata): UiMessageMetadata {
  const usage = { ...before?.usage, ...now.usage }
  return { ...before, ...now, ...((before?.usage ?? now.usage) && { usage }) }
}

/** A run as a request asks for it. */
export interface PlannedRun {
  readonly input: RunInput
  /**
   * What is stored when it begins: whoever says something has said it, whatever becomes of the run, and a call that was approved does not
   * wait any more, since nobody knows whether it ran should the server die.
   */
  readonly data: ChatData
  /** The conversation that the run goes on from. */
  readonly transcript: Transcript
  /** The run goes on with the message that is there. */
  readonly continues: boolean
  /** Decisions of the page, for those who read the log. */
  readonly decisions: readonly Decision[]
}

export interface Decision {
  readonly call: PendingCall
  readonly approved: boolean
  readonly reason?: string | undefined
  /** Arguments that the person gave instead. */
  readonly input?: unknown
}

/** Throws `ChatRequestError`. */
export function planRun(body: unknown, stored: ChatData | undefined): PlannedRun {
  const request = parseChatRequest(body, stored?.transcript.pendingCalls ?? [])
  const shownMessages = stored === undefined ? [] : messagesOf(stored, {})
  const isKnown = request.type !== 'answers' && shownMessages.some(({ id }) => id === request.id)
  // A page whose message never arrived asks for its answer "anew".
  if (request.type === 'regenerate' && (isKnown || request.id === undefined))
    return regeneration(request, stored, shownMessages)
  if (request.type === 'answers') return answering(request.toolOutputs, stored)
  if (isKnown) throw new ChatRequestError('conflict', 'This message was sent already.')
  const { message, id = crypto.randomUUID() } = request
  if (message === undefined)
    throw new ChatRequestError('conflict', 'There is nothing to answer anew: this chat has no message. Send one.')
  const before = stored?.transcript ?? emptyTranscript()
  const transcript = withMessages(before, [message])
  return {
    input: { transcript: before, messages: [message] },
    transcript,
    data: {
      transcript,
      ids: [...shownMessages.filter(({ parts }) => parts.length > 0).map((one) => one.id), id],
      answerId: crypto.randomUUID(),
      inputs: stored?.inputs ?? {},
      metadata: stored?.metadata ?? {},
    },
    continues: false,
    decisions: [],
  }
}

function regeneration(
  { id }: { readonly id: string | undefined },
  stored: ChatData | undefined,
  shownMessages: readonly UiMessage[],
): PlannedRun {
  const transcript = stored && askedAgain(stored.transcript)
  const last = shownMessages.findLastIndex(({ role }) => role === 'user')
  if (stored === undefined || transcript === undefined || last < 0)
    throw new ChatRequestError('conflict', 'There is nothing to answer anew: no user has said anything in this chat.')
  if (id !== undefined && id !== shownMessages[last]?.id)
    throw new ChatRequestError('conflict', 'Only the answer to the last message can be asked for anew.')
  const ids = shownMessages.slice(0, last + 1).map((message) => message.id)
  const written = writtenInputs(transcript)
  // Another call may get the id of one that is forgotten.
  const inputs = Object.fromEntries(Object.entries(stored.inputs).filter(([toolCallId]) => written.has(toolCallId)))
  const metadata = Object.entries(stored.metadata).filter(([messageId]) => ids.includes(messageId))
  const data = { transcript, ids, answerId: crypto.randomUUID(), inputs, metadata: Object.fromEntries(metadata) }
  return { input: { transcript }, transcript, data, continues: false, decisions: [] }
}

function answering(
  toolOutputs: Extract<ReturnType<typeof parseChatRequest>, { type: 'answers' }>['toolOutputs'],
  stored: ChatData | undefined,
): PlannedRun {
  if (stored === undefined) throw new ChatRequestError('conflict', 'There is no such chat.')
  const decisions = stored.transcript.pendingCalls.flatMap((call): readonly Decision[] => {
    const answer = toolOutputs[call.toolCallId]
    return answer !== undefined && 'approved' in answer ? [{ call, ...answer }] : []
  })
  const edited = decisions.flatMap(({ call, input }) => (input === undefined ? [] : [[call.toolCallId, input]]))
  const inputs = { ...stored.inputs, ...(Object.fromEntries(edited) as Record<string, unknown>) }
  const begun = decisions.filter(({ approved }) => approved)
  return {
    input: inputOf({ type: 'answers', toolOutputs }, stored.transcript),
    transcript: stored.transcript,
    data: { ...stored, inputs, transcript: withBegun(stored.transcript, begun) },
    continues: true,
    decisions,
  }
}

function emptyTranscript(): Transcript {
  return { version: 1, id: crypto.randomUUID(), messages: [], pendingCalls: [] }
}

/** The conversation with more messages; calls that wait are given up, or answered by these. */
export function withMessages({ version, id, messages, turns }: Transcript, added: readonly Message[]): Transcript {
  const all = repairHistory([...messages, ...added]).messages
  return { version, id, messages: all, pendingCalls: [], ...(turns !== undefined && { turns }) }
}

/** The conversation with these calls begun, and what came of them not known. */
function withBegun(transcript: Transcript, begun: readonly Decision[]): Transcript {
  if (begun.length === 0) return transcript
  const { messages, pendingCalls } = transcript
  const last = messages.at(-1)
  const earlier = last?.role === 'tool' ? last.content : []
  const value = {
    code: 'aborted',
    message: 'The server stopped before this call was answered. It may have run.',
  } as const
  const results = begun.map(({ call: { toolCallId, toolName }, input }): ToolResultPart => {
    const told = input === undefined ? value : { ...value, executedInput: input }
    return { type: 'tool-result', toolCallId, toolName, output: { type: 'error', value: told } }
  })
  return {
    ...transcript,
    messages: [
      ...(last?.role === 'tool' ? messages.slice(0, -1) : messages),
      { role: 'tool', content: [...earlier, ...results] },
    ],
    pendingCalls: pendingCalls.filter((pending) => !begun.some(({ call }) => call === pending)),
  }
}

/** The arguments of all calls, as the model wrote them. */
function writtenInputs({ messages }: Transcript): ReadonlyMap<string, unknown> {
  const written = new Map<string, unknown>()
  for (const { role, content } of messages) {
    if (role !== 'assistant') continue
    for (const part of content) if (part.type === 'tool-call') written.set(part.toolCallId, part.input)
  }
  return written
}

/** After a run: what waits is shown with the input that would run. `ended`: what the run told of its end. */
export function endedData(before: ChatData, transcript: Transcript, ended: UiMessageMetadata | undefined): ChatData {
  const waiting = answerable(transcript.pendingCalls)
  const { answerId, metadata } = before
  // An object without a prototype is a dictionary from the start; with one, each new id would make a shape of its own.
  const allMetadata = { __proto__: null, ...metadata } as unknown as Record<string, UiMessageMetadata>
  if (ended !== undefined) allMetadata[answerId] = merged(metadata[answerId], ended)
  const data = { ...before, transcript, metadata: allMetadata }
  if (waiting.length === 0) return data
  const written = writtenInputs(transcript)
  const changed = waiting.filter(
    ({ toolCallId, input }) => JSON.stringify(written.get(toolCallId)) !== JSON.stringify(input),
  )
  const inputs = Object.fromEntries(changed.map(({ toolCallId, input }) => [toolCallId, input]))
  return { ...data, inputs: { ...before.inputs, ...inputs } }
}

/** What a page that is loaded later has to know of the decisions: it is not to ask again. */
export function decisionChunks({ decisions }: PlannedRun, options: UiPartOptions) {
  return decisions.flatMap(({ call, approved, reason, input }) => {
    const { toolCallId, toolName } = call
    const names = namesOf({ options }, { toolCallId, toolName, owner: 'loop' })
    const edited = input === undefined ? [] : [{ type: 'tool-input-available', ...names, input } as const]
    return [...edited, { type: 'tool-approval-response', approvalId: approvalIdOf(call), approved, reason } as const]
  })
}
