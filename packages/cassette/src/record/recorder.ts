import type { Cassette, CassetteHeader, Exchange, Origin } from '../cassette.ts'
import { CassetteError } from '../errors.ts'
import { isMaskPath, maskRequestBody, maskResponseBody } from '../redaction/mask-body.ts'
import { noteCredentials, refuseCredentials, type SentCredentials } from '../redaction/sent-credentials.ts'
import { storedRequestHeaders, storedResponseHeaders, storedUrl } from '../rules/stored-headers.ts'
import { behindBaseURL, isRedirect, normalBaseURL, redirected } from './base-url.ts'
import { tap, type Tapped } from './tap.ts'

/** The header with which a simulator says what it is. It is never stored. */
export const simulatorHeader = 'x-steploop-simulator'

export interface RecorderOptions {
  /** The provider's public base URL. Clients are configured with it, and the cassette holds it. */
  readonly publicBaseURL: string
  /** Where requests really go. Default: the public base URL. */
  readonly baseURL?: string | undefined
  readonly header: RecorderHeader
  /** Names of request and response headers to store besides the allow-lists. Credentials and cookies are never stored. */
  readonly alsoRequestHeaders?: readonly string[] | undefined
  readonly alsoResponseHeaders?: readonly string[] | undefined
  /** Default: the global fetch. */
  readonly fetch?: typeof globalThis.fetch | undefined
  /** Milliseconds from any fixed moment. Default: `performance.now`. */
  readonly clock?: (() => number) | undefined
  /** The day of the recording. Default: today. */
  readonly today?: (() => Date) | undefined
}

/** The facts of the cassette's header; `kind` may be left out only when a simulator is recorded, which says so itself. */
export interface RecorderHeader extends Omit<CassetteHeader, 'origin'> {
  readonly origin: Omit<Origin, 'kind' | 'date' | 'host'> & Partial<Pick<Origin, 'kind' | 'date'>>
}

export interface Recorder {
  /** Give it to the client that is to be recorded, which is configured with the public base URL. */
  readonly fetch: typeof globalThis.fetch
  /** The exchanges so far, whatever `finish` would say of them. */
  readonly exchanges: () => readonly Exchange[]
  /**
   * What was recorded so far, in the order in which requests were started. A body that is still being read counts as aborted. Nothing
   * is scanned or written yet: `writeCassette` does both.
   *
   * @throws {CassetteError} the first request that was refused, `schema` when the origin's kind is absent or untrue, or `secret-found` when a
   * credential of a request comes back.
   */
  readonly finish: () => Cassette
}

interface Session {
  readonly options: RecorderOptions
  readonly publicBase: string
  readonly realBase: string
  readonly send: typeof globalThis.fetch
  readonly clock: () => number
  readonly exchanges: Recording[]
  readonly refusals: CassetteError[]
  readonly credentials: SentCredentials
  simulated: boolean
}

interface Recording {
  readonly request: Exchange['request']
  status: number
  headers: Record<string, string>
  readonly tapped: Tapped
}

/**
 * Records real HTTP by way of an injected fetch. The consumer gets each chunk at once and unaltered; bodies are recorded after
 * content-decoding, with the sizes, times and the ending of their chunks. Requests outside of the base URL and redirects are refused.
 *
 * @throws {CassetteError} `schema` for a mask path that is none; `TypeError` for a base URL that is none.
 */
export function createRecorder(options: RecorderOptions): Recorder {
  const wrong = options.header.mask?.find((path) => !isMaskPath(path))
  if (wrong !== undefined)
    throw new CassetteError('schema', {
      what: `"${wrong}" is no path of a field to mask.`,
      fix: 'Write names with dots between them, and * for any member: metadata.user_id',
    })
  const session: Session = {
    options,
    publicBase: normalBaseURL(options.publicBaseURL),
    realBase: normalBaseURL(options.baseURL ?? options.publicBaseURL),
    send: options.fetch ?? globalThis.fetch,
    clock: options.clock ?? (() => performance.now()),
    exchanges: [],
    refusals: [],
    credentials: new Map(),
    simulated: false,
  }
  return {
    fetch: (input, init) => record(session, input, init),
    exchanges: () => exchangesOf(session),
    finish: () => finish(session),
  }
}

async function record(session: Session, input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const request = new Request(input, init)
  // What never left is no exchange: replay refuses it at the same position.
  request.signal.throwIfAborted()
  try {
    const path = behindBaseURL(request.url, session.publicBase)
    const body = new Uint8Array(await request.arrayBuffer())
    const recording = started(session, request, path, body)
    session.exchanges.push(recording)
    return await sent(session, recording, { request, url: session.realBase + path, body, init })
  } catch (error) {
    if (CassetteError.isInstance(error)) session.refusals.push(error)
    throw error
  }
}

function started(session: Session, request: Request, path: string, body: Uint8Array): Recording {
  const { header, alsoRequestHeaders } = session.options
  noteCredentials(session.credentials, request)
  const also = (alsoRequestHeaders ?? []).filter((name) => !neverStored.test(name))
  return {
    request: {
      method: request.method.toUpperCase(),
      url: storedUrl(session.publicBase + path),
      headers: storedRequestHeaders(request.headers, also),
      body: maskRequestBody(body, header.mask ?? []),
    },
    status: 0,
    headers: {},
    tapped: { chunks: [], pieces: [], ending: 'abort' },
  }
}

const neverStored = /^(?:set-)?cookie$|^proxy-authorization$/i

interface Outgoing {
  readonly request: Request
  readonly url: string
  readonly body: Uint8Array<ArrayBuffer>
  readonly init: RequestInit | undefined
}

async function sent(session: Session, recording: Recording, outgoing: Outgoing): Promise<Response> {
  const { request, url, body, init } = outgoing
  const { signal } = request
  let response: Response
  try {
    response = await session.send(url, {
      ...init,
      method: request.method,
      headers: request.headers,
      redirect: 'manual',
      signal,
      ...(request.body === null && body.length === 0 ? { body: null } : { body }),
    })
  } catch (error) {
    recording.tapped.ending = signal.aborted ? 'abort' : 'reset'
    throw error
  }
  if (isRedirect(response.status)) {
    await response.body?.cancel()
    throw redirected(response.status, url)
  }
  return tappedResponse(session, recording, response, signal)
}

function tappedResponse(session: Session, recording: Recording, response: Response, signal: AbortSignal): Response {
  if (response.headers.has(simulatorHeader)) session.simulated = true
  const also = (session.options.alsoResponseHeaders ?? []).filter((name) => !neverStored.test(name))
  recording.status = response.status
  recording.headers = storedResponseHeaders(
    response.headers,
    also.filter((name) => name !== simulatorHeader),
  )
  if (response.body === null) {
    recording.tapped.ending = 'eof'
    return response
  }
  const body = tap(response.body, { clock: session.clock, signal, tapped: recording.tapped })
  const { status, statusText, headers } = response
  const tapped = new Response(body, { status, statusText, headers })
  Object.defineProperty(tapped, 'url', { value: response.url })
  return tapped
}

function finish(session: Session): Cassette {
  const [refusal] = session.refusals
  if (refusal !== undefined) throw refusal
  const cassette = { header: { ...session.options.header, origin: origin(session) }, exchanges: exchangesOf(session) }
  refuseCredentials(session.credentials, cassette)
  return cassette
}

function exchangesOf(session: Session): readonly Exchange[] {
  const mask = session.options.header.mask ?? []
  return session.exchanges.map(({ request, status, headers, tapped }): Exchange => {
    const body = maskResponseBody(whole(tapped.pieces), headers['content-type'], mask)
    return { request, response: { status, headers, body, chunks: [...tapped.chunks], ending: tapped.ending } }
  })
}

function origin(session: Session): Origin {
  const { origin: declared } = session.options.header
  const kind = declared.kind ?? (session.simulated ? 'simulated' : undefined)
  if (kind === undefined)
    throw new CassetteError('schema', {
      what: 'The origin of the recording is not declared.',
      fix: 'Say whether it is live, local or simulated; only a simulator with its marker header says so itself.',
    })
  if (session.simulated && kind !== 'simulated')
    throw new CassetteError('schema', {
      what: `The recording is declared as "${kind}", but the server says that it is a simulator.`,
      fix: 'Declare the origin "simulated", or record the real server.',
    })
  const date = declared.date ?? (session.options.today?.() ?? new Date()).toISOString().slice(0, 10)
  const host = kind === 'live' || kind === 'local' ? { host: new URL(session.realBase).host } : {}
  return { ...declared, kind, date, ...host }
}

function whole(pieces: readonly Uint8Array[]): Uint8Array {
  const body = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0))
  let offset = 0
  for (const piece of pieces) {
    body.set(piece, offset)
    offset += piece.length
  }
  return body
}
