import { toolOutputText } from '@steploop/core/adapter'
import type { Message, TurnEvent } from '@steploop/core/adapter'
import type { Check, Failure } from '../check.ts'
import type { Evidence, RunRecord, SentRequest } from '../evidence.ts'
import { canonicalJson } from '../json.ts'
import type { ConversationItem, RequestView } from '../request-view.ts'
import { wireKit } from '../wires/index.ts'
import { comparableHeads } from './comparable-heads.ts'
import { itemsOf, withoutCallsOf } from './conversation-items.ts'
import { wireNames } from './wire-names.ts'

type ViewJudge = (view: RequestView, index: number, run: RunRecord, subject: Evidence['subject']) => readonly Failure[]

/** Judges each body that a reader understands; `where` is completed with run and request. */
function eachView(judge: ViewJudge): (evidence: Evidence) => readonly Failure[] {
  return ({ runs, subject }) =>
    runs.flatMap((run) =>
      run.requests.flatMap(({ view }, index) => {
        if (view === undefined) return []
        const location = `run ${run.number}, request ${index + 1}`
        return judge(view, index, run, subject).map(({ message, where }) => ({
          message,
          where: where === undefined ? location : `${location}, ${where}`,
        }))
      }),
    )
}

/** Bodies of wire formats without a reader cannot be judged. */
export function unread({ subject, runs }: Evidence): string | undefined {
  const seen = runs.some(({ requests }) => requests.some(({ view }) => view !== undefined))
  if (seen || wireKit(subject.wire)?.readRequest !== undefined) return undefined
  return `the suite has no reader for request bodies of the wire format '${subject.wire}'`
}

/** There is nothing to compare the first request of a run with. */
function unreadOrAlone(evidence: Evidence): string | undefined {
  const reason = unread(evidence)
  if (reason !== undefined) return reason
  return evidence.runs.some(({ requests }) => requests.length > 1) ? undefined : 'no run has a second request'
}

export const paired: Check = {
  id: 'paired',
  sentence:
    'In every body each call has exactly one result, after it and in call order, and no result is without its call.',
  notSeen: unread,
  judge: eachView(pairFailures),
}

export function pairFailures(view: RequestView): readonly Failure[] {
  const calls = view.items.filter((item) => item.type === 'call')
  const results = view.items.filter((item) => item.type === 'result')
  const failures: Failure[] = []
  for (const call of calls) {
    const own = resultsOf(call, view.items)
    if (own.length !== 1) {
      const count = own.length === 0 ? 'no result after it' : `${own.length} results after it, not one`
      const message = `the call ${call.toolName} (${call.id}) has ${count}; encode every result of a \`tool\` message, once`
      failures.push({ message, where: call.path })
    }
    const isFirst = calls.find(({ id }) => id === call.id) === call
    const first = results.find(({ id }) => id === call.id)
    if (isFirst && first !== undefined && view.items.indexOf(first) < view.items.indexOf(call)) {
      failures.push({
        message: `the result of ${call.toolName} (${call.id}) stands before its call`,
        where: first.path,
      })
    }
  }
  const known = new Set(calls.map(({ id }) => id))
  const orphans = results.filter(({ id }) => !known.has(id))
  // With a continuation the provider has the calls; each is still answered once.
  const wrong =
    view.continuation === undefined
      ? orphans
      : orphans.filter(({ id }, at) => orphans.findIndex((one) => one.id === id) < at)
  const what = view.continuation === undefined ? 'has no call' : 'stands there twice'
  return [
    ...failures,
    ...disordered(view.items),
    ...wrong.map(({ id, path }) => ({ message: `the result ${id} ${what}`, where: path })),
  ]
}

/** Results of the calls of one step that stand in another order than their calls. */
function disordered(items: readonly ConversationItem[]): readonly Failure[] {
  let calls: string[] = []
  let last = -1
  const failures: Failure[] = []
  for (const [at, item] of items.entries()) {
    if (item.type === 'call') {
      if (items[at - 1]?.type === 'result') [calls, last] = [[], -1]
      calls.push(item.id)
    }
    if (item.type !== 'result') continue
    const location = calls.indexOf(item.id)
    if (location < last)
      failures.push({
        message: `the result ${item.id} stands after that of a later call; encode the results of a \`tool\` message in their order`,
        where: item.path,
      })
    last = Math.max(last, location)
  }
  return failures
}

/** Providers may use an id again in a later turn: then the call before it has its results before it. */
function resultsOf(call: ConversationItem & { readonly type: 'call' }, items: readonly ConversationItem[]) {
  const from = items.indexOf(call)
  const again = items.findIndex((item, at) => at > from && item.type === 'call' && item.id === call.id)
  return items
    .slice(from, again === -1 ? items.length : again)
    .filter((item) => item.type === 'result' && item.id === call.id)
}

export const sameBuilder: Check = {
  id: 'same-builder',
  sentence:
    'Within a run only the conversation grows: tools, settings, options and headers are the same in every request, but for a tool choice that the loop changes, and an object that it asks for without tools.',
  notSeen: unreadOrAlone,
  judge: ({ runs }) =>
    runs.flatMap((run) => run.requests.slice(1).flatMap((sent, index) => changes(run, sent, index + 2))),
}

function changes(run: RunRecord, sent: SentRequest, number: number): readonly Failure[] {
  const [first] = run.requests
  if (first?.view === undefined || sent.view === undefined) return []
  const where = `run ${run.number}, request ${number}`
  const [choice, choiceNow] = [run.turns[0], run.turns[number - 1]].map((turn) => turn?.request.toolChoice)
  const sameChoice = canonicalJson(choice) === canonicalJson(choiceNow)
  const isNone = choice === 'none' || choiceNow === 'none'
  const [before, now] = comparableHeads(
    { view: first.view, turn: run.turns[0] },
    { view: sent.view, turn: run.turns[number - 1] },
  )
  const body = differences(before, now)
    .filter(
      (name) => sameChoice || !belongsToChoice(name, isNone && (before[name] === undefined || now[name] === undefined)),
    )
    .map((name) => `\`${name}\` of the body was ${shown(before[name])} in request 1 and is ${shown(now[name])} now`)
  // Values of headers may be secrets.
  const headers = differences(first.headers, sent.headers).map(
    (name) => `the header \`${name}\` is not what it was in request 1`,
  )
  return [...body, ...headers].map((what) => ({ message: `${what}; encode each turn from the same request`, where }))
}

function shown(value: unknown): string {
  const text = value === undefined ? 'not there' : canonicalJson(value)
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}

/** Where wire formats put the choice; those without a word for `none` leave the tools out, which says that none may be called. */
function belongsToChoice(name: string, isLeftOut: boolean): boolean {
  return name === 'tool_choice' || (toolFields.has(name) && isLeftOut)
}

const toolFields: ReadonlySet<string> = new Set(['tools', 'parallel_tool_calls'])

function differences(
  before: Readonly<Record<string, unknown>>,
  now: Readonly<Record<string, unknown>>,
): readonly string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(now)])
  return [...names].filter((name) => canonicalJson(before[name]) !== canonicalJson(now[name]))
}

export const grows: Check = {
  id: 'grows',
  sentence: 'The conversation of each request begins with the whole conversation of the request before.',
  notSeen: unreadOrAlone,
  judge: eachView((view, index, run) => {
    const before = run.requests[index - 1]?.view
    if (before === undefined || view.continuation !== undefined || before.continuation !== undefined) return []
    const at = before.items.findIndex((item, position) => wordsOf(item) !== wordsOf(view.items[position]))
    if (at === -1) return []
    const message = `item ${at + 1} was ${wordsOf(before.items[at])} and is now ${wordsOf(view.items[at])}`
    return [{ message, where: view.items[at]?.path }]
  }),
}

export const wholeHistory: Check = {
  id: 'whole-history',
  sentence:
    'Every body holds the whole conversation so far: texts, calls with their input, results, each once and in order. A word that an adapter puts between has to be reported in a warning.',
  notSeen: unread,
  judge: eachView((view, index, run, subject) => {
    const { messages, providerOptions } = run.turns[index]?.request ?? {}
    if (messages === undefined) return []
    if (view.continuation !== undefined) {
      if (providerOptions !== undefined) return []
      const message = `the body goes on from '${view.continuation}', though nobody asked the provider to keep answers: an adapter has an option for that, which is off by default (\`storeOptions\` of the subject)`
      return [{ message }]
    }
    const names = wireNames(run.turns[index]?.request, view, subject)
    const own = new Set(
      run.turns[index]?.request.tools?.flatMap((tool) => (tool.type === 'provider' ? [tool.name] : [])),
    )
    const said = messages.flatMap((message) => itemsOf(withoutCallsOf(own, message), names))
    const expected = merged(said).map((item) => wordsOf(item))
    const reported = repairsOf(run.turns[index]?.events ?? [])
    const isReported = (item: ConversationItem): boolean =>
      item.type === 'text' &&
      !expected.includes(wordsOf(item)) &&
      reported.some((text) => text.includes(`'${item.text}'`))
    // Formats that take no system message amid a conversation have it as words of the user; a check of its own looks after it.
    const systems = messages.flatMap(({ role, content }) => (role === 'system' ? [content] : []))
    const isSystem = (item: ConversationItem): boolean =>
      item.type === 'user' && systems.some((text) => typeof text === 'string' && item.text.includes(text))
    const kept = view.items.filter((item) => item.type !== 'other' && !isReported(item) && !isSystem(item))
    const filed = reportedFiles(messages, run.turns[index]?.events ?? [])
    const got = merged(kept).map((item) => wordsOf(withoutPlaceholder(item, filed)))
    const at = expected.findIndex((item, position) => item !== got[position])
    if (at === -1 && got.length === expected.length) return []
    const position = at === -1 ? expected.length : at
    const message = `item ${position + 1} of the conversation is ${got[position] ?? 'missing'}; it should be ${expected[position] ?? 'nothing'}`
    return [{ message: hasRefusal(messages, kept) ? `${message}; read a refusal of the model as \`other\`` : message }]
  }),
}

/** Whether words with which the model declined were read as a text of it. */
function hasRefusal(messages: readonly Message[], items: readonly ConversationItem[]): boolean {
  const parts = messages.flatMap((message) => (message.role === 'assistant' ? message.content : []))
  return parts.some(
    (part) => part.type === 'refusal' && items.some((item) => item.type === 'text' && item.text === part.text),
  )
}

/**
 * What an adapter says that it fixed in the conversation, for providers that refuse some orders of roles (Mistral, docs/wire.md#mistral).
 */
function repairsOf(events: readonly TurnEvent[]): readonly string[] {
  const warnings = events.flatMap((event) => (event.type === 'turn-start' ? (event.warnings ?? []) : []))
  return warnings.flatMap((warning) => (warning.type === 'repaired' ? [warning.message] : []))
}

/** Texts of the results with files, where a warning says that the files are not in the body (`toolResultImages`). */
function reportedFiles(messages: readonly Message[], events: readonly TurnEvent[]): readonly string[] {
  const warnings = events.flatMap((event) => (event.type === 'turn-start' ? (event.warnings ?? []) : []))
  const reported = warnings.some(
    ({ type, path }) => (type === 'coerced' || type === 'dropped') && path.includes('output'),
  )
  if (!reported) return []
  return messages.flatMap((message) =>
    message.role !== 'tool'
      ? []
      : message.content
          .filter(({ output }) => output.type === 'content' && output.value.some(({ type }) => type === 'file'))
          .map(({ output }) => toolOutputText(output)),
  )
}

/** A text in place of a file stands in a line of its own, after the texts of the result. */
function withoutPlaceholder(item: ConversationItem, filed: readonly string[]): ConversationItem {
  if (item.type !== 'result') return item
  const own = filed.find((text) => item.text.startsWith(`${text}\n`))
  return own === undefined ? item : { ...item, text: own }
}

/** What a message has to become in a body, reasoning and opaque parts aside. */

/** Wire formats cut a text into parts as they like. */
function merged(items: readonly ConversationItem[]): readonly ConversationItem[] {
  const out: ConversationItem[] = []
  for (const item of items) {
    const last = out.at(-1)
    const joins = last !== undefined && (last.type === 'text' || last.type === 'user') && last.type === item.type
    if (joins) out[out.length - 1] = { ...last, text: last.text + item.text }
    else out.push(item)
  }
  return out
}

/** An item without its id and position: ids may be mapped on the wire, and `paired` looks after them. */
function wordsOf(item: ConversationItem | undefined): string {
  if (item === undefined) return 'missing'
  switch (item.type) {
    case 'user':
    case 'text':
    case 'result':
      return `${item.type} ${JSON.stringify(item.text)}`
    case 'call':
      // Arguments that were no JSON go back as they came, or as an empty object.
      return `call ${item.toolName} ${canonicalJson(item.input ?? {})}`
    case 'other':
      return item.kind
    default:
      return item satisfies never
  }
}
