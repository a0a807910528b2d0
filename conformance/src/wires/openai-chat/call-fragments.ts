import { arrayOf, isObject, objectOf, type JsonObject } from '@steploop/core/adapter'
import { memberText, parsed } from '../../json.ts'
import type { StreamRewrite } from '../variants/stream-rewrite.ts'

/** One fragment of a call as it stands in `delta.tool_calls`. */
interface Fragment {
  readonly index: number
  readonly id: string
  readonly name: string
  readonly arguments: string
  readonly isFirst: boolean
}

interface Cut extends Omit<StreamRewrite, 'change'> {
  /** Lists of fragments, each of one chunk, from the fragments of a turn as they came. */
  readonly change: (fragments: readonly Fragment[]) => readonly (readonly JsonObject[])[]
}

const call = ({ index, id, name, arguments: text }: Partial<Fragment>): JsonObject => ({
  ...(index !== undefined && { index }),
  ...(id !== undefined && { id, type: 'function' }),
  function: { ...(name !== undefined && { name }), ...(text !== undefined && { arguments: text }) },
})

/** Each fragment in a chunk of its own. */
const each =
  (change: (fragment: Fragment) => JsonObject): Cut['change'] =>
  (all) =>
    all.map((fragment) => [change(fragment)])

const later = (fragment: Fragment): JsonObject => call({ index: fragment.index, arguments: fragment.arguments })
const start = ({ index, id, name }: Fragment): JsonObject => call({ index, id, name, arguments: '' })

const cuts: readonly Cut[] = [
  {
    id: 'same-id',
    title: 'its id on every fragment',
    change: each((one) => call({ ...one, name: one.isFirst ? one.name : '' })),
  },
  {
    id: 'empty-id',
    title: 'an empty id and name on every later fragment',
    change: each((one) => (one.isFirst ? call(one) : call({ ...one, id: '', name: '' }))),
  },
  {
    id: 'null-id',
    title: '`null` for id and name on every later fragment',
    change: each((one) =>
      one.isFirst
        ? call(one)
        : { index: one.index, id: null, type: null, function: { name: null, arguments: one.arguments } },
    ),
  },
  {
    id: 'arguments-first',
    title: 'the first arguments before id and name',
    change: (all) =>
      byCall(all).flatMap((one) => [
        ...one.slice(0, 2).map((part) => [later(part)]),
        ...one.slice(0, 1).map((part) => [start(part)]),
        ...one.slice(2).map((part) => [later(part)]),
      ]),
  },
  {
    id: 'index-zero',
    title: 'index 0 for every call, and its id on every fragment',
    change: each((one) => call({ ...one, index: 0 })),
  },
  {
    id: 'no-index',
    title: 'no index, and its id on every fragment',
    change: each(({ id, name, arguments: text, isFirst }) => call({ id, name: isFirst ? name : '', arguments: text })),
  },
  {
    id: 'one-chunk',
    title: 'all fragments in one chunk',
    change: (all) => [all.map((one) => (one.isFirst ? call(one) : later(one)))],
  },
  {
    id: 'in-turns',
    title: 'fragments of parallel calls in turns',
    change: (all) => {
      const calls = byCall(all)
      const longest = Math.max(0, ...calls.map((one) => one.length))
      const mixed = Array.from({ length: longest }, (_, at) => calls.flatMap((one) => one.slice(at, at + 1)))
      return mixed.flat().map((one) => [one.isFirst ? call(one) : later(one)])
    },
  },
]

function byCall(all: readonly Fragment[]): readonly (readonly Fragment[])[] {
  const indexes = [...new Set(all.map(({ index }) => index))]
  return indexes.map((index) => all.filter((one) => one.index === index))
}

/** Servers of Chat Completions differ in how they cut calls into fragments (docs/wire.md#chat-fragments-of-calls, docs/wire.md#chat-whole-calls). */
export const callFragments: readonly StreamRewrite[] = cuts.map(({ id, title, change }) => ({
  id,
  title,
  change: (text) => rewritten(text.split('\n'), change),
}))

/** All calls of the stream in another form, where the first of them stood. */
function rewritten(lines: readonly string[], change: Cut['change']): string {
  const carriers = lines.map((line) => carrierOf(line))
  const first = carriers.findIndex((carrier) => carrier !== undefined)
  const chunks = change(numbered(carriers.flatMap((carrier) => carrier?.calls ?? [])))
  const model = carriers[first]?.payload ?? {}
  const made = chunks.map((toolCalls) => `data: ${JSON.stringify(withCalls(model, toolCalls))}\n`)
  // What else a chunk with calls says, its finish reason above all, stays where it was.
  return lines
    .flatMap((line, at) => {
      const carrier = carriers[at]
      if (carrier === undefined) return [line]
      const rest = `data: ${JSON.stringify(withCalls(carrier.payload, undefined))}`
      return at === first ? [...made, rest] : [rest]
    })
    .join('\n')
}

interface Carrier {
  readonly payload: JsonObject
  readonly calls: readonly JsonObject[]
}

function carrierOf(line: string): Carrier | undefined {
  const payload = line.startsWith('data:') ? parsed(line.slice(5)) : undefined
  if (!isObject(payload)) return undefined
  const calls = arrayOf(objectOf(objectOf(arrayOf(payload['choices'])[0])['delta'])['tool_calls']).map(objectOf)
  return calls.length === 0 ? undefined : { payload, calls }
}

/** Without calls, the chunk keeps all else; with them it has nothing else, the finish reason least of all. */
function withCalls(payload: JsonObject, toolCalls: readonly JsonObject[] | undefined): JsonObject {
  const choice = objectOf(arrayOf(payload['choices'])[0])
  const { tool_calls: _calls, ...delta } = objectOf(choice['delta'])
  if (toolCalls === undefined) return { ...payload, choices: [{ ...choice, delta }] }
  return { ...payload, usage: null, choices: [{ ...choice, delta: { tool_calls: toolCalls }, finish_reason: null }] }
}

/** Fragments say their id and name once; here each knows those of its call. */
function numbered(calls: readonly JsonObject[]): readonly Fragment[] {
  const known = new Map<number, { readonly id: string; readonly name: string }>()
  return calls.map((one, at) => {
    const named = objectOf(one['function'])
    const index = typeof one['index'] === 'number' ? one['index'] : at
    const isFirst = !known.has(index)
    const facts = known.get(index) ?? { id: memberText(one, 'id'), name: memberText(named, 'name') }
    known.set(index, facts)
    return { index, ...facts, arguments: memberText(named, 'arguments'), isFirst }
  })
}
