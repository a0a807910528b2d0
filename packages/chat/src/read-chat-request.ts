import type { PendingCall, RunInput, ToolAnswer, Transcript, UserMessage, UserPart } from '@steploop/core'
import { isObject, toJsonValue, type JsonObject } from '@steploop/core/adapter'
import { ChatRequestError } from './chat-request-error.ts'
import { approvalIdOf } from './ui-parts.ts'

/** What a page asks for. */
export type ChatRequest =
  /** The user says something; calls that wait are given up. */
  | { readonly type: 'message'; readonly id: string | undefined; readonly message: UserMessage }
  /** Calls that wait get answers, by call id; at least one. */
  | { readonly type: 'answers'; readonly toolOutputs: Readonly<Record<string, ToolAnswer>> }
  /** What was answered to the user's last message is asked for anew. `message`: as the page has it. */
  | { readonly type: 'regenerate'; readonly id: string | undefined; readonly message: UserMessage | undefined }

/**
 * What a request of `useChat`, as parsed JSON, asks of the stored conversation; `transcript` is `undefined` for a new one. Of the page's
 * messages only the last one is read: what a user says in it, or answers to calls that wait in the *stored* transcript. An approval counts
 * for the call and arguments that were shown; other arguments come as `toolInputs: { [toolCallId]: input }` in the body.
 *
 * Throws `ChatRequestError`: `bad-request` for what no page sends, `conflict` for answers to calls that do not wait.
 */
export function readChatRequest(body: unknown, transcript: Transcript | undefined): RunInput {
  return inputOf(parseChatRequest(body, transcript?.pendingCalls ?? []), transcript)
}

/** The input of the run that does what was asked for. */
export function inputOf(request: ChatRequest, transcript: Transcript | undefined): RunInput {
  const start = transcript && { transcript }
  if (request.type === 'message') return { ...start, messages: [request.message] }
  if (request.type === 'answers') return { ...start, toolOutputs: request.toolOutputs }
  const shortened = transcript && askedAgain(transcript)
  if (shortened !== undefined) return { transcript: shortened }
  if (request.message !== undefined) return { ...start, messages: [request.message] }
  throw new ChatRequestError('conflict', 'There is nothing to answer anew: no user has said anything in this chat.')
}

/** The conversation up to the last words of the user; `undefined` where there are none. */
export function askedAgain({ version, id, messages }: Transcript): Transcript | undefined {
  const last = messages.findLastIndex((message) => message.role === 'user' && message.synthetic !== true)
  return last < 0 ? undefined : { version, id, messages: messages.slice(0, last + 1), pendingCalls: [] }
}

export function parseChatRequest(body: unknown, pendingCalls: readonly PendingCall[]): ChatRequest {
  if (!isObject(body)) throw bad('The body is no JSON object.')
  const { trigger = 'submit-message' } = body
  const last: unknown = Array.isArray(body['messages']) ? body['messages'].at(-1) : body['message']
  if (trigger === 'regenerate-message') return regeneration(last)
  if (trigger !== 'submit-message')
    throw bad('`trigger` is neither "submit-message" nor "regenerate-message". Is the page newer than the server?')
  if (!isObject(last)) throw bad('There is no message: `messages` has to be an array that is not empty.')
  if (last['role'] === 'user') return { type: 'message', id: messageId(last), message: userMessage(last) }
  if (last['role'] === 'assistant') return { type: 'answers', toolOutputs: answersIn(last, body, pendingCalls) }
  throw bad('The role of the last message is neither "user" nor "assistant".')
}

function regeneration(last: unknown): ChatRequest {
  const isUser = isObject(last) && last['role'] === 'user'
  if (isObject(last) && !isUser) throw bad('Only the last answer can be asked for anew.')
  return {
    type: 'regenerate',
    id: isUser ? messageId(last) : undefined,
    message: isUser ? userMessage(last) : undefined,
  }
}

function messageId({ id }: JsonObject): string | undefined {
  if (id === undefined || (typeof id === 'string' && /^[\w.:-]{1,128}$/.test(id))) return id
  throw bad('The `id` of the message is no text of up to 128 letters, digits, `_`, `-`, `.` and `:`.')
}

function partsOf({ parts }: JsonObject): readonly JsonObject[] {
  if (!Array.isArray(parts) || !parts.every(isObject)) throw bad('`parts` of the last message is no array of objects.')
  return parts
}

function userMessage(message: JsonObject): UserMessage {
  const content = partsOf(message).flatMap(userPart)
  if (content.length === 0) throw bad('The message says nothing: it has no text and no file.')
  return { role: 'user', content }
}

/** Data parts are the page's own. Nothing else is the user's to say: calls, their outputs and reasoning are the stored transcript's. */
function userPart(part: JsonObject): readonly UserPart[] {
  const { type, text } = part
  if (type === 'text' && typeof text === 'string')
    return text === '' ? [] : [{ type: 'text', text: text.toWellFormed() }]
  if (type === 'file') return [filePart(part)]
  if (typeof type === 'string' && type.startsWith('data-')) return []
  throw bad('A part of the user’s message is neither text nor a file.')
}

const dataUrl = /^data:[^,]*;base64,([A-Za-z0-9+/=_-]*)$/

function filePart({ mediaType, url, filename }: JsonObject): UserPart {
  if (typeof mediaType !== 'string' || typeof url !== 'string') throw bad('A file has no `mediaType` or no `url`.')
  if (!/^[\w.+-]+\/[\w.+*-]+$/.test(mediaType)) throw bad('The `mediaType` of a file is none.')
  const name = typeof filename === 'string' && { filename: filename.toWellFormed() }
  if (/^https?:\/\//i.test(url)) return { type: 'file', mediaType, url, ...name }
  const data = dataUrl.exec(url)?.[1]
  if (data === undefined) throw bad('The `url` of a file is neither http, https nor a data URL in base64.')
  return { type: 'file', mediaType, data, ...name }
}

function answersIn(
  message: JsonObject,
  body: JsonObject,
  pendingCalls: readonly PendingCall[],
): Readonly<Record<string, ToolAnswer>> {
  const { toolInputs = {} } = body
  if (!isObject(toolInputs)) throw bad('`toolInputs` is no object of inputs by call id.')
  const parts = new Map(partsOf(message).map((part) => [part['toolCallId'], part]))
  const answers: [string, ToolAnswer][] = []
  for (const call of pendingCalls) {
    const part = parts.get(call.toolCallId)
    const answer = part === undefined ? undefined : answerOf(part, call, toolInputs)
    if (answer !== undefined) answers.push([call.toolCallId, answer])
    parts.delete(call.toolCallId)
  }
  const late = [...parts.values()].some(({ state }) => state === 'approval-responded')
  if (late || answers.length === 0)
    throw new ChatRequestError('conflict', 'What was answered does not wait any more: the chat has gone on.')
  return Object.fromEntries(answers)
}

/** `undefined`: the part says nothing yet. */
function answerOf(part: JsonObject, call: PendingCall, toolInputs: JsonObject): ToolAnswer | undefined {
  const { state, approval } = part
  if (call.reason === 'approval') {
    if (state === 'output-available' || state === 'output-error')
      throw bad(`Call '${call.toolCallId}' waits for an approval; a page does not give its output.`)
    return state === 'approval-responded' ? approvalOf(approval, call, toolInputs) : undefined
  }
  if (state === 'output-available') return { output: part['output'] ?? null }
  if (state !== 'output-error') return undefined
  const { errorText } = part
  return { error: typeof errorText === 'string' ? errorText.toWellFormed() : 'The tool failed.' }
}

function approvalOf(approval: unknown, call: PendingCall, toolInputs: JsonObject): ToolAnswer {
  const { toolCallId, hash } = call
  if (!isObject(approval) || typeof approval['approved'] !== 'boolean')
    throw bad(`The approval of call '${toolCallId}' is neither yes nor no.`)
  if (approval['id'] !== approvalIdOf(call))
    throw new ChatRequestError(
      'conflict',
      `The approval of call '${toolCallId}' is for another call or other arguments.`,
    )
  const { approved, reason } = approval
  if (!approved) return { approved: false, hash, ...(typeof reason === 'string' && { reason: reason.toWellFormed() }) }
  const edited = Object.hasOwn(toolInputs, toolCallId) ? toolInputs[toolCallId] : undefined
  if (edited !== undefined && !isObject(edited)) throw bad(`The input for call '${toolCallId}' is no object.`)
  return { approved: true, hash, ...(edited !== undefined && { input: toJsonValue(edited) }) }
}

function bad(message: string): ChatRequestError {
  return new ChatRequestError('bad-request', message)
}
