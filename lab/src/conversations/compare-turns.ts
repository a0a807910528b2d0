import { isObject, jsonOf, objectOf } from '@steploop/core/adapter'
import { canonicalJson, type CallItem, type Item, type SentFile } from '@steploop/conformance/cli'
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
import { plainText } from './plain-text.ts'
import { blankText, plainTexts, textLeftOut } from './text-steps.ts'
import { outputKey } from './to-messages.ts'

/** What one side says before the other does. */
export interface Turn {
  readonly by: 'model' | 'caller'
  readonly items: readonly Item[]
}

export interface TurnPair extends Pair<Turn> {
  readonly where: string
  readonly evidence: RecordedFacts
  /** By result, the call that it answers, in its own request. */
  readonly answers: ReadonlyMap<Item, CallItem>
}

export function compareModelTurn(pair: TurnPair): readonly Difference[] {
  const { where, evidence } = pair
  return [
    ...differenceOf({ what: 'texts', where }, both(pair, textsOf), [
      plainTexts,
      textLeftOut(evidence),
      blankText(evidence),
    ]),
    ...differenceOf({ what: 'calls', where }, both(pair, callsOf), callSteps(evidence)),
    ...differenceOf({ what: 'files', where }, both(pair, filesOf)),
  ]
}

export function compareCallerTurn(pair: TurnPair): readonly Difference[] {
  const { where, evidence, answers } = pair
  const results = both(pair, (turn) => resultsOf(turn, answers))
  return [
    ...differenceOf({ what: 'results', where }, results, resultSteps(evidence)),
    ...differenceOf({ what: 'user', where }, both(pair, saidOf), [plainTexts]),
    ...differenceOf({ what: 'files', where }, both(pair, filesOf)),
  ]
}

function both<Value>({ recorded, ours }: TurnPair, read: (turn: Turn) => Value): Pair<Value> {
  return { recorded: read(recorded), ours: read(ours) }
}

function textsOf({ items }: Turn): string {
  return items.map((item) => (item.type === 'text' || item.type === 'refusal' ? item.text : '')).join('')
}

function saidOf({ items }: Turn): string {
  return items.flatMap((item) => (item.type === 'user' && item.text !== '' ? [item.text] : [])).join('\n')
}

/** A file of a URL is that URL; the kind of media of others is a part of them. */
function fileKey({ mediaType, data, url }: SentFile): string {
  // Formats name the kinds of audio in words of their own.
  return url ?? `${mediaType?.startsWith('audio/') ? 'audio' : (mediaType ?? '')} ${data ?? ''}`
}

function filesOf({ items }: Turn): readonly string[] {
  return items.flatMap((item) => (item.type === 'file' ? [fileKey(item.file)] : []))
}

interface CallKey {
  readonly id: string | undefined
  readonly toolName: string
  readonly input: unknown
}

function callsOf({ items }: Turn): readonly CallKey[] {
  return items.flatMap((item) =>
    item.type === 'call' ? [{ id: item.id, toolName: item.toolName, input: item.input }] : [],
  )
}

/** Ids of calls whose arguments are no JSON object. */
function unusableCalls({ responses }: RecordedFacts): ReadonlySet<string | undefined> {
  const parts = responses.flatMap((response) => response.parts)
  return new Set(parts.flatMap((part) => (part.type === 'call' && !isObject(part.input) ? [part.id] : [])))
}

function callSteps(evidence: RecordedFacts): readonly Normalization<readonly CallKey[]>[] {
  const earlier = new Set(evidence.first.items.flatMap((item) => (item.type === 'call' ? (item.id ?? []) : [])))
  const unusable = unusableCalls(evidence)
  const repaired = (call: CallKey): CallKey => (unusable.has(call.id) ? { ...call, input: {} } : call)
  return [
    ['plain-text', plainJson],
    onBoth('unusable-arguments', (calls) => calls.map(repaired)),
    onOurs('calls-left-out', (ours, recorded) =>
      ours.filter((call) => !isOfModel(call, evidence) || isSaid(call, { recorded, ours })),
    ),
    ['earlier-history', (pair) => withoutIds(pair, (id) => id !== undefined && earlier.has(id))],
    ['made-ids', (pair) => withoutIds(pair, isMade(evidence))],
    onRecorded('input-rewritten', (recorded, ours) =>
      recorded.map((call, index) => {
        const own = ours[index]
        return own !== undefined && own.toolName === call.toolName && isOfModel(own, evidence)
          ? { ...call, input: own.input }
          : call
      }),
    ),
  ]
}

/** The recorded client says this call too: by its id, or, where it numbers calls in its own way, with the same input. */
function isSaid(call: CallKey, { recorded, ours }: Pair<readonly CallKey[]>): boolean {
  const ids = new Set(ours.map(({ id }) => id))
  return recorded.some((one) => {
    if (one.toolName !== call.toolName) return false
    if (one.id === call.id) return true
    const isOthers = one.id !== undefined && ids.has(one.id)
    return !isOthers && canonicalJson(one.input) === canonicalJson(call.input)
  })
}

/** The model made this call, with these arguments. */
function isOfModel({ id, toolName, input }: CallKey, { responses }: RecordedFacts): boolean {
  const key = plainText(canonicalJson(input))
  return responses.some(({ parts }) =>
    parts.some(
      (part) =>
        part.type === 'call' &&
        part.toolName === toolName &&
        (id === undefined || part.id === '' || part.id === id) &&
        plainText(canonicalJson(part.input)) === key,
    ),
  )
}

/** One side has none, or the recorded one is none that a response gave. */
function isMade({ responses }: RecordedFacts): (id: string | undefined, other: string | undefined) => boolean {
  const given = new Set(
    responses.flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'call' ? [part.id] : []))),
  )
  return (id, other) => id === undefined || other === undefined || !given.has(id)
}

/** Without the ids of the elements at the same index of both lists for which `isFree` holds, told with the recorded id first. */
function withoutIds<Key extends { readonly id: string | undefined }>(
  { recorded, ours }: Pair<readonly Key[]>,
  isFree: (id: string | undefined, other: string | undefined) => boolean,
): Pair<readonly Key[]> {
  const freed = recorded.map(({ id }, index) => index < ours.length && isFree(id, ours[index]?.id))
  const free = (key: Key, index: number): Key => (freed[index] === true ? { ...key, id: undefined } : key)
  return { recorded: recorded.map(free), ours: ours.map(free) }
}

function plainJson<Value>({ recorded, ours }: Pair<Value>): Pair<Value> {
  const plain = (value: Value): Value => JSON.parse(plainText(JSON.stringify(value))) as Value
  try {
    return { recorded: plain(recorded), ours: plain(ours) }
  } catch {
    // A straight quote in place of a typographic one may end a string.
    return { recorded, ours }
  }
}

interface ResultKey {
  readonly id: string | undefined
  /** The call that it answers, where that is in the request. */
  readonly call: { readonly toolName: string; readonly input?: unknown } | undefined
  readonly output: string
  readonly files: readonly string[]
}

function resultsOf({ items }: Turn, answers: ReadonlyMap<Item, CallItem>): readonly ResultKey[] {
  return items.flatMap((item) => {
    if (item.type !== 'result') return []
    const { id, output, files } = item
    const call = answers.get(item)
    const key = call && { toolName: call.toolName, input: call.input }
    return [{ id, call: key, output: outputKey(output), files: files.map(fileKey) }]
  })
}

function resultSteps(evidence: RecordedFacts): readonly Normalization<readonly ResultKey[]>[] {
  const earlier = new Set(evidence.first.items.flatMap((item) => (item.type === 'result' ? (item.id ?? []) : [])))
  const called = new Set(
    evidence.responses.flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'call' ? [part.id] : []))),
  )
  const unusable = unusableCalls(evidence)
  return [
    onBoth('plain-text', (keys) => keys.map((key) => ({ ...key, output: plainText(key.output) }))),
    onBoth('unusable-arguments', (keys) => keys.filter(({ id }) => !unusable.has(id))),
    onOurs('calls-left-out', (ours, recorded) =>
      ours.filter((key) => isInvented(key, called) || isReturned(key, { recorded, ours })),
    ),
    [
      'earlier-history',
      (pair) => withoutIds(withoutOrphans(pair, earlier), (id) => id !== undefined && earlier.has(id)),
    ],
    ['made-ids', (pair) => withoutIds(pair, isMade(evidence))],
    fileNotShown(evidence),
    onBoth('documents-as-text', (keys) => keys.map(inOneOrder)),
    onBoth('result-order', (keys) => keys.toSorted(byKey)),
    onBoth('input-rewritten', (keys) => keys.map(withoutInput)),
  ]
}

/** The members of documents in one order: as blocks they have no other, as text they have that of the tool. */
function inOneOrder(key: ResultKey): ResultKey {
  const value = jsonOf(key.output)
  return Array.isArray(value) && value.every((item) => isObject(objectOf(item)['document']))
    ? { ...key, output: canonicalJson(value) }
    : key
}

/** Allows files that are no images to be missing: no adapter claims anything about them. */
function fileNotShown({ showsImages }: RecordedFacts): Normalization<readonly ResultKey[]> {
  const mayBeMissing = (file: string): boolean => !showsImages || !file.startsWith('image/')
  return onRecorded('file-not-shown', (recorded, ours) =>
    recorded.map((key, at) => {
      const own = ours[at]
      const isNamedOnly = own !== undefined && own.files.length === 0 && own.output.includes(key.output)
      return isNamedOnly && key.files.every(mayBeMissing) ? { ...key, files: [], output: own.output } : key
    }),
  )
}

/** Without recorded results of calls that were never said, which the loop does not send. */
function withoutOrphans(
  { recorded, ours }: Pair<readonly ResultKey[]>,
  earlier: ReadonlySet<string>,
): Pair<readonly ResultKey[]> {
  const isOrphan = ({ id, call }: ResultKey): boolean => {
    return call === undefined && id !== undefined && earlier.has(id) && !ours.some((one) => one.id === id)
  }
  return { recorded: recorded.filter((key) => !isOrphan(key)), ours }
}

/** Whether a result answers no call of the model. */
function isInvented({ id }: ResultKey, called: ReadonlySet<string>): boolean {
  return id !== undefined && !called.has(id)
}

function isReturned(key: ResultKey, { recorded, ours }: Pair<readonly ResultKey[]>): boolean {
  const ids = new Set(ours.map(({ id }) => id))
  return recorded.some((one) => {
    if (one.id !== undefined && one.id === key.id) return true
    return !(one.id !== undefined && ids.has(one.id)) && one.output === key.output
  })
}

function withoutInput(key: ResultKey): ResultKey {
  return { ...key, call: key.call && { toolName: key.call.toolName } }
}

function byKey(one: ResultKey, other: ResultKey): number {
  return canonicalJson(one) < canonicalJson(other) ? -1 : 1
}
