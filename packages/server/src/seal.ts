import type { AssistantMessage, ToolResultPart } from '@steploop/core'
import { badRequest } from './api-error.ts'
import { isObject } from './json.ts'

/** A key of 32 bytes for AES-GCM. `id` (letters and digits) goes out with what it sealed, so that keys can be changed. */
export interface SealingKey {
  readonly id: string
  readonly key: Uint8Array
}

/** One turn of a model, and the results of those of its calls that a client does not answer. */
export interface SealedTurn {
  readonly message: AssistantMessage
  readonly results: readonly ToolResultPart[]
  /** Ids of the items that show calls which were carried out here, by the id of the call. */
  readonly itemIds?: Readonly<Record<string, string>> | undefined
}

/** Carries what only a provider understands through the hands of a client. */
export interface Sealer {
  seal(tenant: string, turn: SealedTurn): Promise<string>
  /** Throws `ApiError` 400 `invalid_encrypted_content` for what was changed, is another tenant's, or was not sealed here. */
  open(tenant: string, sealed: string, param: string): Promise<SealedTurn>
}

const version = 'slr1'

/** The first key seals, all of them open. Throws `RangeError` for keys that are none. */
export function createSealer(keys: readonly SealingKey[]): Sealer {
  const imported = new Map(keys.map(({ id, key }) => [id, importKey(id, key)]))
  const newest = keys[0]
  if (newest === undefined) throw new RangeError('`sealingKeys` is empty. Give at least one key of 32 bytes.')
  return {
    async seal(tenant, turn) {
      const iv = crypto.getRandomValues(new Uint8Array(12))
      const key = await imported.get(newest.id)
      if (key === undefined) throw new RangeError(`There is no sealing key '${newest.id}'.`)
      const plain = new TextEncoder().encode(JSON.stringify(turn))
      const data = await crypto.subtle.encrypt({ name: 'AES-GCM', iv, additionalData: boundTo(tenant) }, key, plain)
      return [version, newest.id, toBase64(iv), toBase64(new Uint8Array(data))].join('.')
    },
    async open(tenant, sealed, param) {
      try {
        const [mark, id = '', iv = '', data = ''] = sealed.split('.')
        const key = mark === version ? await imported.get(id) : undefined
        if (key === undefined) throw new TypeError('no key')
        const algorithm = { name: 'AES-GCM', iv: fromBase64(iv), additionalData: boundTo(tenant) }
        const plain = await crypto.subtle.decrypt(algorithm, key, fromBase64(data))
        return turnOf(JSON.parse(new TextDecoder().decode(plain)))
      } catch (cause) {
        const message = 'The encrypted content is not what this server gave out. Send reasoning items back unchanged.'
        throw badRequest(message, { code: 'invalid_encrypted_content', param, cause })
      }
    },
  }
}

async function importKey(id: string, key: Uint8Array): Promise<CryptoKey> {
  if (!/^[a-zA-Z0-9]+$/.test(id))
    throw new RangeError(`The sealing key's id '${id}' is not made of letters and digits.`)
  if (key.length !== 32) throw new RangeError(`The sealing key '${id}' has ${key.length} bytes. Give 32.`)
  return crypto.subtle.importKey('raw', new Uint8Array(key), 'AES-GCM', false, ['encrypt', 'decrypt'])
}

function boundTo(tenant: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(`${version} ${tenant}`)
}

function turnOf(value: unknown): SealedTurn {
  if (!isObject(value) || !isObject(value['message']) || !Array.isArray(value['results']))
    throw new TypeError('no turn')
  return value as unknown as SealedTurn
}

function toBase64(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(binary, (character) => character.charCodeAt(0))
}
