/** Shorter texts occur by chance. */
const shortest = 4

/**
 * Replaces secrets in texts, however they are spelled there: as they are, percent-encoded, escaped for JSON (twice, too), JavaScript or HTML,
 * inside of base64, and in pieces of at least 12 characters, since whoever repeats a key may cut it. Texts of under 4 characters are no secrets.
 */
export function createRedactor(secrets: readonly string[]): (text: string) => string {
  const known = [...new Set(secrets)].filter((secret) => secret.length >= shortest)
  const spellings = [...new Set(known.flatMap(spellingsOf))]
  const pieces = piecesOf(known)
  const spelled = (text: string): readonly Range[] => spellings.flatMap((spelling) => rangesOf(text, spelling))
  return (given) => {
    const plain = withoutRanges(given, spelled(given))
    const { text, from } = unescaped(plain)
    // Most texts hold no escape.
    const found = text === plain ? [] : [...spelled(text), ...rangesOfPieces(text, pieces)]
    const escaped = found.map(([start, end]): Range => [from[start] ?? 0, from[end] ?? plain.length])
    return withoutEnd(withoutRanges(plain, [...rangesOfPieces(plain, pieces), ...escaped]), known)
  }
}

const replacement = '[redacted]'

/** What a text with the secret holds: the secret, what is behind its own escapes, and the digits that base64 makes of it at any offset. */
function spellingsOf(secret: string): readonly string[] {
  const bytes = new TextEncoder().encode(secret)
  const base64 = bytes.length < 8 ? [] : [0, 1, 2].map((shift) => base64Inside(bytes, shift))
  const urlSafe = base64.map((digits) => digits.replaceAll('+', '-').replaceAll('/', '_'))
  const all = [secret, unescaped(secret).text, percentEncoded(secret), ...base64, ...urlSafe]
  return all.filter((text) => text.length >= shortest)
}

/** What is half of a pair of surrogates cannot be encoded. */
function percentEncoded(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}

/** The digits at both ends share bits with the neighbours of the secret, so they are left out. */
function base64Inside(bytes: Uint8Array, shift: number): string {
  const padded = String.fromCharCode(...new Uint8Array(shift), ...bytes)
  const digits = btoa(padded).replaceAll('=', '')
  return digits.slice(shift === 0 ? 0 : shift + 1, padded.length % 3 === 0 ? digits.length : -1)
}

/** Every form in which one character stands for another: bounded, so that a text of nothing but backslashes takes no longer than any. */
const everyEscape =
  /%(?:25){0,3}([0-9a-f]{2})|\\{1,4}u([0-9a-f]{4})|\\{1,4}x([0-9a-f]{2})|&#x([0-9a-f]{1,6});|&#(\d{1,7});|&(amp|lt|gt|quot|apos);|\\{1,4}(["'/\\])/gi

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

interface Unescaped {
  readonly text: string
  /** Where each character of `text` stands in what was read. */
  readonly from: readonly number[]
}

function unescaped(given: string): Unescaped {
  const from: number[] = []
  let text = ''
  let at = 0
  const copy = (end: number): void => {
    text += given.slice(at, end)
    for (; at < end; at++) from.push(at)
  }
  for (const found of given.matchAll(everyEscape)) {
    copy(found.index)
    text += characterOf(found)
    while (from.length < text.length) from.push(found.index)
    at = found.index + found[0].length
  }
  if (at === 0) return { text: given, from }
  copy(given.length)
  return { text, from }
}

function characterOf([whole, percent, unicode, byte, hexEntity, entity, named, itself]: RegExpExecArray): string {
  const hex = percent ?? unicode ?? byte ?? hexEntity
  const code = hex === undefined ? Number(entity) : Number.parseInt(hex, 16)
  if (code <= 0x10_ffff) return String.fromCodePoint(code)
  return entities[named?.toLowerCase() ?? ''] ?? itself ?? whole
}

type Range = readonly [start: number, end: number]

function rangesOf(text: string, wanted: string): readonly Range[] {
  const ranges: Range[] = []
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) {
    ranges.push([at, at + wanted.length])
  }
  return ranges
}

const pieceLength = 12

/** Secrets that are shorter have no pieces that are looked for, but a beginning at the end of a text. */
const shortestCut = 16

const halfLength = pieceLength / 2

/** Texts of `pieceLength` that give a secret away, and all texts of half that length in them. */
interface Pieces {
  readonly pieces: ReadonlySet<string>
  readonly halves: ReadonlySet<string>
}

function piecesOf(secrets: readonly string[]): Pieces {
  const long = secrets.filter((secret) => secret.length >= shortestCut)
  const cut = (length: number): ReadonlySet<string> =>
    new Set(
      long.flatMap((secret) =>
        Array.from({ length: secret.length - length + 1 }, (_, at) => secret.slice(at, at + length)),
      ),
    )
  return { pieces: cut(pieceLength), halves: cut(halfLength) }
}

function rangesOfPieces(text: string, { pieces, halves }: Pieces): readonly Range[] {
  const ranges: Range[] = []
  if (pieces.size === 0) return ranges
  let next = 0
  // Wherever a piece stands, it holds a whole half of a piece at one of these offsets.
  for (let offset = 0; offset + halfLength <= text.length; offset += halfLength) {
    if (!halves.has(text.slice(offset, offset + halfLength))) continue
    for (let at = Math.max(next, offset - halfLength); at <= offset; at++) {
      next = at + 1
      if (pieces.has(text.slice(at, at + pieceLength))) ranges.push([at, at + pieceLength])
    }
  }
  return ranges
}

/** A text that was cut may end within a secret. */
function withoutEnd(text: string, secrets: readonly string[]): string {
  for (const secret of secrets) {
    for (let length = Math.min(secret.length, shortestCut) - 1; length >= 6; length--) {
      if (text.endsWith(secret.slice(0, length))) return text.slice(0, -length) + replacement
    }
  }
  return text
}

/** Ranges that touch or overlap become one. */
function withoutRanges(text: string, ranges: readonly Range[]): string {
  let result = ''
  let at = 0
  for (const [start, end] of ranges.toSorted(([one], [other]) => one - other)) {
    if (start > at || (start === 0 && at === 0)) result += text.slice(at, start) + replacement
    at = Math.max(at, end)
  }
  return result + text.slice(at)
}
