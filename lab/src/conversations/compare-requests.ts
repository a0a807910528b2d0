import type { JsonObject } from '@steploop/core/adapter'
import { canonicalJson, isModels, type CallItem, type Conversation, type Item } from '@steploop/conformance/cli'
import { withRecordedNames } from './clean-names.ts'
import { compareHeads } from './compare-heads.ts'
import { compareCallerTurn, compareModelTurn, type Turn } from './compare-turns.ts'
import { kindsOf } from './link-turns.ts'
import {
  differenceOf,
  onBoth,
  onOurs,
  onRecorded,
  type Difference,
  type RecordedFacts,
  type Pair,
  type Normalization,
} from './finding.ts'

/** What two requests differ in as conversations: roles, texts, calls, results, blocks, opaque strings, tools, choice. */
export function compareRequests(pair: Pair<Conversation>, evidence: RecordedFacts): readonly Difference[] {
  const { recorded } = pair
  const { ours, cleaned } = withRecordedNames(pair)
  const compared = { recorded, ours: withLateSystem({ recorded, ours }) }
  return [
    ...cleaned,
    ...lateSystem(compared.ours, ours),
    ...compareHeads(compared, evidence),
    ...compareTurns(compared, evidence),
    ...compareBlocks(compared, evidence),
    ...differenceOf({ what: 'opaque' }, { recorded: recorded.opaque, ours: ours.opaque }, opaqueSteps(evidence)),
  ]
}

/** Ours with system prompts amid the conversation where the recorded client says them as such. */
function withLateSystem({ recorded, ours }: Pair<Conversation>): Conversation {
  const prompts = new Set(recorded.items.flatMap((item) => (item.type === 'system' ? [item.text] : [])))
  const items = ours.items.map((item): Item => {
    const [, text = ''] = item.type === 'user' ? (/^<system>\n(.*)\n<\/system>$/s.exec(item.text) ?? []) : []
    return prompts.has(text) ? { type: 'system', text } : item
  })
  return { ...ours, items }
}

function lateSystem(compared: Conversation, ours: Conversation): readonly Difference[] {
  const late = ours.items.find((item, index) => item.type !== compared.items[index]?.type)
  if (late === undefined) return []
  const text = 'text' in late ? late.text : ''
  return [{ what: 'system', where: '', recorded: 'system', ours: text, allowed: ['late-system'] }]
}

function compareTurns({ recorded, ours }: Pair<Conversation>, evidence: RecordedFacts): readonly Difference[] {
  const [one, other] = [turnsOf(recorded.items), turnsOf(ours.items)]
  const answers = new Map([...answeredCalls(recorded.items), ...answeredCalls(ours.items)])
  const roles = differenceOf({ what: 'roles' }, { recorded: outline(one), ours: outline(other) })
  if (roles.length > 0) return roles
  return one.flatMap((turn, index) => {
    const own = other[index] ?? turn
    const pair = { recorded: turn, ours: own, where: `turn ${index + 1}`, evidence, answers }
    return turn.by === 'model' ? compareModelTurn(pair) : compareCallerTurn(pair)
  })
}

/** Blocks are compared by themselves: whether they part two turns depends on who keeps them. */
function turnsOf(items: readonly Item[]): readonly Turn[] {
  const turns: { readonly by: Turn['by']; readonly items: Item[] }[] = []
  for (const item of items) {
    if (item.type === 'system' || item.type === 'reasoning' || item.type === 'block' || isEmpty(item)) continue
    const by = isModels(item) ? 'model' : 'caller'
    const last = turns.at(-1)
    if (last?.by === by) last.items.push(item)
    else turns.push({ by, items: [item] })
  }
  return turns
}

/** A text without a character begins no turn. */
function isEmpty(item: Item): boolean {
  return 'text' in item && item.text === ''
}

function outline(turns: readonly Turn[]): string {
  return turns.map(({ by }) => by).join(', ')
}

/** Results name their call by id, or stand in the order of the calls. */
function answeredCalls(items: readonly Item[]): ReadonlyMap<Item, CallItem> {
  const answers = new Map<Item, CallItem>()
  const open: CallItem[] = []
  for (const item of items) {
    if (item.type === 'call') open.push(item)
    if (item.type !== 'result') continue
    const at = open.findIndex((call) => {
      if (item.id !== undefined && call.id !== undefined) return item.id === call.id
      return item.toolName === undefined || item.toolName === call.toolName
    })
    const [found] = at < 0 ? [] : open.splice(at, 1)
    if (found !== undefined) answers.set(item, found)
  }
  return answers
}

/** The provider's own blocks by their kinds: what they hold is in the opaque strings. The caller's as they are. */
interface BlockKey {
  readonly by: 'user' | 'model'
  readonly kind: string
  readonly json: string
  /** The block answers a call of the provider's own kinds. */
  readonly isAnswer: boolean
}

function compareBlocks({ recorded, ours }: Pair<Conversation>, evidence: RecordedFacts): readonly Difference[] {
  const earlier = new Set(
    evidence.first.items.flatMap((item) => (item.type === 'block' ? [canonicalJson(withoutForm(item.block))] : [])),
  )
  const keysOf = ({ items }: Conversation): readonly BlockKey[] =>
    items.flatMap((item) => {
      if (item.type !== 'block') return []
      const json = canonicalJson(withoutForm(item.block))
      const { call_id: call, approval_request_id: approval } = item.block
      const isAnswer = item.by === 'user' && (call ?? approval) != null
      return [{ by: item.by, kind: item.kind, json: item.by === 'user' || earlier.has(json) ? json : '', isAnswer }]
    })
  const keys = { recorded: keysOf(recorded), ours: keysOf(ours) }
  return differenceOf({ what: 'blocks' }, keys, blockSteps(evidence, earlier))
}

/** Without members that say nothing of the answer. */
function withoutForm({ id: _id, status: _status, execution: _execution, ...block }: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(block).filter(([, value]) => value !== null))
}

function blockSteps(
  { responses }: RecordedFacts,
  earlier: ReadonlySet<string>,
): readonly Normalization<readonly BlockKey[]>[] {
  const given = new Set(responses.flatMap(({ parts }) => parts.flatMap(kindsOf)))
  const kinds = (blocks: readonly BlockKey[]): ReadonlySet<string> => new Set(blocks.map(({ kind }) => kind))
  return [
    onRecorded('earlier-history', (recorded) => recorded.filter(({ json }) => !earlier.has(json))),
    onRecorded('callers-block', (recorded, ours) =>
      recorded.filter((block) => block.by === 'model' || block.isAnswer || kinds(ours).has(block.kind)),
    ),
    onOurs('blocks-left-out', (ours, recorded) => withoutExtra(recorded, ours, ({ kind }) => given.has(kind))),
  ]
}

/** `ours` without what has no counterpart, going through both from left to right, where it may be left out. */
function withoutExtra<Value>(
  recorded: readonly Value[],
  ours: readonly Value[],
  mayBeLeftOut: (value: Value) => boolean,
): readonly Value[] {
  let next = 0
  return ours.filter((value) => {
    if (canonicalJson(value) === canonicalJson(recorded[next])) {
      next++
      return true
    }
    return !mayBeLeftOut(value)
  })
}

/** Standard and URL-safe base64 were made one by the reader. */
const forUnsignedCalls = new Set(['skip/thought/signature/validator', btoa('skip_thought_signature_validator')])

function opaqueSteps({ given }: RecordedFacts): readonly Normalization<readonly string[]>[] {
  const signed = (texts: readonly string[]): readonly string[] => texts.filter((text) => !forUnsignedCalls.has(text))
  return [
    onBoth('unsigned-calls', signed),
    onRecorded('earlier-history', (recorded) => recorded.filter((text) => given.has(text))),
    onBoth('opaque-repeated', (texts) => [...new Set(texts)]),
    onOurs('opaque-left-out', (ours, recorded) => withoutExtra(recorded, ours, (text) => given.has(text))),
  ]
}
