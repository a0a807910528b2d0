import { readdirSync } from 'node:fs'
import { arrayOf, isObject, objectOf, textOf, type JsonObject } from '@steploop/core/adapter'
import { readCassette, type Exchange } from '@steploop/cassette'
import { isEventStream, messagePayloads } from '@steploop/conformance/cli'
import { familyAt, type Family } from './families.ts'

export type DocumentKind = 'request' | 'body' | 'event'

/** One JSON document that went over the wire. */
export interface WireDocument {
  readonly family: Family
  readonly kind: DocumentKind
  readonly json: JsonObject
  /** Where the request went. */
  readonly url: string
  /** File and number of the exchange. */
  readonly location: string
}

/**
 * Every request of our own adapters, and every body and event that the simulator gave, of all cassettes under `folder`. Left out:
 * requests that packages of the AI SDK built, answers of derived cassettes (made odd on purpose), and what is no JSON.
 */
export function cassetteDocuments(folder: string): readonly WireDocument[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.yaml'))
  return files.toSorted().flatMap((file) => {
    const { header, exchanges } = readCassette(`${folder}/${file}`)
    return exchanges.flatMap((exchange, index) => {
      const family = familyAt(header.wire, new URL(exchange.request.url).host)
      if (family === undefined) return []
      const location = { family, url: exchange.request.url, location: `${file}#${index + 1}` }
      const isOurs = !header.provider.startsWith('ai-sdk')
      return [
        ...(isOurs ? requestOf(exchange) : []).map((json) => ({ ...location, kind: 'request' as const, json })),
        ...(header.origin.kind === 'derived' ? [] : answersOf(exchange)).map((answer) => ({ ...location, ...answer })),
      ]
    })
  })
}

const decoder = new TextDecoder()

function requestOf({ request }: Exchange): readonly JsonObject[] {
  return jsonObjects([decoder.decode(request.body)])
}

interface Answer {
  readonly kind: DocumentKind
  readonly json: JsonObject
}

function answersOf({ response }: Exchange): readonly Answer[] {
  if (response.status < 200 || response.status > 299) return []
  if (isEventStream(response.body)) return frameAnswers(response.body)
  const type = response.headers['content-type'] ?? ''
  return answerTexts(decoder.decode(response.body), !type.startsWith('application/json'))
}

/** The events of a stream in messages of AWS. */
export function frameAnswers(bytes: Uint8Array): readonly Answer[] {
  return messagePayloads(bytes)
    .filter(isAnswer)
    .map((json) => ({ kind: 'event', json }))
}

/** The bodies and events of an answer: one JSON text, server-sent events, or lines of JSON. */
export function answerTexts(text: string, isStream: boolean): readonly Answer[] {
  if (!isStream)
    return jsonObjects([text])
      .filter(isAnswer)
      .map((json) => ({ kind: 'body', json }))
  return jsonObjects(text.split(/\r\n|\n|\r/).map((line) => line.replace(/^data: ?/, '')))
    .filter(isAnswer)
    .map((json) => ({ kind: 'event', json }))
}

function jsonObjects(texts: readonly string[]): readonly JsonObject[] {
  return texts.flatMap((text) => {
    if (!text.trimStart().startsWith('{')) return []
    try {
      const json: unknown = JSON.parse(text)
      return isObject(json) ? [json] : []
    } catch {
      return []
    }
  })
}

/** False for errors inside a 200: specifications describe answers. */
function isAnswer(json: JsonObject): boolean {
  const choice = objectOf(arrayOf(json['choices'])[0])
  const groq = objectOf(json['x_groq'])
  const isError = json['type'] === 'error' || json['object'] === 'error'
  // Cohere and AWS have a text for a message in errors alone.
  if (typeof json['message'] === 'string' || Object.keys(json).some((name) => name.endsWith('Exception'))) return false
  if (isError && json['sequence_number'] === undefined) return false
  const saysError = [json, choice, groq].some(({ error }) => isObject(error) || textOf(error) !== undefined)
  return !saysError || json['object'] === 'response'
}
