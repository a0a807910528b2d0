import type { Frame, Framer } from '../contract/wire-format.ts'

/**
 * Server-sent events (WHATWG HTML, section 9.2): comments, CR, LF and CRLF, `event:` before or after `data:`, a BOM, characters cut
 * between two chunks. Unlike a browser it gives a last event without its blank line: real servers end so
 * (docs/wire.md#the-last-blank-line).
 */
export function createSseFramer(): Framer {
  const decode = createTextDecoder()
  const normalize = createLineEnds()
  const eachLine = createLineSplitter()
  let event: string | undefined
  let data: string | undefined
  let isBetween: boolean | undefined
  const readLine = (line: string, onFrame: (frame: Frame) => void): void => {
    if (line === '') {
      if (data !== undefined) onFrame({ event, data })
      event = data = undefined
    } else if (line.slice(0, 5) === 'data:' || line === 'data') {
      const value = line.slice(line[5] === ' ' ? 6 : 5)
      data = data === undefined ? value : `${data}\n${value}`
    } else if (line.slice(0, 6) === 'event:' || line === 'event') {
      const value = line.slice(line[6] === ' ' ? 7 : 6)
      event = value === '' ? undefined : value
    }
  }
  const read = (text: string, onFrame: (frame: Frame) => void): void => {
    eachLine(text, (line) => readLine(line, onFrame))
  }
  return {
    push(bytes, onFrame) {
      const text = normalize(decode(bytes))
      if (isBetween && isOneEvent(text)) {
        onFrame({ event: undefined, data: text.slice(dataName.length, -2) })
        return
      }
      read(text, onFrame)
      isBetween = text.endsWith('\n\n')
    },
    end(onFrame) {
      read(`${normalize(decode())}\n\n`, onFrame)
    },
  }
}

const dataName = 'data: '

/** Most servers send every event by itself, as one line of data: nothing is left to be parsed of that. */
function isOneEvent(text: string): boolean {
  return text.slice(0, dataName.length) === dataName && text.indexOf('\n') === text.length - 2 && text.endsWith('\n')
}

/** LF for every end of a line, CRLF cut between two chunks among them, and no byte order mark at the beginning. */
function createLineEnds(): (text: string) => string {
  let isStart = true
  let endedWithReturn: boolean | undefined
  return (given) => {
    let text = given
    if (text === '') return text
    // The mark by its number: in a published module a character beyond Latin-1 would make all of it two bytes a character.
    if ((isStart && text.charCodeAt(0) === 0xfeff) || (endedWithReturn && text.startsWith('\n'))) text = text.slice(1)
    isStart = endedWithReturn = false
    if (!text.includes('\r')) return text
    endedWithReturn = text.endsWith('\r')
    return text.replaceAll('\r\n', '\n').replaceAll('\r', '\n')
  }
}

/** Newline-delimited JSON: one frame per line that is not blank. A last line without its line end counts. */
export function createNdjsonFramer(): Framer {
  const decode = createTextDecoder()
  const eachLine = createLineSplitter()
  const read = (text: string, onFrame: (frame: Frame) => void): void => {
    eachLine(text, (line) => {
      const data = line.trim()
      if (data !== '') onFrame({ event: undefined, data })
    })
  }
  return {
    push: (bytes, onFrame) => read(decode(bytes), onFrame),
    end: (onFrame) => read(`${decode()}\n`, onFrame),
  }
}

/** Hands on the lines that a text ends, and keeps what has come of the next. Only what is new is searched, however long a line gets. */
function createLineSplitter(): (text: string, onLine: (line: string) => void) => void {
  let rest = ''
  return (text, onLine) => {
    let start = 0
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      const line = text.slice(start, end)
      onLine(rest + line)
      rest = ''
      start = end + 1
    }
    rest += text.slice(start)
  }
}

/** For texts that end with whole characters, as nearly all chunks do: it keeps no state, and takes half the time for that. */
const wholeText = new TextDecoder('utf-8', { ignoreBOM: true })

/** Bytes to text; without bytes it gives what is left of a character that was cut. A byte order mark stays, for the framer. */
export function createTextDecoder(): (bytes?: Uint8Array) => string {
  /** Made where a character was cut: few texts need it, and it takes longer than decoding a chunk. */
  let cut: TextDecoder | undefined
  let isCut: boolean | undefined
  return (bytes) => {
    if (bytes === undefined) return cut === undefined ? '' : cut.decode()
    // By its number: `at` of a typed array takes as long as decoding a chunk. Where there is none, what was cut stays cut.
    const endsWhole = (bytes[bytes.length - 1] ?? 0x80) < 0x80
    if (endsWhole && !isCut) return wholeText.decode(bytes)
    isCut = !endsWhole
    return (cut ??= new TextDecoder('utf-8', { ignoreBOM: true })).decode(bytes, { stream: true })
  }
}
