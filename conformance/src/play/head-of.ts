import { closeSync, openSync, readSync } from 'node:fs'

/** The beginning of a file as a text, of so many bytes; the rest may be long. Empty for what is no file. */
export function headOf(file: string, length: number): string {
  const bytes = new Uint8Array(length)
  try {
    const open = openSync(file, 'r')
    try {
      return new TextDecoder().decode(bytes.subarray(0, readSync(open, bytes)))
    } finally {
      closeSync(open)
    }
  } catch {
    return ''
  }
}
