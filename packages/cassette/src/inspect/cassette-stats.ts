import type { Cassette, OriginKind } from '../cassette.ts'

/** What a set of cassettes holds. Sizes in bytes of bodies after content-decoding. */
export interface CassetteStats {
  readonly files: number
  readonly exchanges: number
  readonly requestBytes: number
  readonly responseBytes: number
  readonly chunks: number
  /** Exchanges that did not end with `eof`. */
  readonly broken: number
  /** Request halves that were rewritten without recording anew. */
  readonly rebased: number
  readonly modes: Readonly<Record<'generate' | 'stream', number>>
  readonly origins: Readonly<Partial<Record<OriginKind, number>>>
  /** First and last day of recording, `YYYY-MM-DD`. */
  readonly oldest: string | undefined
  readonly newest: string | undefined
}

/** Counts over any number of cassettes. */
export function cassetteStats(cassettes: readonly Cassette[]): CassetteStats {
  const exchanges = cassettes.flatMap((cassette) => cassette.exchanges)
  const dates = cassettes.map(({ header }) => header.origin.date).toSorted()
  const origins: Partial<Record<OriginKind, number>> = {}
  for (const { header } of cassettes) origins[header.origin.kind] = (origins[header.origin.kind] ?? 0) + 1
  const streams = cassettes.filter(({ header }) => header.mode === 'stream').length
  return {
    files: cassettes.length,
    exchanges: exchanges.length,
    requestBytes: sum(exchanges.map(({ request }) => request.body.length)),
    responseBytes: sum(exchanges.map(({ response }) => response.body.length)),
    chunks: sum(exchanges.map(({ response }) => response.chunks.length)),
    broken: exchanges.filter(({ response }) => response.ending !== 'eof').length,
    rebased: exchanges.filter(({ request }) => request.rebased !== undefined).length,
    modes: { generate: cassettes.length - streams, stream: streams },
    origins,
    oldest: dates[0],
    newest: dates.at(-1),
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)
