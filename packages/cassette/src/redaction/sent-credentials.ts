import type { Cassette } from '../cassette.ts'
import { CassetteError } from '../errors.ts'
import { credentialsIn, isCredential } from '../rules/stored-headers.ts'
import { scanCassette } from './scan-cassette.ts'

/** Where credentials went out, by what they are. */
export type SentCredentials = Map<string, string>

export function noteCredentials(
  sent: SentCredentials,
  { headers, url }: { readonly headers: Iterable<readonly [name: string, value: string]>; readonly url: string },
): void {
  for (const [name, value] of headers) {
    if (!isCredential(name)) continue
    for (const secret of secretsIn(value)) sent.set(secret, `request header "${name.toLowerCase()}"`)
  }
  for (const [value, name] of credentialsIn(url)) sent.set(value, `query parameter "${name}"`)
}

/** The value, and what it is made of: pairs of a cookie, a name and a password. */
function secretsIn(value: string): readonly string[] {
  const pairs = value.split(/; */).map((pair) => pair.slice(pair.indexOf('=') + 1))
  const basic = /^basic +(\S+)$/i.exec(value)?.[1]
  return [value, ...pairs, ...(basic === undefined ? [] : decoded(basic).split(':'))]
}

function decoded(base64: string): string {
  try {
    return atob(base64)
  } catch {
    return ''
  }
}

/**
 * Whoever writes the cassette does not know any more what went out. A word without a digit is a placeholder of a local server.
 *
 * @throws {CassetteError} `secret-found` when one of them comes back
 */
export function refuseCredentials(sent: SentCredentials, cassette: Cassette): void {
  for (const [value, where] of sent) {
    const bare = value.replace(/^\S+ +/, '')
    if (bare.length < 16 || !/\d/.test(bare)) continue
    const found = scanCassette(cassette, { env: { SENT_KEY: bare } }).find(
      ({ rule }) => rule === 'environment:SENT_KEY',
    )
    if (found === undefined) continue
    throw new CassetteError('secret-found', {
      what: `The ${where} holds a credential that comes back in the ${found.location}.`,
      fix: 'Keep it out of the recorded conversation, or declare its field in "mask".',
    })
  }
}
