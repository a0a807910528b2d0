/** Lengths of deltas in characters, used round and round; like tokens, they do not care for words or JSON syntax. */
const lengths = [2, 5, 1, 9, 4, 13] as const

const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'

/** Cuts a text into the deltas of a stream: between code points, but inside grapheme clusters. No pieces for an empty text. */
export function pieces(text: string): readonly string[] {
  const points = Array.from(text)
  const result: string[] = []
  let start = 0
  for (let index = 0; start < points.length; index += 1) {
    const end = start + (lengths[index % lengths.length] ?? 1)
    result.push(points.slice(start, end).join(''))
    start = end
  }
  return result
}

/** The padding that OpenAI adds to streamed events against guesses from their size (docs/wire.md#padding): 0 to 15 letters. */
export function obfuscation(ordinal: number): string {
  const length = (ordinal * 7 + 5) % 16
  return Array.from({ length }, (_, index) => letters[(ordinal * 23 + index * 17) % letters.length]).join('')
}
