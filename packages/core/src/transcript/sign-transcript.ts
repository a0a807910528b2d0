import { base64Url } from '../tools/approval-hash.ts'
import { canonicalJson } from '../wire/canonical-json.ts'
import { LoopError } from '../contract/errors.ts'
import { isObject, objectOf } from '../wire/json.ts'
import type { Transcript } from '../contract/transcript.ts'

/** A secret of the application, under a name that stands in the signature. */
export interface TranscriptKey {
  /** Letters, digits, `_` and `-`; no secret. */
  readonly id: string
  /** Secret of at least 32 bytes, made at random: a text counts in UTF-8. */
  readonly secret: string | Uint8Array
}

export interface SigningOptions {
  /** The first one signs, any of them verifies: a new key goes in front, an old one stays as long as its signatures have to hold. */
  readonly keys: readonly TranscriptKey[]
  /** Whom or what the transcript is for, such as the id of a user or of a chat: what was signed for another one does not verify. */
  readonly audience?: string | undefined
}

/** A transcript that may leave the application and come back, as JSON. */
export interface SignedTranscript extends Transcript {
  /** `<id of the key>.<HMAC-SHA-256 in base64url>` over everything else. */
  readonly signature: string
}

/**
 * Signs a transcript (HMAC-SHA-256, Web Crypto) for a way through a browser or any other hands. It is signed, not encrypted, and an older
 * one that was signed verifies as well: see `idempotencyKey` of tools for what may not happen twice.
 *
 * Throws `LoopError` `invalid-options` for keys that are none.
 */
export async function signTranscript(transcript: Transcript, options: SigningOptions): Promise<SignedTranscript> {
  const [key] = checkKeys(options)
  const { signature: _earlier, ...unsigned } = transcript as SignedTranscript
  const bytes = await crypto.subtle.sign('HMAC', await imported(key), message(unsigned, key, options))
  return { ...unsigned, signature: `${key.id}.${base64Url(bytes)}` }
}

/**
 * Gives the transcript without its signature. Throws `LoopError` `invalid-transcript` for one that is unsigned, altered, signed with a key
 * that is not among `keys`, or for another audience; `invalid-options` for keys that are none.
 */
export async function verifyTranscript(signed: unknown, options: SigningOptions): Promise<Transcript> {
  const keys = checkKeys(options)
  if (!isObject(signed) || typeof signed['signature'] !== 'string') throw refused('it has no signature')
  const { signature, ...given } = signed
  const unsigned = copyOf(given)
  const dot = signature.indexOf('.')
  const key = keys.find(({ id }) => id === signature.slice(0, dot))
  if (key === undefined) throw refused('it is signed with a key that is not among `keys`')
  const bytes = bytesOf(signature.slice(dot + 1))
  const isGood =
    bytes !== undefined &&
    unsigned !== undefined &&
    (await crypto.subtle.verify('HMAC', await imported(key), bytes, message(unsigned, key, options)))
  if (!isGood) throw refused('it is not what was signed, or was signed for another audience')
  // Checked member by member by the run that goes on from it.
  return unsigned as unknown as Transcript
}

function message(unsigned: object, { id }: TranscriptKey, { audience = '' }: SigningOptions): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(JSON.stringify(['steploop-transcript', 1, id, audience, canonicalJson(unsigned)]))
}

/**
 * What was signed, which is JSON: neither what somebody writes to the object meanwhile, nor what JSON has no words for, such as the infinity
 * that `1e999` is when it is parsed. `undefined` for what no JSON can say: it was never signed.
 */
function copyOf(given: object): object | undefined {
  try {
    return JSON.parse(JSON.stringify(given)) as object
  } catch {
    return undefined
  }
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0))
  } catch {
    return undefined
  }
}

function imported({ secret }: TranscriptKey): Promise<CryptoKey> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  return crypto.subtle.importKey('raw', secretBytes(secret), algorithm, false, ['sign', 'verify'])
}

function secretBytes(secret: string | Uint8Array): Uint8Array<ArrayBuffer> {
  return typeof secret === 'string' ? new TextEncoder().encode(secret) : new Uint8Array(secret)
}

const leastBytes = 32

function checkKeys(options: SigningOptions): readonly [TranscriptKey, ...TranscriptKey[]] {
  const { keys, audience } = objectOf(options)
  if (audience !== undefined && typeof audience !== 'string') throw invalid('`audience` is no text')
  const [first, ...others] = Array.isArray(keys) ? (keys as readonly TranscriptKey[]) : []
  if (first === undefined) throw invalid('`keys` has no key')
  for (const [index, key] of [first, ...others].entries()) {
    const problem = keyProblem(key)
    if (problem !== undefined) throw invalid(`\`keys[${index}]\` ${problem}`)
  }
  return [first, ...others]
}

function keyProblem(key: unknown): string | undefined {
  if (!isObject(key) || typeof key['id'] !== 'string' || !/^[\w-]+$/.test(key['id']))
    return 'has no `id` of letters, digits, _ and -'
  const { secret } = key
  if (typeof secret !== 'string' && !(secret instanceof Uint8Array)) return 'has no `secret`'
  return secretBytes(secret).length < leastBytes ? `has a \`secret\` of less than ${leastBytes} bytes` : undefined
}

function invalid(what: string): LoopError {
  const fix = "Give { keys: [{ id: '2026-11', secret }] } with a secret of at least 32 random bytes."
  return new LoopError('invalid-options', `A transcript cannot be signed or verified: ${what}. ${fix}`)
}

function refused(why: string): LoopError {
  const fix = 'Go on from the transcript that was signed, or from a store of your own.'
  return new LoopError('invalid-transcript', `The transcript is not trusted: ${why}. ${fix}`)
}
