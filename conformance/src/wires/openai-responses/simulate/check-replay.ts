import { invalidRequest } from '../../openai-common/openai-errors.ts'
import type { JsonObject, Memory, Rejection } from '../../simulate/wire-simulation.ts'
import { sealReasoning } from './answer.ts'

export interface SentItems {
  /** Items that the provider has already. */
  readonly earlier: readonly JsonObject[]
  readonly input: readonly JsonObject[]
  readonly memory: Memory | undefined
  /** The provider has more than is known here. */
  readonly trusted: boolean
}

/** Items that were issued by this provider have to come back as they were given. Only a provider with memory can tell. */
export function checkReplay(conversation: SentItems): Rejection | undefined {
  const { memory, earlier, input } = conversation
  if (memory === undefined) return undefined
  const present = new Set([...earlier, ...input].map((item) => item['id']))
  for (const item of input) {
    const refused = checkItem(item, memory, present)
    if (refused !== undefined) return refused
  }
  return undefined
}

function checkItem(item: JsonObject, memory: Memory, present: ReadonlySet<unknown>): Rejection | undefined {
  const { id, type } = item
  if (typeof id !== 'string') return undefined
  const issued = memory.items.get(id)
  if (type === 'item_reference') return issued?.stored === true ? undefined : notFound(id)
  if (type === 'reasoning') return checkReasoning(item, id, issued?.stored === true)
  const reasoning = issued?.stored === true ? issued.reasoning : undefined
  if (reasoning === undefined || present.has(reasoning)) return undefined
  return invalidRequest({
    message: `Item '${id}' of type '${typeof type === 'string' ? type : 'message'}' was provided without its required 'reasoning' item: '${reasoning}'.`,
    param: 'input',
  })
}

/** A reasoning item without its encrypted content is only a reference to a stored one. */
function checkReasoning(item: JsonObject, id: string, stored: boolean): Rejection | undefined {
  const encrypted = item['encrypted_content']
  if (encrypted == null) return stored ? undefined : notFound(id)
  if (encrypted === sealReasoning(id)) return undefined
  return invalidRequest({
    message: `The encrypted content for item ${id} could not be verified. Reason: Encrypted content could not be decrypted or parsed.`,
    param: 'input',
    code: 'invalid_encrypted_content',
  })
}

function notFound(id: string): Rejection {
  const message = `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`
  return { ...invalidRequest({ message, param: 'input' }), status: 404 }
}
