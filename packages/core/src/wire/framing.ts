import { createParser } from 'eventsource-parser'
import type { Frame, Framer } from '../contract/adapter.ts'

/**
 * Server-sent events (WHATWG HTML, section 9.2): comments, CR, LF and CRLF, `event:` before or after `data:`, a BOM, characters cut
 * between two chunks. Unlike a browser it gives a last event without its blank line: real servers end so
 * (docs/wire.md#the-last-blank-line).
 */
export function createSseFramer(): Framer {
  const decode = createTextDecoder()
  let emit: (frame: Frame) => void = ignore
  const parser = createParser({ onEvent: (event) => emit(event) })
  /** The parser stands between two events, and is beyond a byte order mark. */
  let isBetween = false
  return {
    push(bytes, onFrame) {
      const text = decode(bytes)
      if (isBetween && isOneEvent(text)) {
        onFrame({ event: undefined, data: text.slice(dataName.length, -2) })
        return
      }
      emit = onFrame
      parser.feed(text)
      isBetween = text.endsWith('\n\n')
    },
    end(onFrame) {
      emit = onFrame
      parser.feed(`${decode()}\n\n`)
    },
  }
}

const dataName = 'data: '

/** Most servers send every event by itself, as one line of data: nothing is left to be parsed of that. */
function isOneEvent(text: string): boolean {
  return (
    text.slice(0, dataName.length) === dataName &&
    text.indexOf('\n') === text.length - 2 &&
    text.endsWith('\n') &&
    !text.includes('\r')
  )
}

/** Newline-delimited JSON: one frame per line that is not blank. A last line without its line end counts. */
export function createNdjsonFramer(): Framer {
  const decode = createTextDecoder()
  let rest = ''
  return {
    push(bytes, onFrame) {
      // Only what is new is searched: a long line in many chunks must not be looked through again with each.
      const lines = decode(bytes).split('\n')
      const tail = lines.pop() ?? ''
      for (const line of lines) {
        emitLine(rest + line, onFrame)
        rest = ''
      }
      rest += tail
    },
    end(onFrame) {
      emitLine(rest + decode(), onFrame)
      rest = ''
    },
  }
}

/** For texts that end with whole characters, as nearly all chunks do: it keeps no state, and takes half the time for that. */
const wholeText = new TextDecoder('utf-8', { ignoreBOM: true })

/** Bytes to text; without bytes it gives what is left of a character that was cut. A byte order mark stays, for the framer. */
function createTextDecoder(): (bytes?: Uint8Array) => string {
  const text = new TextDecoder('utf-8', { ignoreBOM: true })
  let isCut = false
  return (bytes) => {
    if (bytes === undefined) return text.decode()
    const endsWhole = (bytes.at(-1) ?? 0) < 0x80
    if (endsWhole && !isCut) return wholeText.decode(bytes)
    isCut = !endsWhole
    return text.decode(bytes, { stream: true })
  }
}

function emitLine(line: string, onFrame: (frame: Frame) => void): void {
  const data = line.trim()
  if (data !== '') onFrame({ event: undefined, data })
}

function ignore(): void {
  // Replaced before the first frame can come.
}
