import { objectOf, textOf, type JsonObject } from '@steploop/core/adapter'
import type { ImportedExchange, ImportedRequest } from '@steploop/cassette/import'
import { usualBase, wireKit } from '@steploop/conformance/cli'

const unknownBase = 'https://unknown.invalid'

export interface GuessFacts {
  readonly wire: string
  readonly provider: string | undefined
  readonly model: string | undefined
}

/** A request without a body to where such a response usually comes from. What was asked is not known, and nothing is made up for it. */
export function guessRequest({ response }: ImportedExchange, facts: GuessFacts): ImportedRequest {
  const type = response.headers.find(([name]) => name === 'content-type')?.[1] ?? ''
  const url = urlOf(facts, /event-?stream|ndjson/.test(type))
  return { method: 'POST', url, headers: [], body: new Uint8Array() }
}

function urlOf({ wire, provider = 'openai', model = 'unknown' }: GuessFacts, isStream: boolean): string {
  const url = wireKit(wire)?.usualUrl?.({ base: usualBase(provider) ?? unknownBase, model, isStream })
  return url ?? `${unknownBase}/${encodeURIComponent(wire)}`
}

/** The model that an exchange names: in the request, in the URL, or in the response. */
export function modelOf(request: JsonObject, inUrl: string | undefined, payload: JsonObject): string | undefined {
  return textOf(request['model']) ?? inUrl ?? modelOfPayload(payload)
}

function modelOfPayload(payload: JsonObject): string | undefined {
  const holders = [payload, objectOf(payload['response']), objectOf(payload['message'])]
  return holders.map((holder) => textOf(holder['model']) ?? textOf(holder['modelVersion'])).find(Boolean)
}
