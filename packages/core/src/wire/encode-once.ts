import { noItems } from './json.ts'
import type { Warning } from '../contract/adapter.ts'
import type { AssistantMessage, Message, ToolCallPart, ProviderMetadata } from '../contract/messages.ts'
import { createNotes, type Notes } from './notes.ts'

/** Collects a warning of the fragment that is being encoded. */
export type Warn = (warning: Warning) => void

/**
 * Makes an encoder that works once per object: the text (and its warnings) is kept with it, so that tools, heads and messages, which are
 * immutable, are converted once however often they are sent.
 *
 * @param encode makes the fragment; what it warns of is kept with it and repeated on every use
 */
export function encodeOnce<Key extends object>(
  encode: (key: Key, warn: Warn) => string,
): (key: Key, warnings: Warning[]) => string {
  const kept = createNotes<Key, Fragment>()
  return (key, warnings) => {
    let fragment = kept.get(key)
    if (fragment === undefined) {
      const own: Warning[] = []
      fragment = { text: encode(key, (warning) => own.push(warning)), warnings: own }
      kept.set(key, fragment)
    }
    for (const warning of fragment.warnings) warnings.push(warning)
    return fragment.text
  }
}

interface Fragment {
  readonly text: string
  readonly warnings: readonly Warning[]
  /** The message with the calls that the text was made of: it holds behind that one only. */
  readonly behind?: AssistantMessage | undefined
}

/** What a message encoder may look up beside the message itself. */
export interface HistoryContext {
  /** The call that a result answers; `undefined` when the history before this point does not hold it. */
  call(toolCallId: string): HistoryCall | undefined
  readonly warn: Warn
}

export interface HistoryCall {
  readonly part: ToolCallPart
  readonly message: AssistantMessage
}

/**
 * Makes an encoder for whole histories. Each message is encoded once (`encodeMessage` returns JSON array elements joined by commas, or
 * `''` for none), and for a history that only grows, as the loop's does, the joined text is kept too: a turn costs its new messages.
 *
 * @returns a function from messages (and the index to start at, for continuations) to the elements of the JSON array
 */
export function encodeHistory(
  encodeMessage: (message: Message, context: HistoryContext) => string,
): (messages: readonly Message[], warnings: Warning[], from?: number) => string {
  const histories = createNotes<readonly Message[], History>()
  const fragments = createNotes<Message, Fragment | string>()
  return (messages, warnings, from = 0) => {
    let history = histories.get(messages)
    if (history === undefined || history.from !== from || !isPrefix(history, messages)) {
      history = createHistory(messages, from)
      histories.set(messages, history)
    }
    extend(history, messages, fragments, encodeMessage)
    for (const warning of history.warnings) warnings.push(warning)
    return history.text
  }
}

interface History extends HistoryContext {
  readonly from: number
  count: number
  last?: Message | undefined
  text: string
  /** Elements that are to be joined to the text. */
  added: string
  /** How often something was added to the text. */
  pieces: number
  readonly warnings: Warning[]
  /** Warnings of the message that is encoded. */
  own?: Warning[] | undefined
  /** Where it found its calls; `null`: a call that it asked for is nowhere, or its calls are in several messages. */
  found?: AssistantMessage | null | undefined
  /** Number of the part that is tried first when a call is asked for. */
  next: number
}

function createHistory(messages: readonly Message[], from: number): History {
  const history: History = {
    from,
    count: 0,
    text: '',
    added: '',
    pieces: 0,
    warnings: [],
    next: 0,
    call(id) {
      const call = findCall(history, messages, id)
      const message = call?.message ?? null
      history.found = history.found === undefined || history.found === message ? message : null
      return call
    },
    warn: (warning) => void (history.own ??= []).push(warning),
  }
  return history
}

/** Only the end is compared: the loop's history is append-only, an edited one is another array. */
function isPrefix(history: History, messages: readonly Message[]): boolean {
  return messages[history.count - 1] === history.last
}

const mostPieces = 8

function extend(
  history: History,
  messages: readonly Message[],
  fragments: Notes<Message, Fragment | string>,
  encodeMessage: (message: Message, context: HistoryContext) => string,
): void {
  for (let message = messages[history.count]; message !== undefined; message = messages[++history.count]) {
    history.last = message
    // A message of the user's without a part says nothing, and an empty list is refused.
    const isEmpty = message.role === 'user' && typeof message.content !== 'string' && message.content.length === 0
    if (history.count < history.from || isEmpty) continue
    const before = messages[history.count - 1]
    let fragment = fragments.get(message)
    if (fragment === undefined || (typeof fragment !== 'string' && (fragment.behind ?? before) !== before)) {
      history.own = undefined
      history.found = undefined
      const text = encodeMessage(message, history)
      const { own, found } = history
      // Without warnings or calls it is its text: what a message keeps, every step of a run keeps.
      fragment = (own ?? found) ? { text, warnings: own ?? noItems, behind: found ?? undefined } : text
      // An edited history may have other calls elsewhere than just before.
      if (found === undefined || found === before) fragments.set(message, fragment)
    }
    if (typeof fragment !== 'string') history.warnings.push(...fragment.warnings)
    const text = typeof fragment === 'string' ? fragment : fragment.text
    if (text !== '') history.added += history.added === '' ? text : `,${text}`
  }
  if (history.added !== '') addText(history, history.added)
  history.added = ''
}

/** A text that is added up is put together anew, piece by piece, whenever it is sent; one that is joined each time is copied twice. */
function addText(history: History, added: string): void {
  const { text } = history
  if (text === '') history.text = added
  else history.text = ++history.pieces % mostPieces === 0 ? [text, added].join(',') : `${text},${added}`
}

/** From the end, and from the part behind the call that was found last: results come behind their calls, in call order. */
function findCall(history: History, messages: readonly Message[], id: string): HistoryCall | undefined {
  for (let at = history.count; at >= 0; at--) {
    const message = messages[at]
    if (message?.role !== 'assistant') continue
    const { content } = message
    for (let tried = 0; tried < content.length; tried++) {
      const part = content[history.next++ % content.length]
      if (part?.type === 'tool-call' && part.toolCallId === id) return { part, message }
    }
  }
  return undefined
}

/** The payload's data if it is of this provider, whatever the model; another provider's is dropped. */
export function ownMetadata(
  part: { readonly providerMetadata?: ProviderMetadata | undefined },
  provider: string,
): unknown {
  return part.providerMetadata?.provider === provider ? part.providerMetadata.data : undefined
}
