import { objectOf, textOf } from '@steploop/core/adapter'
import { canonicalJson } from '../../../json.ts'
import { isSealOf, seal } from '../../simulate/seal.ts'
import type { JsonObject } from '../../simulate/wire-simulation.ts'

/** Real signatures begin so (base64 of a protocol buffer). */
const prefix = 'EtSim'

/** The signature of a part; that of a call fits what it says only. */
export function signatureOf(part: JsonObject): string {
  return seal(prefix, ...saidBy(part))
}

/**
 * Whether a part has its own signature. Signatures of texts are not held against their words: whoever took something out of a text may send it all
 * the same. But the part without words that ends a stream keeps its own: "don't merge one part with a signature with another part without a
 * signature". https://ai.google.dev/gemini-api/docs/thought-signatures#non-functioncall_part
 */
export function fitsPart(signature: string, part: JsonObject): boolean {
  if (part['text'] === undefined || part['thought'] === true) return isSealOf(signature, prefix, ...saidBy(part))
  if (part['text'] !== '' && signature === signatureOf({ text: '' })) return false
  return signature.length === seal(prefix).length && signature.startsWith(prefix)
}

/**
 * For calls that the model did not make; recorded clients send it as base64 of these words.
 * https://ai.google.dev/gemini-api/docs/thought-signatures#faqs
 */
const standIn = 'skip_thought_signature_validator'

export function isStandIn(signature: string): boolean {
  return signature === standIn || signature === Buffer.from(standIn).toString('base64')
}

function saidBy(part: JsonObject): readonly string[] {
  const call = objectOf(part['functionCall'])
  if (part['functionCall'] !== undefined) return ['call', String(call['name']), JSON.stringify(call['args'] ?? {})]
  const ran = part['executableCode'] ?? part['toolCall'] ?? part['toolResponse']
  if (ran !== undefined) return ['server', canonicalJson(ran)]
  return ['text', textOf(part['text']) ?? '', part['thought'] === true ? 'thought' : '']
}
