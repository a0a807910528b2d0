import type { Cassette, Exchange, RecordedRequest } from '../cassette.ts'
import { CassetteError } from '../errors.ts'
import { storedRequestBody } from '../format/print-cassette.ts'
import { maskRequestBody } from '../redaction/mask-body.ts'
import { replayedResponse } from '../replay/replayed-response.ts'
import { storedRequestHeaders, storedUrl } from '../rules/stored-headers.ts'

export interface RebaseOptions {
  /** The day that marks the rewritten halves. Default: today. */
  readonly today?: (() => Date) | undefined
  /** Named in messages. */
  readonly fileName?: string | undefined
}

export interface Rebase {
  /** Give it to the client whose requests changed on purpose. */
  readonly fetch: typeof globalThis.fetch
  /**
   * The cassette with the new requests. Halves that changed carry the day in `rebased`, until they are recorded anew; the others stay.
   *
   * @throws {CassetteError} `unconsumed` when the client asked for fewer exchanges than there are, `no-match` when it asked for more or
   * went to another address: then the answers no longer belong to the requests, and only a new recording helps.
   */
  readonly finish: () => Cassette
}

/** Answers with the responses of a cassette in their order, whatever the bodies and headers of the requests, and takes those down. */
export function createRebase(cassette: Cassette, options: RebaseOptions = {}): Rebase {
  const rebased: Exchange[] = []
  const misses: CassetteError[] = []
  const rebaseFetch = async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init)
    request.signal.throwIfAborted()
    const sent = await storedRequest(request, cassette)
    const exchange = cassette.exchanges[rebased.length]
    if (exchange === undefined || !sameAddress(exchange.request, sent)) {
      const miss = noMatch(sent, exchange, rebased.length, options.fileName)
      misses.push(miss)
      throw miss
    }
    rebased.push({ request: marked(exchange.request, sent, options), response: exchange.response })
    return replayedResponse(exchange, { signal: request.signal })
  }
  const finish = (): Cassette => {
    const [miss] = misses
    if (miss !== undefined) throw miss
    const left = cassette.exchanges.length - rebased.length
    if (left === 0) return { header: cassette.header, exchanges: rebased }
    const what = `The client asked for ${rebased.length} of ${cassette.exchanges.length} exchanges.`
    throw new CassetteError('unconsumed', { file: options.fileName, what, fix: 'Record the cassette anew.' })
  }
  return { fetch: rebaseFetch, finish }
}

async function storedRequest(request: Request, cassette: Cassette): Promise<RecordedRequest> {
  const also = cassette.exchanges.flatMap((exchange) => Object.keys(exchange.request.headers))
  return {
    method: request.method.toUpperCase(),
    url: storedUrl(request.url),
    headers: storedRequestHeaders(request.headers, also),
    body: maskRequestBody(new Uint8Array(await request.arrayBuffer()), cassette.header.mask ?? []),
  }
}

function sameAddress(recorded: RecordedRequest, sent: RecordedRequest): boolean {
  const address = ({ method, url }: RecordedRequest): string =>
    `${method} ${new URL(url).origin}${new URL(url).pathname}`
  return address(recorded) === address(sent)
}

function noMatch(
  sent: RecordedRequest,
  exchange: Exchange | undefined,
  count: number,
  file: string | undefined,
): CassetteError {
  const expected =
    exchange === undefined ? 'the end of the cassette' : `${exchange.request.method} ${exchange.request.url}`
  const what = `${sent.method} ${sent.url} was asked where ${expected} was expected.`
  return new CassetteError('no-match', {
    file,
    location: `exchange ${count + 1}`,
    what,
    fix: 'Record the cassette anew.',
  })
}

function marked(before: RecordedRequest, after: RecordedRequest, options: RebaseOptions): RecordedRequest {
  const comparable = (request: RecordedRequest): string =>
    JSON.stringify([request.url, Object.entries(request.headers), [...storedRequestBody(request)]])
  if (comparable(before) === comparable(after)) return before
  return { ...after, rebased: (options.today?.() ?? new Date()).toISOString().slice(0, 10) }
}
