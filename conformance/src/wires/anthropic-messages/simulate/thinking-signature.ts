import { isSealOf, seal } from '../../simulate/seal.ts'

/** Real signatures begin so (base64 of a protocol buffer). */
const prefix = 'EsSim'

/** The signature of a thinking block; it fits this text only. */
export function sealThinking(thinking: string): string {
  return seal(prefix, 'thinking', thinking)
}

export function fitsThinking(signature: string, thinking: string): boolean {
  return isSealOf(signature, prefix, 'thinking', thinking)
}
