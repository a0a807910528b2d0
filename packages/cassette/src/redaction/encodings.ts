import { toBase64 } from '../format/body-block.ts'

/** The text, and what it says when its URL-encoded and base64-encoded parts are read. */
export function readings(text: string): string[] {
  const plain = text.includes('%') ? [text, text.replace(percentEncoded, decodePercent)] : [text]
  return plain.flatMap((reading) => [reading, ...decodedRuns(reading)])
}

const percentEncoded = /(?:%[0-9a-f]{2}){1,65536}/gi

function decodePercent(run: string): string {
  try {
    return decodeURIComponent(run)
  } catch {
    return run
  }
}

/** Pieces of bounded size: without a bound the engine's own stack is the limit, at some megabytes. */
const base64Piece = /[A-Za-z0-9+/_-]{1,65536}/g
const shortestRun = 20
const anyRun = new RegExp(`[A-Za-z0-9+/_-]{${shortestRun}}`)
const printable = /^[\t\n\r\x20-\x7e]+$/

// Only what decodes to text: images, signatures and encrypted reasoning are noise, in which any short pattern turns up.
function decodedRuns(text: string): string[] {
  const decoded: string[] = []
  for (const run of base64Runs(text)) {
    const value = decodeBase64(run)
    if (value !== undefined && printable.test(value)) decoded.push(value)
  }
  return decoded
}

function base64Runs(text: string): string[] {
  if (!anyRun.test(text)) return []
  const runs: string[] = []
  let start = 0
  let end = 0
  const close = (): void => {
    if (end - start >= shortestRun) runs.push(text.slice(start, end))
  }
  for (const piece of text.matchAll(base64Piece)) {
    // A piece that begins where the last one ended goes on with the same run.
    if (piece.index !== end) {
      close()
      start = piece.index
    }
    end = piece.index + piece[0].length
  }
  close()
  return runs
}

function decodeBase64(run: string): string | undefined {
  const digits = run.replaceAll('-', '+').replaceAll('_', '/').replace(/=+$/, '')
  try {
    // A last lone digit cannot be part of base64; it may be a neighbour that looks like it.
    return atob(digits.length % 4 === 1 ? digits.slice(0, -1) : digits)
  } catch {
    return undefined
  }
}

/** How a known value looks in a text: plain, URL-encoded, JSON-escaped, and inside of base64 at each of its three alignments. */
export function encodingsOf(value: string): string[] {
  const bytes = new TextEncoder().encode(value)
  const aligned = [0, 1, 2].map((shift) => {
    const padded = new Uint8Array(shift + bytes.length)
    padded.set(bytes, shift)
    // The digits at both ends share bits with the neighbours of the value.
    const digits = toBase64(padded).replace(/=+$/, '')
    const start = shift === 0 ? 0 : shift + 1
    return digits.slice(start, padded.length % 3 === 0 ? digits.length : -1)
  })
  const encoded = aligned.flatMap((digits) => [digits, digits.replaceAll('+', '-').replaceAll('/', '_')])
  return [...new Set([value, encodeURIComponent(value), JSON.stringify(value).slice(1, -1), ...encoded])]
}
