import { lookup as resolveName, type LookupAddress } from 'node:dns'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { Readable } from 'node:stream'
import { isInnerAddress } from './inner-address.ts'

type Resolved = (error: Error | null, addresses?: readonly LookupAddress[]) => void

export interface GuardOptions {
  /** Names of hosts, in small letters, that may be asked. */
  readonly hosts: readonly string[]
  /** Addresses of a name; for tests. Default: the system's. */
  readonly resolve?: ((host: string, done: Resolved) => void) | undefined
}

/** Says why an address must not be asked; `undefined`: it may. */
export function refusalOf(url: URL, { hosts }: GuardOptions): string | undefined {
  if (url.protocol !== 'https:') return 'only https is allowed'
  if (url.username !== '' || url.password !== '') return 'it holds credentials'
  if (!hosts.includes(url.hostname)) return 'its host is not allowed here'
  return isIP(url.hostname.replace(/^\[|\]$/g, '')) === 0 ? undefined : 'it is no name of a host'
}

/**
 * A `fetch` for addresses that clients give: allowed hosts alone, https alone, no redirects. The address is looked at when the socket is
 * made, so that a name that changes its meaning in between leads nowhere. Throws `TypeError`.
 */
export function guardedFetch(options: GuardOptions): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init)
    const url = new URL(request.url)
    const refusal = refusalOf(url, options)
    if (refusal !== undefined) throw new TypeError(`The address is not asked: ${refusal}.`)
    const body = request.body === null ? undefined : new Uint8Array(await request.arrayBuffer())
    return ask(url, { request, body, lookup: guardedLookup(options) })
  }
}

interface Question {
  readonly request: Request
  readonly body: Uint8Array | undefined
  readonly lookup: LookupFunction
}

function ask(url: URL, { request, body, lookup }: Question): Promise<Response> {
  const { method, signal } = request
  const headers = Object.fromEntries(request.headers)
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest
  return new Promise((resolve, reject) => {
    const sent = send(url, { method, headers, signal, lookup, agent: false }, (answer) => {
      try {
        resolve(responseOf(answer))
      } catch (error) {
        answer.destroy()
        reject(error)
      }
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

function responseOf(answer: IncomingMessage): Response {
  const { statusCode: status = 502, headers } = answer
  if (status >= 300 && status < 400)
    throw new TypeError(`The server redirects (${status}), which is not followed. Give the address that it leads to.`)
  const list = Object.entries(headers).flatMap(([name, value]): readonly [string, string][] =>
    value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
  )
  const isEmpty = status === 204 || status === 205
  const body = isEmpty ? null : (Readable.toWeb(answer) as ReadableStream<Uint8Array>)
  return new Response(body, { status, headers: [...list] as [string, string][] })
}

function guardedLookup({ resolve = resolveAll }: GuardOptions): LookupFunction {
  return (host, options, done) => {
    resolve(host, (error, addresses = []) => {
      const [first] = addresses
      if (error !== null) done(error, '', 0)
      else if (first === undefined || addresses.some(({ address }) => isInnerAddress(address))) {
        done(new TypeError('The address is not asked: its host is inside of a network.'), '', 0)
      } else if (options.all === true) done(null, [...addresses])
      else done(null, first.address, first.family)
    })
  }
}

function resolveAll(host: string, done: Resolved): void {
  resolveName(host, { all: true }, done)
}
