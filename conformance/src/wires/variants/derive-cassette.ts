import { readCassette, type Cassette, type Exchange } from '@steploop/cassette'
import type { Mode } from '@steploop/core'
import { cassettePath } from '../../cassette-path.ts'
import type { DerivableExchange, Derivation } from '../../derivation.ts'
import { isEventStream, messagePayload, printMessage, scanMessages } from '../read/event-stream.ts'
import { chunkSchedule } from '../simulate/chunk-schedule.ts'
import type { Subject } from '../../subject.ts'

/**
 * Makes a derived cassette. Nothing but the base and the recipe goes in, so it can be made again and compared.
 *
 * @throws {CassetteError} `missing` and all else that reading the base throws
 */
export function deriveCassette(subject: Subject, scenario: string, derivation: Derivation, mode: Mode): Cassette {
  const base = readCassette(cassettePath(subject, derivation.from, mode))
  const changed = derivation.change(base.exchanges.map(derivable), mode)
  // Who recorded the base, and when: making it again some other day, or with another version, changes nothing.
  const { by, date } = base.header.origin
  const origin = {
    kind: 'derived',
    by,
    date,
    recipe: `${derivation.from}: ${derivation.recipe}`,
  } as const
  return {
    header: { ...base.header, scenario, origin },
    exchanges: changed.map((exchange, index) => completed(exchange, base, index)),
  }
}

function derivable({ request, response }: Exchange): DerivableExchange {
  const { status, headers } = response
  return { request: textOf(request.body), status, headers, response: responseText(response.body) }
}

/** A recipe may repeat an exchange: what it leaves alone is that of the base at the same position, or of its last one. */
function completed({ request, status, headers, response }: DerivableExchange, base: Cassette, index: number): Exchange {
  const model = base.exchanges[Math.min(index, base.exchanges.length - 1)]
  if (model === undefined) throw new RangeError('A cassette without exchanges is no base to derive from.')
  const body = responseBytes(response, model.response.body)
  const chunks = chunkSchedule(body).map((chunk) => ({ ms: 0, bytes: chunk.length }))
  return {
    request: { ...model.request, body: new TextEncoder().encode(request) },
    response: { ...model.response, status, headers, body, chunks },
  }
}

function responseText(bytes: Uint8Array): string {
  if (!isEventStream(bytes)) return textOf(bytes)
  return scanMessages(bytes)
    .map((message) => JSON.stringify(messagePayload(message)))
    .join('\n')
}

function responseBytes(text: string, base: Uint8Array): Uint8Array<ArrayBuffer> {
  if (!isEventStream(base)) return new TextEncoder().encode(text)
  const [first] = scanMessages(base)
  return new Uint8Array(Buffer.concat(text.split('\n').map((line) => printMessage(line, { name: first?.name ?? '' }))))
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
}
