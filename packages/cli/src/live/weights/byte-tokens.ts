import type { Token } from './gguf.ts'

/**
 * Byte-level BPE writes each byte as a printable character: those that are printable in Latin-1 as themselves, the others from U+0100 on
 * (`bytes_to_unicode` of https://github.com/openai/gpt-2/blob/master/src/encoder.py).
 */
const standIns: readonly string[] = (() => {
  const isPrintable = (byte: number): boolean =>
    (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae
  let others = 0
  return Array.from({ length: 256 }, (_, byte) => String.fromCodePoint(isPrintable(byte) ? byte : 0x100 + others++))
})()

/** The text of a token that stands for these bytes. */
export function tokenText(bytes: Uint8Array): string {
  return [...bytes].map((byte) => standIns[byte]).join('')
}

/** One token per byte: with them any text can be read. */
export const byteTokens: readonly Token[] = standIns.map((text) => ({ text, type: 1 }))

export const beginToken = '<|endoftext|>'
export const startToken = '<|im_start|>'
export const endToken = '<|im_end|>'
