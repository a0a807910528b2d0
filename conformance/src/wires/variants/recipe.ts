import { isObject, type JsonObject } from '@steploop/core/adapter'
import type { Derivation } from '../../derivation.ts'
import { parsed } from '../../json.ts'

/** Where a payload stands; all counted from 0. */
export interface EventLocation {
  /** Index of the exchange. */
  readonly exchange: number
  /** Index of the event among those with JSON. */
  readonly index: number
}

/** What stands in place of a payload: itself, a changed one, several, or nothing. */
export type EventChange = (payload: JsonObject, location: EventLocation) => readonly JsonObject[]

type Change = Derivation['change']

/** A recipe over the text of each response. */
export function responses(change: (text: string, exchange: number) => string): Change {
  return (exchanges) =>
    exchanges.map((exchange, index) => ({ ...exchange, response: change(exchange.response, index) }))
}

/** A recipe over the JSON of each streamed event, or of each line; bytes of events that it leaves alone stay. */
export function events(change: EventChange): Change {
  return responses((text, exchange) => changeEvents(text, exchange, change))
}

/** A recipe over the JSON of each response that is not streamed. */
export function bodies(change: (body: JsonObject, exchange: number) => JsonObject): Change {
  return responses((text, exchange) => JSON.stringify(change(objectIn(text), exchange)))
}

/** A recipe over the JSON of each request: what the client sends back of a response that was changed. */
export function requests(change: (body: JsonObject, exchange: number) => JsonObject): Change {
  return (exchanges) =>
    exchanges.map((exchange, index) => ({
      ...exchange,
      request: JSON.stringify(change(objectIn(exchange.request), index)),
    }))
}

/** One recipe per mode. */
export function perMode(generate: Change, stream: Change): Change {
  return (exchanges, mode) => (mode === 'generate' ? generate(exchanges, mode) : stream(exchanges, mode))
}

/** A recipe over the JSON of each answer: of a whole body, or of each streamed event. */
export function answers(change: (value: JsonObject) => JsonObject): Change {
  return perMode(
    bodies((body) => change(body)),
    events((event) => [change(event)]),
  )
}

/** One recipe after the other. */
export function both(first: Change, second: Change): Change {
  return (exchanges, mode) => second(first(exchanges, mode), mode)
}

/** A value with every object in it changed, from the inside out; what JSON gives back is plain data. */
export function eachObject(value: JsonObject, change: (object: JsonObject) => JsonObject): JsonObject {
  const revive = (_name: string, member: unknown): unknown => (isObject(member) ? change(member) : member)
  return objectIn(JSON.stringify(value), revive)
}

function objectIn(text: string, revive?: (name: string, member: unknown) => unknown): JsonObject {
  const value: unknown = JSON.parse(text, revive)
  if (isObject(value)) return value
  throw new TypeError(`A recipe expects a JSON object, not ${text.slice(0, 60)}`)
}

function changeEvents(text: string, exchange: number, change: EventChange): string {
  const lineEnd = text.includes('\r\n') ? '\r\n' : '\n'
  const isLines = text.startsWith('{')
  const gap = isLines ? lineEnd : lineEnd + lineEnd
  let index = 0
  const blocks = text.split(gap).flatMap((block) => {
    const payload = isLines ? parsed(block) : parsed(dataOf(block))
    if (!isObject(payload)) return [block]
    const changed = change(payload, { exchange, index: index++ })
    if (changed.length === 1 && changed[0] === payload) return [block]
    return changed.map((one) => (isLines ? JSON.stringify(one) : printEvent(one, block, lineEnd)))
  })
  return blocks.join(gap)
}

function dataOf(block: string): string {
  return block
    .split(/\r?\n/)
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice('data:'.length))
    .join('')
}

/** Named events are named after their type. */
function printEvent(payload: JsonObject, model: string, lineEnd: string): string {
  const data = `data: ${JSON.stringify(payload)}`
  return model.includes('event:') ? `event: ${String(payload['type'])}${lineEnd}${data}` : data
}
