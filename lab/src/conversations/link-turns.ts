import { arrayOf, isObject, objectOf, type JsonObject } from '@steploop/core/adapter'
import { payloadsOf } from '../cassette-tools/exchange-view.ts'
import type { Subject } from '@steploop/conformance'
import {
  wireKit,
  type ResponseView,
  detectExchange,
  type Detected,
  scanStream,
  type Interaction,
  type Recording,
  canonicalJson,
  parsed,
  isModels,
  type CallItem,
  type Conversation,
  type Item,
  readConversation,
} from '@steploop/conformance/cli'
import { pickSubject } from '../traffic/pick-subject.ts'
import { plainText } from './plain-text.ts'

/** One recorded request and what came back, as far as both can be read. */
export interface RecordedTurn {
  readonly interaction: Interaction
  readonly detected: Detected
  readonly subject: Subject
  readonly body: JsonObject
  readonly request: Conversation
  readonly response: ResponseView
  /** The recorded response breaks off: nothing can go on from it. */
  readonly isCut: boolean
}

/** A turn of a conversation. */
export interface LinkedTurn extends RecordedTurn {
  /** What the caller said after the response before it; of the first turn everything. */
  readonly added: readonly Item[]
}

/** Turns of which each continues the one before. */
export type Chain = readonly LinkedTurn[]

/** Why an exchange is no turn of a conversation. */
export type Apart =
  | 'hand-edited'
  | 'edited'
  | 'handed-over'
  | 'refused'
  | 'cut'
  | 'no-request'
  | 'failed'
  | 'single'
  | 'no-turn'
  | 'out-of-scope'

export interface LinkedRecording {
  /** Each of two turns or more; one for each end where a conversation branches. */
  readonly chains: readonly Chain[]
  /** Exchanges that are in no chain, by their index. */
  readonly apart: ReadonlyMap<number, Apart>
}

/** Finds the conversations of a recording: requests that say again what an earlier request and its response said, and more. */
export function linkTurns(recording: Recording, subjects: readonly Subject[]): LinkedRecording {
  const apart = new Map<number, Apart>()
  if (recording.handEdited) {
    for (const { index } of recording.interactions) apart.set(index, 'hand-edited')
    return { chains: [], apart }
  }
  const linked: LinkedTurn[] = []
  const parents = new Map<LinkedTurn, LinkedTurn>()
  const items = new Map<unknown, JsonObject>()
  for (const interaction of recording.interactions) {
    const turn = readTurn(interaction, subjects, items)
    if (typeof turn === 'string') {
      apart.set(interaction.index, turn)
      continue
    }
    const links = linked.toReversed().flatMap((before) => {
      const added = before.isCut ? undefined : addedTo(before, turn)
      return added === undefined ? [] : [{ before, added }]
    })
    const [link] = links
    const one: LinkedTurn = { ...turn, added: link?.added ?? turn.request.items }
    if (link !== undefined) parents.set(one, link.before)
    const alone = turn.isCut ? 'cut' : 'single'
    apart.set(interaction.index, (link === undefined ? saysAgain(one, linked) : undefined) ?? alone)
    linked.push(one)
  }
  const chains = chainsOf(linked, parents)
  for (const { interaction } of chains.flat()) apart.delete(interaction.index)
  return { chains, apart }
}

function chainsOf(turns: readonly LinkedTurn[], parents: ReadonlyMap<LinkedTurn, LinkedTurn>): readonly Chain[] {
  const continued = new Set(parents.values())
  return turns
    .filter((turn) => !continued.has(turn))
    .map((end) => {
      const chain: LinkedTurn[] = []
      for (let turn: LinkedTurn | undefined = end; turn !== undefined; turn = parents.get(turn)) chain.unshift(turn)
      return chain
    })
    .filter(({ length }) => length > 1)
}

function readTurn(
  interaction: Interaction,
  subjects: readonly Subject[],
  items: Map<unknown, JsonObject>,
): RecordedTurn | Apart {
  const detected = detectExchange(interaction, subjects)
  if (!detected.isTurn) return 'no-turn'
  const { request, response } = interaction
  const subject = pickSubject(subjects, detected)
  if (subject === undefined) return 'out-of-scope'
  if (response.bytes === undefined) return 'cut'
  if (!isObject(request?.body)) return 'no-request'
  const body = withReferencedItems(request.body, items)
  const read = readConversation(detected.wire, body)
  const readResponse = wireKit(detected.wire)?.readResponse
  if (read === undefined || readResponse === undefined) return 'out-of-scope'
  const payloads = payloadsOf(response.bytes, response.headers.get('content-type') ?? '')
  for (const item of payloads.flatMap(outputItems)) items.set(item['id'], item)
  const view = readResponse(payloads)
  if (response.status >= 400 || view.error !== undefined) return 'failed'
  const isCut = !isWhole(interaction, detected.wire)
  return { interaction, detected, subject, body, request: read, response: view, isCut }
}

/** Whether the response is JSON to its end, or a stream whose every event is, with one that ends the turn. */
function isWhole({ response: { bytes = new Uint8Array(0), streamed } }: Interaction, wire: string): boolean {
  if (!streamed) return parsed(new TextDecoder().decode(bytes)) !== undefined
  const stream = scanStream(bytes, wire)
  return stream === undefined || stream.terminal !== undefined
}

/** Output items of the Responses format, of whole answers and of streams. */
function outputItems({ output, item, response }: JsonObject): readonly JsonObject[] {
  const whole = arrayOf(output ?? objectOf(response)['output']).filter(isObject)
  return isObject(item) ? [...whole, item] : whole
}

/** The Responses format lets a client name an item that the provider keeps, in place of saying it again. */
function withReferencedItems(body: JsonObject, items: ReadonlyMap<unknown, JsonObject>): JsonObject {
  const { input } = body
  if (!Array.isArray(input)) return body
  const said = input.map((item: unknown) => {
    const { type, id } = objectOf(item)
    return type === 'item_reference' ? (items.get(id) ?? item) : item
  })
  return { ...body, input: said }
}

/** What `turn` adds to the turn before, or `undefined` where it does not continue it. */
function addedTo(before: RecordedTurn, turn: RecordedTurn): readonly Item[] | undefined {
  if (before.subject !== turn.subject) return undefined
  const { request } = turn
  const withoutSystem = withoutPrompt(request.items)
  if (request.previous !== undefined) return request.previous === before.response.id ? withoutSystem : undefined
  if (before.request.previous !== undefined) return undefined
  const rest = afterPrefix(withoutPrompt(before.request.items).filter(isComparable), withoutSystem)
  if (rest === undefined) return undefined
  const end = rest.findIndex((item) => !isModels(item))
  const answer = end < 0 ? rest : rest.slice(0, end)
  if (!isAnswer(answer, before)) return undefined
  return end < 0 ? [] : rest.slice(end)
}

/** Without the system prompt at the beginning, which some clients write anew for every request. */
export function withoutPrompt(items: readonly Item[]): readonly Item[] {
  const first = items.findIndex(({ type }) => type !== 'system')
  return first < 0 ? [] : items.slice(first)
}

/** Thoughts and blocks of the provider are left out by some clients. */
function isComparable(item: Item): boolean {
  return item.type !== 'reasoning' && (item.type !== 'block' || item.by === 'user')
}

/** What follows `known` in `items`; `undefined` where they do not begin with it. */
function afterPrefix(known: readonly Item[], items: readonly Item[]): readonly Item[] | undefined {
  let matched = 0
  for (const [index, item] of items.entries()) {
    if (matched === known.length) return items.slice(index)
    if (!isComparable(item)) continue
    if (!isSame(item, known[matched])) return undefined
    matched++
  }
  return undefined
}

function isSame(one: Item, other: Item | undefined): boolean {
  return plainText(canonicalJson(one)) === plainText(canonicalJson(other))
}

/** Whether the items are what the model said in this turn, or a part of it. */
function isAnswer(items: readonly Item[], { response }: RecordedTurn): boolean {
  const calls = items.filter((item) => item.type === 'call')
  const texts = items.flatMap((item) => (item.type === 'text' || item.type === 'refusal' ? [item.text] : []))
  const said = plainText(
    response.parts.map((part) => (part.type === 'text' || part.type === 'refusal' ? part.text : '')).join(''),
  )
  const isSaid = texts.every((text) => said.includes(plainText(text).trim()))
  const given = new Set(response.parts.flatMap(kindsOf))
  const isGiven = items.every((item) => item.type !== 'block' || given.has(item.kind))
  return (
    items.some(({ type }) => type !== 'reasoning') &&
    isSaid &&
    isGiven &&
    calls.every((call) => isCalled(call, response))
  )
}

/** Calls that the provider ran are blocks in a request. */
export function kindsOf(part: ResponseView['parts'][number]): readonly string[] {
  if (part.type === 'other') return [part.kind]
  return part.type === 'call' ? ['server_tool_use', 'mcp_tool_use'] : []
}

/** By its id, or, where the client numbers calls in its own way, by its arguments. */
function isCalled({ id, toolName, input }: CallItem, { parts }: ResponseView): boolean {
  const calls = parts.filter((part) => part.type === 'call')
  const isNumbered = calls.some((call) => call.id === id)
  return calls.some((call) => {
    if (call.toolName !== toolName) return false
    return isNumbered ? call.id === id : canonicalJson(call.input) === canonicalJson(input)
  })
}

/** Whether a request says again what was said before, but goes to another provider, or says it in another way. */
function saysAgain(
  { request, subject }: LinkedTurn,
  earlier: readonly LinkedTurn[],
): 'handed-over' | 'edited' | 'cut' | undefined {
  const again = earlier.filter((before) => {
    const rest = afterPrefix(withoutPrompt(before.request.items).filter(isComparable), withoutPrompt(request.items))
    return rest?.[0] !== undefined && isModels(rest[0])
  })
  if (again.some(({ isCut }) => isCut)) return 'cut'
  if (again.length > 0) return again.some((before) => before.subject === subject) ? 'edited' : 'handed-over'
  const ids = new Set(
    earlier.flatMap(({ response }) => response.parts.flatMap((part) => (part.type === 'call' ? part.id || [] : []))),
  )
  const answers = request.items.some((item) => item.type === 'result' && item.id !== undefined && ids.has(item.id))
  return answers ? 'edited' : undefined
}
