import type { AssistantPart, ToolCallPart, ToolResultPart, Transcript } from '@steploop/core'
import type { Failure } from '../../check.ts'
import type { Subject } from '../../subject.ts'
import { canonicalJson, parsed } from '../../json.ts'
import { wireNames } from '../../judge/wire-names.ts'
import type { ConversationItem, RequestView } from '../../request-view.ts'
import { dialectOf, wireKit } from '../../wires/index.ts'

type Item<Type> = Extract<ConversationItem, { type: Type }>

export interface HistoryOptions {
  readonly to: Subject
  /** Call ids that `to` issued itself: it takes them back, whatever they look like. */
  readonly own: readonly string[]
}

/** Whether a request says what the transcript says: all user texts, texts, calls and results, each once, in order, and paired. */
export function judgeHistory(
  { messages }: Pick<Transcript, 'messages'>,
  view: RequestView,
  { to, own }: HistoryOptions,
): readonly Failure[] {
  const calls = view.items.filter((item) => item.type === 'call')
  const results = view.items.filter((item) => item.type === 'result')
  return [
    ...judgeUserTexts(messages, view),
    ...judgeTexts(messages, view),
    ...judgeCalls(messages, calls, wireNames({ messages }, view, to)),
    ...judgeResults(messages, calls, results),
    ...judgeIds(calls, to, own),
  ]
}

type Messages = Transcript['messages']

function judgeUserTexts(messages: Messages, { items }: RequestView): readonly Failure[] {
  const texts = messages.flatMap(({ role, content }) =>
    role === 'user' && typeof content === 'string' ? [content] : [],
  )
  const sent = items.flatMap((item) => (item.type === 'user' ? [item.text] : []))
  return differ('what the user said', texts, sent)
}

/** A wire format may join the texts of a turn, or put them before its calls; none may be lost, doubled or moved to another turn. */
function judgeTexts(messages: Messages, { items }: RequestView): readonly Failure[] {
  const texts = assistantParts(messages).flatMap((part) => (part.type === 'text' ? [part.text] : []))
  const sent = items.flatMap((item) => (item.type === 'text' ? [item.text] : [])).join('')
  let from = 0
  const failures: Failure[] = []
  for (const text of texts) {
    const at = sent.indexOf(text, from)
    if (at < 0) failures.push({ message: `the text ${JSON.stringify(text)} is lost, or out of order` })
    else if (text !== '' && sent.split(text).length > texts.filter((other) => other.includes(text)).length + 1)
      failures.push({ message: `the text ${JSON.stringify(text)} is said more than once` })
    from = Math.max(from, at + text.length)
  }
  return failures
}

function judgeCalls(
  messages: Messages,
  calls: readonly Item<'call'>[],
  names: ReadonlyMap<string, string>,
): readonly Failure[] {
  const expected = callerCalls(messages).map(
    ({ toolName, input }) => `${names.get(toolName) ?? toolName} ${canonicalJson(input)}`,
  )
  const sent = calls.map(({ toolName, input }) => `${toolName} ${canonicalJson(input)}`)
  return differ('the calls', expected, sent)
}

/** Each result stands once and carries the id of its own call, which stands before it. */
function judgeResults(
  messages: Messages,
  calls: readonly Item<'call'>[],
  results: readonly Item<'result'>[],
): readonly Failure[] {
  const expected = messages.flatMap((message) => (message.role === 'tool' ? message.content : []))
  if (expected.length !== results.length)
    return [{ message: `the history has ${expected.length} results and the request ${results.length}` }]
  const made = callerCalls(messages)
  return expected.flatMap((result, index): readonly Failure[] => {
    const sent = results[index]
    const call = calls[made.findIndex(({ toolCallId }) => toolCallId === result.toolCallId)]
    const where = sent?.path
    if (sent === undefined || call?.id !== sent.id) {
      const message = `the result of ${result.toolName} carries the id '${sent?.id}', and its call '${call?.id}'`
      return [{ message, where }]
    }
    if (says(sent.text, result)) return []
    const message = `the result of ${result.toolName} is ${JSON.stringify(sent.text)}, not ${JSON.stringify(result.output.value)}`
    return [{ message, where }]
  })
}

function says(text: string, { output }: ToolResultPart): boolean {
  if (output.type === 'json') return canonicalJson(parsed(text)) === canonicalJson(output.value)
  return output.type === 'text' ? text === output.value : text !== ''
}

function judgeIds(calls: readonly Item<'call'>[], to: Subject, own: readonly string[]): readonly Failure[] {
  const ids = calls.map(({ id }) => id)
  const illegal = ids.filter((id, index) => ids.indexOf(id) !== index || (!isLegalId(id, to) && !own.includes(id)))
  return illegal.map((id) => ({ message: `the call id '${id}' is repeated, or none that ${to.name} takes` }))
}

function assistantParts(messages: Messages): readonly AssistantPart[] {
  return messages.flatMap((message) => (message.role === 'assistant' ? message.content : []))
}

export function callerCalls(messages: Messages): readonly ToolCallPart[] {
  const calls = assistantParts(messages).filter((part) => part.type === 'tool-call')
  return calls.filter(({ owner }) => owner !== 'provider')
}

function differ(what: string, expected: readonly string[], sent: readonly string[]): readonly Failure[] {
  if (canonicalJson(expected) === canonicalJson(sent)) return []
  return [{ message: `${what} should be ${JSON.stringify(expected)}, and the request has ${JSON.stringify(sent)}` }]
}

/** Whether the subject's provider takes the call id. */
function isLegalId(id: string, subject: Subject): boolean {
  const legal = dialectOf(subject)?.legalId ?? wireKit(subject.wire)?.legalId ?? /./s
  return legal.test(id)
}
