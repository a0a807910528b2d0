import type { ToolCallPart } from '@steploop/core'
import { undecided, type ExpectedCall, type ExpectedError, type ExpectedTurn } from './answer-key.ts'
import type { Observed, UsageCount } from './observe.ts'

/** One compared member of the key. */
export interface FieldResult {
  /** Path in the key, for example `usage.inputTokens` or `toolCalls[1].input`. */
  readonly field: string
  readonly expected: unknown
  readonly observed: unknown
  readonly agrees: boolean
}

/** Compares every decided member of the key; `body` is the next request, in which opaque strings have to return. */
export function compareTurn(expected: ExpectedTurn, observed: Observed, body: string | undefined): FieldResult[] {
  return [
    ...compareError(expected, observed),
    ...compareMember('text', expected.text, observed.text),
    ...compareMember('reasoningText', expected.reasoningText, observed.reasoningText),
    ...compareMember('refusal', expected.refusal, observed.refusal),
    ...compareCalls(expected, observed),
    ...compareMember('finish', expected.finish, observed.finish),
    ...compareMember('rawFinish', expected.rawFinish, observed.rawFinish),
    ...compareUsage(expected, observed),
    ...compareMember('responseId', expected.responseId, observed.responseId),
    ...compareMember('responseModel', expected.responseModel, observed.responseModel),
    ...compareOpaque(expected, body ?? ''),
    ...compareMember('sources', expected.sources, observed.sources),
  ]
}

function compareMember(field: string, expected: unknown, observed: unknown): FieldResult[] {
  if (expected === undefined || expected === undecided) return []
  return [{ field, expected, observed, agrees: agrees(expected, observed) }]
}

/** Deep equality of JSON values; an undecided value in the key agrees with everything. The order of members is of no account. */
function agrees(expected: unknown, observed: unknown): boolean {
  if (expected === undecided || expected === observed) return true
  if (typeof expected !== 'object' || typeof observed !== 'object' || expected === null || observed === null) {
    return false
  }
  if (Array.isArray(expected) !== Array.isArray(observed)) return false
  const left = Object.entries(expected)
  const right = new Map<string, unknown>(Object.entries(observed))
  return left.length === right.size && left.every(([name, value]) => right.has(name) && agrees(value, right.get(name)))
}

function compareError(expected: ExpectedTurn, observed: Observed): FieldResult[] {
  if (expected.error === undefined || expected.error === undecided) return []
  if (expected.error === null) return compareMember('error', null, observed.error)
  const { error } = expected
  if (observed.error === null) {
    const members = ['kind', 'messageIncludes', 'inBand', 'contentBefore'] as const
    const decided = members.filter((name) => error[name] !== undecided)
    return decided.map((name) => failed(`error.${name}`, error[name], null))
  }
  return [
    ...compareMember('error.kind', error.kind, observed.error.kind),
    ...compareMessage(error, observed.error.message),
    ...compareMember('error.inBand', error.inBand, observed.error.inBand),
    ...compareMember('error.contentBefore', error.contentBefore, observed.error.contentBefore),
  ]
}

function compareMessage({ messageIncludes }: ExpectedError, message: string): FieldResult[] {
  if (messageIncludes === undecided) return []
  const field = 'error.messageIncludes'
  return [{ field, expected: messageIncludes, observed: message, agrees: message.includes(messageIncludes) }]
}

function compareCalls(expected: ExpectedTurn, { toolCalls }: Observed): FieldResult[] {
  if (expected.toolCalls === undefined || expected.toolCalls === undecided) return []
  return [
    ...compareMember('toolCalls.length', expected.toolCalls.length, toolCalls.length),
    ...expected.toolCalls.flatMap((call, index) => compareCall(`toolCalls[${index}]`, call, toolCalls[index])),
  ]
}

function compareCall(path: string, expected: ExpectedCall, call: ToolCallPart | undefined): FieldResult[] {
  if (call === undefined) {
    const members = ['id', 'name', 'input', 'inputValid', 'owner'] as const
    const decided = members.filter((name) => expected[name] !== undecided)
    return decided.map((name) => failed(`${path}.${name}`, expected[name], undefined))
  }
  return [
    ...compareId(`${path}.id`, expected.id, call),
    ...compareMember(`${path}.name`, expected.name, call.toolName),
    ...compareMember(`${path}.input`, expected.input, call.input ?? null),
    ...compareMember(`${path}.inputValid`, expected.inputValid, call.invalid === undefined),
    ...compareMember(`${path}.owner`, expected.owner, call.owner),
  ]
}

/** What core makes for a call without an id: from the ordinals of turn and call. */
const madeId = /^call_\d+_\d+$/

/** The provider's id is the call's own, or is kept in `providerMetadata` to be mapped back. */
function compareId(field: string, expected: string | null, call: ToolCallPart): FieldResult[] {
  if (expected === undecided) return []
  const same =
    expected === null
      ? madeId.test(call.toolCallId)
      : call.toolCallId === expected || holdsText(call.providerMetadata?.data, expected)
  return [{ field, expected, observed: call.toolCallId, agrees: same }]
}

function holdsText(data: unknown, text: string): boolean {
  if (typeof data === 'string') return data === text
  if (typeof data !== 'object' || data === null) return false
  return Object.values(data).some((value) => holdsText(value, text))
}

const counts: readonly UsageCount[] = ['inputTokens', 'outputTokens', 'cachedInputTokens', 'reasoningTokens']

/** Providers leave these out where others say 0. */
const zeroMeansNone: ReadonlySet<UsageCount> = new Set<UsageCount>(['cachedInputTokens', 'reasoningTokens'])

function compareUsage(expected: ExpectedTurn, observed: Observed): FieldResult[] {
  const { usage } = expected
  if (usage === undefined || usage === undecided) return []
  return counts.flatMap((count) => {
    const wanted = usage === null ? null : usage[count]
    const found = observed.usage[count]
    const bothNone = zeroMeansNone.has(count) && (wanted ?? 0) === 0 && (found ?? 0) === 0
    return compareMember(`usage.${count}`, wanted, bothNone ? wanted : found)
  })
}

/** An empty list asks for nothing, so it is no comparison. */
function compareOpaque(expected: ExpectedTurn, body: string): FieldResult[] {
  const strings = decidedList(expected.opaque).filter((text) => text !== undecided)
  const groups = decidedList(expected.opaqueOneOf).filter((group) => !group.includes(undecided))
  return [
    ...compareReturned('opaque', strings, (text) => holdsEscaped(body, text)),
    ...compareReturned('opaqueOneOf', groups, (group) => group.some((text) => holdsEscaped(body, text))),
  ]
}

function decidedList<Item>(list: readonly Item[] | typeof undecided | undefined): readonly Item[] {
  return list === undefined || typeof list === 'string' ? [] : list
}

function compareReturned<Item>(
  field: string,
  expected: readonly Item[],
  returned: (item: Item) => boolean,
): FieldResult[] {
  if (expected.length === 0) return []
  const lost = expected.filter((item) => !returned(item))
  return [{ field, expected, observed: lostStrings(lost), agrees: lost.length === 0 }]
}

function lostStrings(lost: readonly unknown[]): string {
  return lost.length === 0 ? 'all returned' : `not in the next request: ${JSON.stringify(lost)}`
}

function holdsEscaped(body: string, text: string): boolean {
  return body.includes(JSON.stringify(text).slice(1, -1))
}

function failed(field: string, expected: unknown, observed: unknown): FieldResult {
  return { field, expected, observed, agrees: false }
}
